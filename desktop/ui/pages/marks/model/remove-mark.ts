import type { MarkValue } from '@markbook/shared/domain/mark-codes'
import { Failure } from '@markbook/shared/failures'
import { type CellValue, cellValueOf } from './cell-value.ts'

type Row = MarkValue & { id: string; student_id: string }
/** The endpoints that are used. */
export type GradesToRemove = {
  list(request: { query: { assessmentId: string } }): Promise<readonly Row[]>
  remove(request: { params: { id: string }; query: { score?: string; status?: string } }): Promise<unknown>
}

/**
 * Deletes the mark of a pupil. Succeeds where there is none, since an earlier request of this person may have deleted it. Throws
 * `grades.changed_meanwhile` where it is none of the `known` marks.
 */
export async function removeMark(
  grades: GradesToRemove,
  assessmentId: string,
  studentId: string,
  known: readonly (CellValue | undefined)[],
): Promise<void> {
  const rows = await grades.list({ query: { assessmentId } })
  const row = rows.find(({ student_id }) => student_id === studentId)
  if (!row) return
  if (!known.includes(cellValueOf(row))) throw new Failure(409, 'grades.changed_meanwhile', 'The mark was changed meanwhile.')
  try {
    await grades.remove({ params: { id: row.id }, query: seenOf(row) })
  } catch (failure) {
    if (!(failure instanceof Failure) || failure.status !== 404) throw failure
  }
}

const seenOf = ({ score, status }: MarkValue) => ({ ...(score !== null && { score: String(score) }), ...(status !== null && { status }) })
