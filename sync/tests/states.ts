import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { mergeRows } from '../merge/merge.ts'
import { furthestOf, highsOf } from '../merge/policy.ts'
import type { RowState, Values } from '../merge/state.ts'
import { stamp } from '../stamp.ts'
import { EXISTENCE, textToVersions, versionsToText } from '../versions.ts'

/** One node in a story: what it writes is stamped and numbered as the store's change tracker does it. */
export type Writer = { node: string; actor: string }
export const school: Writer = { node: 'school', actor: 'mrs-byrne' }
export const laptop: Writer = { node: 'laptop', actor: 'mr-nolan' }
export const centre: Writer = { node: 'centre', actor: 'ms-doyle' }

type WriteOptions = { at: number; nr: number; deletes?: boolean; id?: string }

/** The row after somebody wrote `values` at `at` (ms) as his node's transaction `nr`; `before` null makes it. */
export function written(table: Replicated, before: RowState | null, { node, actor }: Writer, values: Values, told: WriteOptions): RowState {
  const { identity, units } = descriptions[table]
  const isMade = before === null || (before.alive.length === 0 && identity.some((column) => column in values))
  const named = Object.entries(units).filter(([, columns]) => isMade || columns.some((column) => column in values))
  const existence = isMade || told.deletes ? [EXISTENCE] : []
  const row = { ...before?.values, ...values }
  const write = { units: [...existence, ...(told.deletes ? [] : named.map(([unit]) => unit))], node, now: told.at, actor }
  const high = highsOf(table, row)
  const stamped = versionsToText(stamp(before, { ...write, high, furthest: furthestOf(table), deletes: told.deletes ?? false }))
  const numbered = (text: string) => text.replaceAll('"#"', String(told.nr))
  const versions = textToVersions({ vv: numbered(stamped.vv), units: numbered(stamped.units) })
  const all = Object.fromEntries([...identity, ...Object.values(units).flat()].map((column) => [column, row[column] ?? null]))
  const id = told.id ?? before?.id ?? '0190c8a0-0000-7000-8000-00000000000a'
  return { id, schema: 1, ...versions, values: { ...all, id }, extra: null }
}

/** Both ends of a meeting. They must agree, which every story thereby says too. */
export function meet(table: Replicated, a: RowState, b: RowState) {
  const [here, there] = [mergeRows(table, descriptions[table], a, b), mergeRows(table, descriptions[table], b, a)]
  if (JSON.stringify(here.state) !== JSON.stringify(there.state)) throw new Error('the two ends differ')
  return here
}
