import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { covers } from '@markbook/sync/versions'
import { rowsBy } from '../statement.ts'
import type { WriteTx, WrittenRow } from '../tx.ts'
import { keyOf } from './links.ts'
import { versionsByKey } from './states.ts'

type Conflict = Row<'sync_conflict'>
type Written = WrittenRow & { after: NonNullable<WrittenRow['after']> }

/**
 * Resolves the conflicts that a local write decides: whoever writes a unit at a node that has both values has decided it (sync/SPEC.md,
 * I18). The decision bears the number of that write. If the transaction decides one conflict of a row by itself, the others of that row are
 * left alone. Called where a conflict is open in the school.
 */
export async function closeConflicts(tx: WriteTx, touched: readonly WrittenRow[]): Promise<void> {
  if (tx.actor === null) return
  const decided = new Set(touched.flatMap(({ table, after }) => (table === 'sync_conflict' ? [after?.['row_id']] : [])))
  const written = touched.filter((each): each is Written => each.after !== null && !decided.has(each.after.id))
  for (const school of new Set(written.map(({ schoolId }) => schoolId))) {
    const ofSchool = written.filter(({ schoolId }) => schoolId === school)
    for (const table of new Set(ofSchool.map((each) => each.table))) {
      const own = new Map(ofSchool.flatMap((each) => (each.table === table ? [[each.after.id, each] as const] : [])))
      const conflicts = await openConflicts(tx, { school, table, ids: JSON.stringify([...own.keys()]) })
      const overwritten = conflicts.filter(({ row_id, unit }) => own.get(row_id)?.units.has(unit))
      const seen = await seenHere(tx, table, school, overwritten)
      const decisions = overwritten
        .filter(seen)
        .map((before) => ({ before, patch: resolution(tx, before, own.get(before.row_id) as Written) }))
      await tx.update('sync_conflict', decisions)
    }
  }
}

const openConflicts = rowsBy(
  'sync_conflict',
  { school: 'school_id', table: 'entity', ids: { in: 'row_id' } },
  { where: { kind: 'value', status: 'open' }, lock: true },
)

/** Returns whether the state here has seen the lost write of a conflict: a record may come before the row that it is about. */
async function seenHere(tx: WriteTx, table: Replicated, school: string, conflicts: readonly Conflict[]) {
  const named = conflicts.map(({ row_id: id }) => ({ table, id }))
  const versions = await versionsByKey(tx, school, named)
  return ({ row_id: id, node_id, counter }: Conflict) => covers(versions.get(keyOf({ table, id }))?.vv ?? {}, [node_id, counter])
}

function resolution(tx: WriteTx, { value: lost }: Conflict, { after }: Written): Partial<Conflict> {
  const value = Object.fromEntries(Object.keys(lost ?? {}).map((column) => [column, after[column] ?? null]))
  return { status: 'resolved', resolved_at: tx.now, resolved_by: tx.actor, resolution: { choice: 'typed', value } }
}
