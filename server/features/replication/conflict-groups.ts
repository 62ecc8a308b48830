import { groupedBy } from '@markbook/shared/grouped-by'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { isSame } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, count, eq } from 'drizzle-orm'
import type { ReadTx } from '../../store/tx.ts'

type Conflict = Row<'sync_conflict'>
type Values = Readonly<Record<string, unknown>>

/** A unit that was written and does not stand, in a record of a conflict or of a refusal. `value`: null for a deletion. */
export type Overruled = Pick<Conflict, 'id' | 'school_id' | 'entity' | 'row_id' | 'unit' | 'value'>
type Group<T extends Overruled> = readonly [T, ...T[]]
/** What one person wrote to one row, and people decide together. */
export type OverruledGroup = Group<Overruled>

/**
 * Records of conflicts that people decide together: what one person wrote to one row at one node, in any number of units, and that was
 * overruled for one reason. The oldest is first, and names the group. Records that were decided together are a group of their own.
 */
export type ConflictGroup = Group<Conflict>

export function groupsOf(records: readonly Conflict[]): ConflictGroup[] {
  return [...groupedBy(records, groupKey).values()].map((group) => group.sort(byAge) as [Conflict, ...Conflict[]])
}

const groupKey = (each: Conflict): string =>
  [each.entity, each.row_id, each.kind, each.reason, each.node_id, each.actor_id, each.status, each.resolved_at, each.resolved_by].join(' ')

const byAge = (a: Conflict, b: Conflict) => a.hlc - b.hlc || a.counter - b.counter || (a.id < b.id ? -1 : 1)

/** The number of open conflicts as people count them; without `school`, for all schools of this database. */
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

/** The last record of each unit, in the order of the table's units; its author had seen the earlier ones. */
export function lastOfUnits<T extends Overruled>(group: Group<T>): T[] {
  const last = new Map(group.map((record) => [record.unit, record]))
  const { entity } = group[0]
  const order = Object.hasOwn(descriptions, entity) ? [EXISTENCE, ...Object.keys(descriptions[entity as Replicated].units)] : []
  return [...last.values()].sort((a, b) => order.indexOf(a.unit) - order.indexOf(b.unit))
}

/** For a created row with records of single units too, only those of the units. */
function conflictsToReport<T extends Overruled>(group: Group<T>): T[] {
  const records = lastOfUnits(group)
  const parts = records.filter(({ unit }) => unit !== EXISTENCE)
  return parts.length > 0 ? parts : records
}

/** The written values by column; null for a deletion. */
export function valuesOf(records: readonly Overruled[]): Values | null {
  return records.every(({ value }) => value === null) ? null : Object.assign({}, ...records.map(({ value }) => value))
}
export const keptOf = (group: OverruledGroup): Values | null => valuesOf(conflictsToReport(group))

/** The records that differ from the present row; all where none does. */
export function differingRecords<T extends Overruled>(group: Group<T>, row: Values | undefined): T[] {
  const told = conflictsToReport(group)
  const isOther = ([name, value]: [string, unknown]) => (row ? !isSame(value, row[name] ?? null) : !EMPTY.includes(value))
  const others = told.filter(({ value }) => Object.entries(value ?? {}).some(isOther))
  return others.length > 0 ? others : told
}
const EMPTY: readonly unknown[] = [null, false, '']
