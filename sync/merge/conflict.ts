import { COMMONS, naturalId } from '@markbook/shared/ids'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { Stamp } from '../versions.ts'
import type { Loser } from './merge.ts'
import type { RowState, Values } from './state.ts'

/** A write that did not stand, before it has an id. `reason`: why, where a rule decided and not the meeting of two values. */
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
 * The record of a conflict. It follows from the write alone, dot and all, so that every node where it is made makes the very same
 * state: the versions name no node (`MADE_BY_RULE`), and a later resolution covers them. A write that lost to a rule here and to a
 * value there has a record of each: one id with two contents would never agree.
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

/** In the place of a node where no node wrote but a rule. */
export const MADE_BY_RULE = COMMONS
const MADE: Stamp = [MADE_BY_RULE, 1, 0, null]
