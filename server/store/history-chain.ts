import { createHash } from 'node:crypto'
import { descriptions } from '@markbook/shared/tables/tables'

/** An entry of the history as the change tracker hashed it, field by field (`change-tracker.ts`). */
export type ChainedEntry = {
  id: string
  at: string
  actor_id: string | null
  node_id: string
  entity: string
  row_id: string
  near_id: string
  action: string
  changes: string
  detail?: string | null
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The head of a chain after a transaction of this digest. */
export const headAfter = (head: string, digest: string): string => sha256(head + digest)

/** Of what one transaction wrote, in any order: rows are hashed in the order of their ids, then what is no row of a table. */
export function digestOf(entries: readonly ChainedEntry[]): string {
  const byId = [...entries].sort((a, b) => (a.id < b.id ? -1 : 1))
  const isRow = ({ entity }: ChainedEntry) => Object.hasOwn(descriptions, entity)
  const written = [...byId.filter(isRow), ...byId.filter((entry) => !isRow(entry))].map(
    ({ id, at, actor_id, node_id, entity, row_id, near_id, action, changes, detail }) => ({
      id,
      at,
      actor_id,
      node_id,
      entity,
      row_id,
      near_id,
      action,
      changes,
      ...(detail != null && { detail }),
    }),
  )
  return sha256(JSON.stringify(written))
}
