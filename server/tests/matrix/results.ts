import type { calculations } from '@markbook/shared/contract/calculations'
import type { overview } from '@markbook/shared/contract/overview'
import type { reports } from '@markbook/shared/contract/reports'
import { elan, hilltopPupil, oisin } from '@markbook/shared/story/marks'
import { draftReport, hilltopReport, sentReport } from '@markbook/shared/story/reports'
import {
  class3A,
  class3B,
  hilltopClass,
  hilltopMaths,
  hilltopTerm,
  hilltopYear,
  maths,
  michaelmas,
  thisYear,
} from '@markbook/shared/story/school-year'
import { entryIds, hilltopUpper, mathsEntry, publishedReport } from './neighbour.ts'
import { manageClass, type Row, type Rows, readClass, reportById, resultsOf, setupWrite, staffUse } from './row.ts'
import { ofOwnSet } from './teaching-sets.ts'

const pupils = { own: elan.id, other: oisin.id, hilltop: hilltopPupil.id }
const groups = { own: class3B.id, other: class3A.id, hilltop: hilltopClass.id }
/** Term, year and subject of the school of the student or class that is asked for. */
const around = (id: string) =>
  id === hilltopPupil.id || id === hilltopClass.id
    ? { termId: hilltopTerm.id, academicYearId: hilltopYear.id, subjectId: hilltopMaths.id }
    : { termId: michaelmas.id, academicYearId: thisYear.id, subjectId: maths.id }
type Around = keyof ReturnType<typeof around>
const picked = (id: string, names: readonly Around[]) => Object.fromEntries(names.map((name) => [name, around(id)[name]]))
const student =
  (...names: Around[]) =>
  (studentId: string) => ({ query: { studentId, ...picked(studentId, names) } })
const group =
  (...names: Around[]) =>
  (studentGroupId: string) => ({ query: { studentGroupId, ...picked(studentGroupId, names) } })

const byId = (id: string) => ({ params: { id } })
export const calculationRows: Rows<typeof calculations> = {
  student: staffUse(byId, pupils),
  studentTerm: resultsOf(student('termId'), pupils),
  studentYear: resultsOf(student('academicYearId'), pupils),
  classTerm: manageClass(group('termId'), groups),
  setTerm: ofOwnSet((teachingSetId) => ({
    query: { teachingSetId, termId: teachingSetId === hilltopUpper.id ? hilltopTerm.id : michaelmas.id },
  })),
  classYear: manageClass(group('academicYearId'), groups),
  classSummary: manageClass(group('termId'), groups),
  missingMarks: manageClass(group('termId'), groups),
  explain: resultsOf(student('termId', 'subjectId'), pupils),
}

const ofTerm = (termId: string) => ({ query: { termId, reportType: 'term' } })
const reminded = (termId: string) => ({ body: { termId, reportType: 'term' } })
const terms = { own: michaelmas.id, hilltop: hilltopTerm.id }
export const overviewRows: Rows<typeof overview> = {
  read: setupWrite(ofTerm, terms),
  reminders: setupWrite(ofTerm, terms),
  remind: setupWrite(reminded, terms),
}

const books = { own: draftReport.id, hilltop: hilltopReport.id }
const sent = (of: (id: string) => object, code = 'reports.locked'): Row['own'] => [
  of(sentReport.id),
  `403 403 409:${code} 403 409:${code} 404`,
]
const written = (id: string) => ({ params: { id }, body: { classTeacherRemark: 'Good work.', attendancePercentage: 97.5 } })
const lettered = (entryId: string) => ({ params: { entryId }, body: { letterGrade: 'B', teacherRemark: 'Well read.' } })
const ofStudent = (studentId: string) => ({ query: { studentId, termId: around(studentId).termId, reportType: 'term' } })
const sendingBack = (id: string) => ({ params: { id }, body: { isApproved: false, reason: 'Not yet.' } })
const approval = (id: string) => ({ params: { id }, body: { isApproved: true } })
const invalid = 'reports.invalid_move'

export const reportRows: Rows<typeof reports> = {
  generate: manageClass((id) => ({ body: { studentGroupId: id, termId: around(id).termId, reportType: 'term' } }), groups),
  list: manageClass(group('termId'), groups),
  ofStudent: {
    own: [ofStudent(elan.id), '            403 403 ok  403 ok  404'],
    hilltop: [ofStudent(hilltopPupil.id), '403 404 404 404 404 ok '],
    // No book was made for Oisín.
    none: [ofStudent(oisin.id), '          403 404 404 404 404 404'],
  },
  standing: manageClass((id) => ({ query: { studentGroupId: id, termId: around(id).termId, reportType: 'term' } }), groups),
  sent: readClass((id) => ({ query: { studentGroupId: id, termId: around(id).termId, reportType: 'term' } }), groups),
  get: reportById(byId, books),
  update: { ...reportById(written, books), sent: sent(written) },
  regenerate: { ...reportById(byId, books), sent: sent(byId) },
  publish: {
    ...reportById(byId, books),
    sent: sent(byId),
    published: [byId(publishedReport.id), `403 403 409:${invalid} 403 409:${invalid} 404`],
  },
  sendToMinistry: {
    own: [byId(publishedReport.id), '403 403 ok 403 ok 404'],
    draft: [byId(draftReport.id), `403 403 409:${invalid} 403 409:${invalid} 404`],
    hilltop: [byId(hilltopReport.id), `404 404 404 404 404 409:${invalid}`],
    sent: sent(byId, invalid),
  },
  approve: {
    ...setupWrite((id) => ({ params: { id }, body: { isApproved: false } }), books),
    // Nobody at either school has asked for approvals.
    given: [approval(draftReport.id), '    403 403 403 403 409:reports.approval_not_asked 404'],
    sent: [approval(sentReport.id), '     403 403 403 403 409:reports.locked              404'],
    back: [sendingBack(draftReport.id), ' 403 403 403 403 409:reports.approval_not_asked 404'],
  },
  // Ada gets those of mathematics.
  entries: readClass((id) => ({ query: { studentGroupId: id, termId: around(id).termId, reportType: 'term' } }), groups),
  updateEntry: {
    ...reportById(lettered, entryIds),
    // Mathematics is Ada's subject in 3B.
    maths: [lettered(mathsEntry.id), '403 ok ok 403 ok 404'],
    sent: sent(() => lettered(entryIds.of(sentReport))),
  },
}
