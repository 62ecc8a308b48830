import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { valueIn } from './merge/merge.ts'
import type { RowState, Values } from './merge/state.ts'
import { EXISTENCE } from './versions.ts'

/** A write of a unit that a node refused. `value`: its columns, null for a deletion; `hlc` in ms; `code`: why. */
export type RefusedWrite = Pick<
  Row<'sync_refused'>,
  'table_name' | 'row_id' | 'unit' | 'value' | 'actor_id' | 'hlc' | 'code' | 'node_id' | 'counter'
>

/** What is kept of a refused unit, the same at both ends; null for a unit that nobody wrote, and for secrets. */
export function refusedWrite(table: Replicated, state: RowState, unit: string, code: string): RefusedWrite | null {
  const { id, values, units, alive } = state
  const stamp = units[unit]
  if (!stamp || descriptions[table].sealed) return null
  const isRecord = table === 'sync_conflict' && alive.length > 0
  if (isRecord && unit === EXISTENCE) return losingWrite(values as Row<'sync_conflict'>, code)
  // A record that nobody decided is not kept: the lost write in it is, and giving way to another parent is no decision.
  if (isRecord && stamp[3] === null) return null
  const value = writtenValue(table, state, unit)
  const [node_id, counter, hlc, actor_id] = stamp
  return { table_name: table, row_id: id, unit, value, actor_id, hlc, code, node_id, counter }
}

/**
 * What a write of a unit says, as it is kept where the write does not stand; null for a deletion. A created row is whole, with its identity,
 * since nothing else may tell what it belongs to.
 */
export function writtenValue(table: Replicated, state: RowState, unit: string): Values | null {
  if (unit === EXISTENCE && state.alive.length === 0) return null
  const written = unit === EXISTENCE ? [EXISTENCE, ...Object.keys(descriptions[table].units)] : [unit]
  return Object.assign({}, ...written.map((each) => valueIn(descriptions[table], each, state)))
}

/** The lost write of a conflict record; null where nobody could have written it. */
function losingWrite(conflict: Row<'sync_conflict'>, code: string): RefusedWrite | null {
  const { entity, row_id, unit, value, actor_id, hlc, node_id, counter } = conflict
  const described = Object.hasOwn(descriptions, entity) ? descriptions[entity as Replicated] : null
  if (!described || described.sealed || (unit !== EXISTENCE && !described.units[unit])) return null
  return { table_name: entity, row_id, unit, value, actor_id, hlc, code, node_id, counter }
}
