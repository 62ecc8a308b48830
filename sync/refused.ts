import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { pick, type RowState } from './merge/state.ts'
import { EXISTENCE } from './versions.ts'

/** A write of a unit that a node did not take. `value`: its columns, null of a deletion. `hlc` in ms; `code`: why. */
export type RefusedWrite = Pick<
  Row<'sync_refused'>,
  'table_name' | 'row_id' | 'unit' | 'value' | 'actor_id' | 'hlc' | 'code' | 'node_id' | 'counter'
>

/** What is kept of a unit that was refused, the same at both ends; null where nobody wrote it, and of secrets. Of a deletion the value is null. */
export function refusedWrite(table: Replicated, { id, values, units, alive }: RowState, unit: string, code: string): RefusedWrite | null {
  const stamp = units[unit]
  if (!stamp || descriptions[table].sealed) return null
  const isRecord = table === 'sync_conflict' && alive.length > 0
  if (isRecord && unit === EXISTENCE) return losingWrite(values as Row<'sync_conflict'>, code)
  // What nobody decided says nothing: the write that the record keeps is kept, and giving way to another parent is no decision.
  if (isRecord && stamp[3] === null) return null
  const columns = unit === EXISTENCE ? Object.values(descriptions[table].units).flat() : (descriptions[table].units[unit] ?? [])
  const value = alive.length === 0 && unit === EXISTENCE ? null : { ...pick(values, columns) }
  const [node_id, counter, hlc, actor_id] = stamp
  return { table_name: table, row_id: id, unit, value, actor_id, hlc, code, node_id, counter }
}

/** Of a record of a conflict, the write that it says did not stand; null of what nobody could have written. */
function losingWrite(conflict: Row<'sync_conflict'>, code: string): RefusedWrite | null {
  const { entity, row_id, unit, value, actor_id, hlc, node_id, counter } = conflict
  const described = Object.hasOwn(descriptions, entity) ? descriptions[entity as Replicated] : null
  if (!described || described.sealed || (unit !== EXISTENCE && !described.units[unit])) return null
  return { table_name: entity, row_id, unit, value, actor_id, hlc, code, node_id, counter }
}
