import { naturalId } from '@markbook/shared/ids'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { textToExtra } from '@markbook/sync/extra'
import { eq } from 'drizzle-orm'
import { scopeIn } from '../../store/replica/links.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

type Stored = Readonly<Record<string, unknown>>
/** An entry of the history of a row. */
export type Entry = Pick<Row<'history'>, 'row_id' | 'near_id' | 'node_id' | 'at' | 'changes'>

/** The oldest first. `near`: the clustering keys of the entries; without them every entry of the school is read. Both are JSON arrays. */
const ofRows = { columns: ['row_id', 'near_id', 'node_id', 'at', 'changes'], orderBy: ['at', 'seq'] } as const
export const entriesNear = rowsBy('history', { school: 'school_id', near: { in: 'near_id' }, rows: { in: 'row_id' } }, ofRows)
const entriesAnywhere = rowsBy('history', { school: 'school_id', rows: { in: 'row_id' } }, ofRows)

/**
 * What this node still knows of absent rows, by id: their values at the deletion, or, where the tombstone was deleted, those of the
 * history. Rows that neither knows are absent.
 */
export async function formerRows(
  tx: ReadTx,
  school: string,
  table: Replicated,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Stored>> {
  const former = new Map<string, Stored>()
  if (ids.length === 0) return former
  for (const { row_id, extra } of await tx.dialect.versionsOf(tx.connection, scopeIn(table, school), table, [...ids])) {
    const last = textToExtra(extra)?.last
    if (last) former.set(row_id, last)
  }
  const forgotten = JSON.stringify(ids.filter((id) => !former.has(id)))
  if (forgotten === '[]') return former
  const { near } = descriptions[table]
  const entries: Entry[] = near
    ? await entriesAnywhere(tx, { school, rows: forgotten })
    : await entriesNear(tx, { school, rows: forgotten, near: forgotten })
  for (const { row_id, near_id, changes } of entries)
    former.set(row_id, { ...former.get(row_id), ...(near && { [near]: near_id }), ...heldAfter(changes), id: row_id })
  if (table === 'grade') await nameWhose(tx, school, former)
  return former
}

/** For a mark that this node only changed, the history names no pupil; its id is the hash of the assessment's id and the pupil's. */
async function nameWhose(tx: ReadTx, school: string, marks: Map<string, Stored>): Promise<void> {
  const unnamed = [...marks].filter(([, { student_id, assessment_id }]) => !student_id && typeof assessment_id === 'string')
  if (unnamed.length === 0) return
  const { student } = tx.t
  const pupils: { id: string }[] = await tx.db.select({ id: student.id }).from(student).where(eq(student.school_id, school))
  const ofAssessment = new Map<string, Map<string, string>>()
  for (const [id, mark] of unnamed) {
    const assessment = mark['assessment_id'] as string
    const byMark = ofAssessment.get(assessment) ?? new Map(pupils.map((pupil) => [naturalId('grade', assessment, pupil.id), pupil.id]))
    ofAssessment.set(assessment, byMark)
    marks.set(id, { ...mark, student_id: byMark.get(id) ?? null })
  }
}

/** The values of a row after a write, for the columns that it names; before it, where the write deleted the row. */
const heldAfter = (changes: Row<'history'>['changes']): Stored =>
  Object.fromEntries(Object.entries(changes).map(([column, { before, after }]) => [column, after ?? before]))
