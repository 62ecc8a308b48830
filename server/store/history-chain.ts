import { createHash } from 'node:crypto'
import { descriptions } from '@markbook/shared/tables/tables'

/** The fields of a history entry in the order in which the change tracker hashes them (`change-tracker.ts`). */
export type ChainedEntry = {
  id: string
  at: string
  actor_id: string | null
  node_id: string
  entity: string
  row_id: string
  /** The clustering key of the entry (`Description.near`). */
  near_id: string
  action: string
  changes: string
  /** JSON, see sync/journal.ts. */
  detail?: string | null
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The head of a chain after a transaction with this digest. */
export const headAfter = (head: string, digest: string): string => sha256(head + digest)

/** Hashed in pieces: the text of a thousand entries is half a megabyte, which costs more to build than to hash. */
const PIECE = 65_536

const textOf = ({ id, at, actor_id, node_id, entity, row_id, near_id, action, changes, detail }: ChainedEntry): string =>
  JSON.stringify({ id, at, actor_id, node_id, entity, row_id, near_id, action, changes, detail: detail ?? undefined })

/** The digest of the entries of one transaction, in any order: they are hashed by row id, entries without a row last. */
export function digestOf(entries: readonly ChainedEntry[]): string {
  const byId = [...entries].sort((a, b) => (a.id < b.id ? -1 : 1))
  const isRow = ({ entity }: ChainedEntry) => Object.hasOwn(descriptions, entity)
  const hash = createHash('sha256')
  let piece = '['
  for (const [at, entry] of [...byId.filter(isRow), ...byId.filter((each) => !isRow(each))].entries()) {
    piece += (at === 0 ? '' : ',') + textOf(entry)
    if (piece.length < PIECE) continue
    hash.update(piece)
    piece = ''
  }
  return hash.update(`${piece}]`).digest('hex')
}
