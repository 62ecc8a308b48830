import { COMMONS, naturalId } from '@markbook/shared/ids'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { Stamp } from '../versions.ts'
import type { Loser } from './merge.ts'
import type { RowState, Values } from './state.ts'

/** A lost write, before its record has an id. `reason`: why, where a rule decided; null where two values met. */
export type Kept = {
  table: Replicated
  rowId: string
  unit: string
  kind: 'value' | 'delete' | 'rule' | 'right'
  value: Values | null
  stamp: Stamp
  status: 'open' | 'noticed'
  reason: string | null
}

export const keptFrom = (table: Replicated, rowId: string, { unit, kind, value, stamp, rule }: Loser): Kept => ({
  table,
  rowId,
  unit,
  kind,
  value,
  stamp,
  status: rule === 'later' ? 'open' : 'noticed',
  reason: null,
})

/**
 * The state of a conflict record. It follows from the lost write alone, with its dot, so that every node makes the very same state: the
 * versions name no node (`MADE_BY_RULE`), and a later resolution covers them. A write that lost to a rule on one node and to a value on
 * another has two records: one id with two contents would never agree.
 */
export function conflictState(
  schoolId: string,
  schema: number,
  { table, rowId, unit, kind, value, stamp, status, reason }: Kept,
): RowState {
  const [node_id, counter, hlc, actor_id] = stamp
  const id = naturalId('conflict', table, rowId, unit, kind, reason ?? '', node_id, String(counter))
  const values: Omit<Row<'sync_conflict'>, 'value' | 'resolution'> & { value: unknown; resolution: null } = {
    id,
    school_id: schoolId,
    entity: table,
    row_id: rowId,
    unit,
    kind,
    reason,
    value,
    node_id,
    counter,
    hlc,
    actor_id,
    status,
    resolved_at: null,
    resolved_by: null,
    resolution: null,
  }
  return { id, schema, vv: { [MADE_BY_RULE]: 1 }, units: { row: MADE, status: MADE }, alive: [[MADE_BY_RULE, 1]], values, extra: null }
}

/** Stands in the place of a number where a rule wrote, and no node. */
export const MADE_BY_RULE = COMMONS
const MADE: Stamp = [MADE_BY_RULE, 1, 0, null]
