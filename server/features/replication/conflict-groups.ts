import { groupedBy } from '@markbook/shared/grouped-by'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { isSame } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, count, eq } from 'drizzle-orm'
import type { ReadTx } from '../../store/tx.ts'

type Conflict = Row<'sync_conflict'>
type Values = Readonly<Record<string, unknown>>

/**
 * Records of conflicts that are one thing to decide for people: what one person wrote to one row at one node, of however many units, and what
 * did not stand for one reason. The oldest is first, and names the group. What was decided at once is a group of its own.
 */
export type ConflictGroup = readonly [Conflict, ...Conflict[]]

export function groupsOf(records: readonly Conflict[]): ConflictGroup[] {
  return [...groupedBy(records, groupKey).values()].map((group) => group.sort(byAge) as [Conflict, ...Conflict[]])
}

export const groupKey = (each: Conflict): string =>
  [each.entity, each.row_id, each.kind, each.reason, each.node_id, each.actor_id, each.status, each.resolved_at, each.resolved_by].join(' ')

const byAge = (a: Conflict, b: Conflict) => a.hlc - b.hlc || a.counter - b.counter || (a.id < b.id ? -1 : 1)

/** Conflicts that wait for a decision, as people count them; of all schools of this database where none is named. */
export async function openConflicts(tx: ReadTx, school?: string): Promise<number> {
  const { sync_conflict: of } = tx.t
  const each = tx.db
    .select({ row_id: of.row_id })
    .from(of)
    .where(and(school === undefined ? undefined : eq(of.school_id, school), eq(of.status, 'open')))
    .groupBy(of.school_id, of.entity, of.row_id, of.kind, of.reason, of.node_id, of.actor_id)
    .as('each')
  const [found] = await tx.db.select({ count: count() }).from(each)
  return found?.count ?? 0
}

/** Of each unit what was written last, in the order of the table's units: whoever wrote it had seen what they wrote before. */
export function lastOfUnits(group: ConflictGroup): Conflict[] {
  const last = new Map(group.map((record) => [record.unit, record]))
  const { entity } = group[0]
  const order = Object.hasOwn(descriptions, entity) ? [EXISTENCE, ...Object.keys(descriptions[entity as Replicated].units)] : []
  return [...last.values()].sort((a, b) => order.indexOf(a.unit) - order.indexOf(b.unit))
}

/** Of a row that was made, and that units of it tell too, what the units tell. */
function toldOf(group: ConflictGroup): Conflict[] {
  const records = lastOfUnits(group)
  const parts = records.filter(({ unit }) => unit !== EXISTENCE)
  return parts.length > 0 ? parts : records
}

/** What was written, by column; null for a deletion. */
export function valuesOf(records: readonly Conflict[]): Values | null {
  return records.every(({ value }) => value === null) ? null : Object.assign({}, ...records.map(({ value }) => value))
}
export const keptOf = (group: ConflictGroup): Values | null => valuesOf(toldOf(group))

/** The units about which there is something to decide beside the row that stands: those that say something else; all where none does. */
export function inQuestion(group: ConflictGroup, row: Values | undefined): Conflict[] {
  const told = toldOf(group)
  const isOther = ([name, value]: [string, unknown]) => (row ? !isSame(value, row[name] ?? null) : !EMPTY.includes(value))
  const others = told.filter(({ value }) => Object.entries(value ?? {}).some(isOther))
  return others.length > 0 ? others : told
}
const EMPTY: readonly unknown[] = [null, false, '']
