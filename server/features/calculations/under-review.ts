import { and, eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** Whose marks in which subject are in open conflict. `terms` is a JSON array. */
const marksInConflict = statement<{ school: string; terms: string }>()(({ db, t, p, dialect }) => {
  const { sync_conflict, grade, assessment } = t
  return db
    .selectDistinct({ student_id: grade.student_id, subject_id: assessment.subject_id })
    .from(sync_conflict)
    .innerJoin(grade, and(eq(grade.school_id, sync_conflict.school_id), eq(grade.id, sync_conflict.row_id)))
    .innerJoin(assessment, and(eq(assessment.school_id, grade.school_id), eq(assessment.id, grade.assessment_id)))
    .where(
      and(
        eq(sync_conflict.school_id, p.school),
        eq(sync_conflict.status, 'open'),
        eq(sync_conflict.entity, 'grade'),
        dialect.inList(grade.term_id, p.terms),
      ),
    )
})

type Result = { student_id: string; subjects: readonly { subject_id: string }[] }

/** The results, where a mark of a subject is in open conflict with `under_review: true` on that subject (sync/SPEC.md, «Conflicts»). */
export async function withReview<R extends Result>(tx: ReadTx, school: string, terms: readonly string[], results: R[]): Promise<R[]> {
  const found = await marksInConflict(tx, { school, terms: JSON.stringify(terms) })
  if (found.length === 0) return results
  const keys = new Set(found.map(({ student_id, subject_id }) => `${student_id}:${subject_id}`))
  return results.map((result) => ({
    ...result,
    subjects: result.subjects.map((subject) =>
      keys.has(`${result.student_id}:${subject.subject_id}`) ? { ...subject, under_review: true } : subject,
    ),
  }))
}
