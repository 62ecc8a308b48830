import type { Grade, LiveMark } from '@markbook/shared/contract/grades'
import { changeSeen } from '../../../api/last-seen.ts'
import type { MarkKey } from './mark-values.ts'
import type { SheetScope } from './pending-mark-storage.ts'

/** The request under which the marks of a sheet are stored for when the server is away. */
export const marksOfSheet = (scope: { termId: string; subjectId: string; studentGroupId: string }) => ['grades', 'events', scope] as const

/** Puts marks that were saved from another page into the stored marks of their sheet: else they would be taken for somebody else's. */
export function saveInSeen(sheet: SheetScope, rows: readonly Grade[]): void {
  changeMarks(sheet, (marks) => {
    const saved = rows.map(
      ({ letter_grade: _letter, created_by: _by, ...mark }): LiveMark => ({ ...mark, is_waiting: false, is_above: false }),
    )
    const ids = new Set(saved.map(({ id }) => id))
    return [...marks.filter(({ id }) => !ids.has(id)), ...saved]
  })
}

/** The same for a deleted mark. */
export const removeFromSeen = (sheet: SheetScope, { assessmentId, studentId }: MarkKey): void =>
  changeMarks(sheet, (marks) => marks.filter((mark) => mark.assessment_id !== assessmentId || mark.student_id !== studentId))

const changeMarks = ({ classId, ...scope }: SheetScope, change: (marks: readonly LiveMark[]) => LiveMark[]): void =>
  changeSeen(marksOfSheet({ termId: scope.termId, subjectId: scope.subjectId, studentGroupId: classId }), change)
