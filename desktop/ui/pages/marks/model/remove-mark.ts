import { Failure } from '@markbook/shared/failures'

type Row = { id: string; student_id: string; score: number }
/** What of the client is used. */
export type GradesToRemove = {
  list(request: { query: { assessmentId: string } }): Promise<readonly Row[]>
  remove(request: { params: { id: string }; query: { score: string } }): Promise<unknown>
}

/**
 * Takes away the mark of a pupil, who may have none: an earlier request of this person may have done it, also while this one is on its way.
 * Fails with `grades.changed_meanwhile` where it is none of the scores that the person knew.
 */
export async function removeMark(
  grades: GradesToRemove,
  assessmentId: string,
  studentId: string,
  known: readonly (number | null | undefined)[],
): Promise<void> {
  const rows = await grades.list({ query: { assessmentId } })
  const row = rows.find(({ student_id }) => student_id === studentId)
  if (!row) return
  if (!known.includes(row.score)) throw new Failure(409, 'grades.changed_meanwhile', 'The mark was changed meanwhile.')
  try {
    await grades.remove({ params: { id: row.id }, query: { score: String(row.score) } })
  } catch (failure) {
    if (!(failure instanceof Failure) || failure.status !== 404) throw failure
  }
}
