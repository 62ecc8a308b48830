import { naturalId } from '@markbook/shared/ids'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { textToExtra } from '@markbook/sync/extra'
import { and, asc, eq } from 'drizzle-orm'
import { scopeIn } from '../../store/replica/links.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

type Stored = Readonly<Record<string, unknown>>
type Entry = Pick<Row<'history'>, 'row_id' | 'near_id' | 'changes'>

/** `near`: where their entries lie; where that is not known, every entry of the school is looked at. Both are JSON arrays. */
const entriesNear = statement<{ school: string; rows: string; near: string }>()(({ db, t: { history }, p, dialect }) =>
  db
    .select({ row_id: history.row_id, near_id: history.near_id, changes: history.changes })
    .from(history)
    .where(and(eq(history.school_id, p.school), dialect.inList(history.near_id, p.near), dialect.inList(history.row_id, p.rows)))
    .orderBy(asc(history.at), asc(history.seq)),
)
const entriesAnywhere = statement<{ school: string; rows: string }>()(({ db, t: { history }, p, dialect }) =>
  db
    .select({ row_id: history.row_id, near_id: history.near_id, changes: history.changes })
    .from(history)
    .where(and(eq(history.school_id, p.school), dialect.inList(history.row_id, p.rows)))
    .orderBy(asc(history.at), asc(history.seq)),
)

/**
 * What is still known here of rows that do not stand in their table, by id: what they held when they were deleted, or, where they were
 * forgotten altogether, what this node's history says of them. What neither knows is absent.
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

/** Of a mark that this node only changed, the history names no pupil; its id is made of the assessment and of the pupil. */
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

/** What a row held after a write, of the columns that it names; what it held last, where the write removed it. */
const heldAfter = (changes: Row<'history'>['changes']): Stored =>
  Object.fromEntries(Object.entries(changes).map(([column, { before, after }]) => [column, after ?? before]))
