import type { attendance } from '@markbook/shared/contract/attendance'
import { fatima, hilltopPupil, mei } from '@markbook/shared/story/marks'
import { class3A, class3B, hilltopClass, hilltopTerm, michaelmas } from '@markbook/shared/story/school-year'
import { type Rows, readClass } from './row.ts'

const groups = { own: class3B.id, other: class3A.id, hilltop: hilltopClass.id }
const day = '2025-11-14'
const pupils: Record<string, string> = { [class3A.id]: fatima.id, [hilltopClass.id]: hilltopPupil.id }
const taken = (classId: string, studentId = pupils[classId] ?? mei.id) => ({
  params: { classId },
  body: { day, lesson: 0, marks: [{ studentId, code: 'late' as const }] },
})

export const attendanceRows: Rows<typeof attendance> = {
  read: readClass((classId) => ({ params: { classId }, query: { from: day, to: day } }), groups),
  take: {
    ...readClass(taken, groups),
    whoIsElsewhere: [
      taken(class3B.id, fatima.id),
      '403 400:classes.not_enrolled 400:classes.not_enrolled 403 400:classes.not_enrolled 404',
    ],
    hilltopPupil: [taken(class3B.id, hilltopPupil.id), '403 404 404 403 404 404'],
  },
  totals: readClass(
    (classId) => ({ params: { classId }, query: { termId: classId === hilltopClass.id ? hilltopTerm.id : michaelmas.id } }),
    groups,
  ),
}
