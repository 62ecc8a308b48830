import type { assessments } from '@markbook/shared/contract/assessments'
import type { audit } from '@markbook/shared/contract/audit'
import type { bin } from '@markbook/shared/contract/bin'
import type { grades } from '@markbook/shared/contract/grades'
import type { history } from '@markbook/shared/contract/history'
import type { imports } from '@markbook/shared/contract/imports'
import {
  elan,
  englishEssay,
  hilltopExam,
  hilltopPupil,
  irishOral,
  lukasz,
  mathsExam,
  mathsHilary,
  mathsHomework,
  mathsQuiz,
  oisin,
  scienceProject,
  wanderer,
  zoe,
} from '@markbook/shared/story/marks'
import { draftReport, hilltopReport } from '@markbook/shared/story/reports'
import {
  class3A,
  class3B,
  english,
  hilltopClass,
  hilltopMaths,
  hilltopTerm,
  hilltopYear,
  lastYear,
  maths,
  michaelmas,
  science,
} from '@markbook/shared/story/school-year'
import { gradeIds, type HistoryIds, hilltopUpper, upper } from './neighbour.ts'
import { ABSENT, onlyAdmins, onlyStaff, type Row, type Rows, readClass, setupWrite, staffUse } from './row.ts'

const byId = (id: string) => ({ params: { id } })
const changed = (body: unknown) => (id: string) => ({ params: { id }, body })
const assessmentIds = { own: mathsQuiz.id, hilltop: hilltopExam.id }
type Of = (id: string) => object

/** Writing an assessment: where the subject is the caller's, or the assessment is of the class that they lead. */
const writeAssessment = (of: Of): Row => ({
  // maths, of the whole school: Ada's in 3B, Quinn's in 3A
  own: [of(mathsQuiz.id), '          403 ok  403 ok  ok  404'],
  // maths, of 3B, which Byrne leads
  ofClass: [of(mathsHomework.id), '  403 ok  ok  ok  ok  404'],
  english: [of(englishEssay.id), '   403 403 ok  ok  ok  404'],
  nobodys: [of(scienceProject.id), ' 403 403 403 403 ok  404'],
  hilltop: [of(hilltopExam.id), '    403 404 404 404 404 ok '],
  absent: [of(ABSENT), '             403 404 404 404 404 404'],
})
/** Changing how one counts, or deleting it: not with marks of a class where somebody else teaches the subject. */
const decideOnAssessment = (of: Of): Row => ({
  ...writeAssessment(of),
  own: [of(mathsQuiz.id), '    403 403:assessments.shared 403 403:assessments.shared ok 404'],
  // Of the whole school too, with marks of 3B alone.
  marked: [of(mathsHilary.id), '  403 ok 403 403:assessments.shared ok 404'],
  english: [of(englishEssay.id), '403 403 ok 403:assessments.shared ok 404'],
})
const ofSet = (body: { body: object }, teachingSetId: string) => ({ body: { ...body.body, teachingSetId } })
const newAssessment = (termId: string, subjectId: string, studentGroupId?: string) => ({
  body: { termId, subjectId, title: 'Quiz 2', assessmentType: 'coursework', maxScore: 20, ...(studentGroupId && { studentGroupId }) },
})

export const assessmentRows: Rows<typeof assessments> = {
  list: {
    own: [{ query: { termId: michaelmas.id, subjectId: maths.id } }, '                                           403 ok  ok  ok  ok  404'],
    ofClass: [{ query: { termId: michaelmas.id, subjectId: maths.id, studentGroupId: class3B.id } }, '           403 ok  ok  ok  ok  404'],
    hilltop: [{ query: { termId: hilltopTerm.id, subjectId: hilltopMaths.id } }, '                               403 404 404 404 404 ok '],
    ofHilltopClass: [{ query: { termId: michaelmas.id, subjectId: maths.id, studentGroupId: hilltopClass.id } }, '403 404 404 404 404 404'],
    ofSet: [{ query: { termId: michaelmas.id, subjectId: maths.id, teachingSetId: upper.id } }, '               403 ok  ok  ok  ok  404'],
    ofHilltopSet: [{ query: { termId: michaelmas.id, subjectId: maths.id, teachingSetId: hilltopUpper.id } }, ' 403 404 404 404 404 404'],
  },
  get: staffUse(byId, assessmentIds),
  create: {
    own: [newAssessment(michaelmas.id, maths.id), '                             403 ok  403 ok  ok  404'],
    english: [newAssessment(michaelmas.id, english.id), '                       403 403 ok  ok  ok  404'],
    nobodys: [newAssessment(michaelmas.id, science.id), '                       403 403 403 403 ok  404'],
    ofClass: [newAssessment(michaelmas.id, science.id, class3B.id), '           403 403 ok  403 ok  404'],
    ofOtherClass: [newAssessment(michaelmas.id, science.id, class3A.id), '      403 403 403 ok  ok  404'],
    hilltop: [newAssessment(hilltopTerm.id, hilltopMaths.id), '                 403 404 404 404 404 ok '],
    ofHilltopClass: [newAssessment(michaelmas.id, maths.id, hilltopClass.id), ' 403 404 404 404 404 404'],
    ofSet: [ofSet(newAssessment(michaelmas.id, maths.id), upper.id), '          403 ok  403 403 ok  404'],
    ofHilltopSet: [ofSet(newAssessment(michaelmas.id, maths.id), hilltopUpper.id), ' 403 404 404 404 404 404'],
  },
  update: {
    ...writeAssessment(changed({ title: 'Quiz one' })),
    weight: [{ ...byId(mathsQuiz.id), body: { weight: 2 } }, '403 403:assessments.shared 403 403:assessments.shared ok 404'],
    // Giving an assessment to a class asks for a right to it as it was and as it would be.
    takenForClass: [{ ...byId(scienceProject.id), body: { studentGroupId: class3B.id } }, '403 403 403 403 ok 404'],
    toHilltop: [{ ...byId(mathsQuiz.id), body: { studentGroupId: hilltopClass.id } }, '403 404 403 404 404 404'],
    toHilltopSet: [{ ...byId(mathsQuiz.id), body: { teachingSetId: hilltopUpper.id } }, '403 404 403 404 404 404'],
  },
  exclude: decideOnAssessment(changed({ isExcluded: true, exclusionReason: 'The paper had a mistake.' })),
  remove: decideOnAssessment(byId),
}

/** Writing a grade: where the student is in a class where the subject is the caller's, or that they lead. */
const writeGrade = (of: Of): Row => ({
  own: [of(gradeIds.own), '                                  403 ok  ok  403 ok  404'],
  english: [of(gradeIds.of(englishEssay, elan)), '           403 403 ok  403 ok  404'],
  ofOtherClass: [of(gradeIds.of(mathsQuiz, oisin)), '        403 403 403 ok  ok  404'],
  hilltop: [of(gradeIds.hilltop), '                          403 404 404 404 404 ok '],
  absent: [of(ABSENT), '                                     403 404 404 404 404 404'],
})
const mark = (assessment: { id: string }, student: { id: string }) => ({
  body: { assessmentId: assessment.id, studentId: student.id, score: 12 },
})
const marks = (assessment: { id: string }, ...students: { id: string }[]) => ({
  body: { assessmentId: assessment.id, grades: students.map(({ id }) => ({ studentId: id, score: 12 })) },
})

const followed = (studentGroupId: string, termId: string = michaelmas.id, subjectId: string = maths.id) => ({
  query: { termId, subjectId, studentGroupId },
})

export const gradeRows: Rows<typeof grades> = {
  list: staffUse((assessmentId) => ({ query: { assessmentId } }), assessmentIds),
  byTerm: {
    own: [{ query: { termId: michaelmas.id, subjectId: maths.id } }, '            403 ok  ok  ok  ok  404'],
    hilltop: [{ query: { termId: hilltopTerm.id, subjectId: hilltopMaths.id } }, '403 404 404 404 404 ok '],
  },
  events: {
    own: [followed(class3B.id), '            403 ok  ok  403 ok  404'],
    other: [followed(class3A.id), '          403 403 403 ok  ok  404'],
    foreignClass: [followed(hilltopClass.id), ' 403 403 403 403 404 404'],
    absentClass: [followed(ABSENT), '        403 403 403 403 404 404'],
    hilltop: [followed(hilltopClass.id, hilltopTerm.id, hilltopMaths.id), ' 403 404 404 404 404 ok '],
    absent: [followed(class3B.id, ABSENT), ' 403 404 404 404 404 404'],
  },
  create: {
    own: [mark(mathsExam, elan), '             403 ok  ok  403 ok  404'],
    irish: [mark(irishOral, lukasz), '         403 403 ok  403 ok  404'],
    ofOtherClass: [mark(mathsHilary, oisin), ' 403 403 403 ok  ok  404'],
    ofNoClass: [mark(mathsQuiz, wanderer), '   403 403 403 403 ok  404'],
    hilltop: [mark(hilltopExam, hilltopPupil), '403 404 404 404 404 409:grades.already_exists'],
    foreigner: [mark(mathsExam, hilltopPupil), '403 404 404 404 404 404'],
    atHilltop: [mark(hilltopExam, elan), '     403 404 404 404 404 404'],
  },
  bulk: {
    own: [marks(mathsExam, elan, zoe), '            403 ok  ok  403 ok  404'],
    irish: [marks(irishOral, lukasz), '             403 403 ok  403 ok  404'],
    mixed: [marks(mathsQuiz, elan, oisin), '        403 403 403 403 ok  404'],
    ofNoClass: [marks(mathsQuiz, elan, wanderer), ' 403 403 403 403 ok  404'],
    hilltop: [marks(hilltopExam, hilltopPupil), '   403 404 404 404 404 ok '],
    foreigner: [marks(mathsQuiz, elan, hilltopPupil), '403 404 404 404 404 404'],
  },
  update: writeGrade(changed({ score: 12 })),
  exclude: writeGrade(changed({ isExcluded: true, exclusionReason: 'was ill' })),
  remove: writeGrade(byId),
}

const past = (entity: string, id: string) => ({ query: { entity, id } })
/** An assessment that Ada deleted. */
export const binRows = ({ bin: { own, hilltop } }: HistoryIds): Rows<typeof bin> => ({
  list: { own: [{}, onlyStaff] },
  restore: {
    own: [byId(own), '       403 ok  403:admin_only 403:admin_only ok  404'],
    hilltop: [byId(hilltop), '403 404 404 404 404 ok '],
    absent: [byId(ABSENT), ' 403 404 404 404 404 404'],
  },
})
export const historyRows = ({ own, hilltop }: HistoryIds): Rows<typeof history> => ({
  list: {
    ...staffUse((id) => past('grade', id), gradeIds),
    class: [past('student_group', class3B.id), '              403 ok  ok  403 ok  404'],
    report: [past('report_book', draftReport.id), '           403 403 ok  403 ok  404'],
    hilltopReport: [past('report_book', hilltopReport.id), '  403 404 404 404 404 ok '],
    hilltopYear: [past('academic_year', hilltopYear.id), '    403 404 404 404 404 ok '],
  },
  undo: {
    own: [byId(own), '        403 ok  ok  403 ok  404'],
    hilltop: [byId(hilltop), '403 404 404 404 404 ok '],
    absent: [byId(ABSENT), '  403 404 404 404 404 404'],
  },
})

const ofStudent = (studentId: string) => ({ query: { studentId } })
export const auditRows: Rows<typeof audit> = {
  report: { own: [{}, onlyAdmins] },
  entries: {
    own: [{}, onlyAdmins],
    student: [ofStudent(zoe.id), '         403 403 403 403 ok  404'],
    hilltop: [ofStudent(hilltopPupil.id), '403 403 403 403 404 ok '],
    absent: [ofStudent(ABSENT), '          403 403 403 403 404 404'],
  },
  export: {
    own: [{}, onlyAdmins],
    student: [ofStudent(zoe.id), '         403 403 403 403 ok  404'],
    hilltop: [ofStudent(hilltopPupil.id), '403 403 403 403 404 ok '],
    absent: [ofStudent(ABSENT), '          403 403 403 403 404 404'],
  },
}

const file = (text: string) => ({ file: { name: 'table.csv', text } })
const newcomers = file('first_name,last_name,gender\nNóra,Daly,female\n')
const marksOf = (assessmentId: string, number: string) => ({ query: { assessmentId }, ...file(`student_number,score\n${number},15\n`) })
const place = (studentGroupId: string, termId: string, subjectId: string) => ({ query: { studentGroupId, termId, subjectId } })
const sheetOf = (studentGroupId: string) =>
  studentGroupId === hilltopClass.id
    ? place(studentGroupId, hilltopTerm.id, hilltopMaths.id)
    : place(studentGroupId, michaelmas.id, maths.id)
const groups = { own: class3B.id, other: class3A.id, hilltop: hilltopClass.id }
const sheet = (number: string, assessment: { title: string }) => file(`student_number,${assessment.title}\n${number},15\n`)

/** An import that Ada made. */
export const importRows = ({ imports: { own, hilltop } }: HistoryIds): Rows<typeof imports> => ({
  students: {
    all: [newcomers, onlyAdmins],
    ...setupWrite((academicYearId) => ({ query: { academicYearId }, ...newcomers }), { own: lastYear.id, hilltop: hilltopYear.id }),
  },
  grades: {
    own: [marksOf(mathsQuiz.id, 'SB-001'), '                  403 ok  ok  403 ok  404'],
    english: [marksOf(englishEssay.id, 'SB-001'), '           403 403 ok  403 ok  404'],
    ofOtherClass: [marksOf(mathsQuiz.id, 'SB-007'), '         403 403 403 ok  ok  404'],
    hilltop: [marksOf(hilltopExam.id, 'HILLTOP-MARKER-001'), '403 404 404 404 404 ok '],
    absent: [marksOf(ABSENT, 'SB-001'), '                     403 404 404 404 404 404'],
    sheet: [{ ...sheetOf(class3B.id), ...sheet('SB-001', mathsQuiz) }, '      403 ok  ok  403 ok  404'],
    englishSheet: [{ ...place(class3B.id, michaelmas.id, english.id), ...sheet('SB-001', englishEssay) }, '403 403 ok 403 ok 404'],
    hilltopSheet: [{ ...sheetOf(hilltopClass.id), ...sheet('HILLTOP-MARKER-001', hilltopExam) }, '403 403 403 403 404 ok'],
  },
  gradeSheet: readClass(sheetOf, groups),
  list: { own: [{}, onlyStaff] },
  undo: {
    own: [byId(own), '        403 ok  403 403 ok  404'],
    hilltop: [byId(hilltop), '403 404 404 404 404 ok '],
    absent: [byId(ABSENT), '  403 404 404 404 404 404'],
  },
})
