import type { classes } from '@markbook/shared/contract/classes'
import { elan, fatima, hilltopPupil, mei, wanderer } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import {
  class3A,
  class3B,
  hilltopClass,
  hilltopMaths,
  hilltopTerm,
  hilltopYear,
  irish,
  maths,
  michaelmas,
  science,
  thisYear,
} from '@markbook/shared/story/school-year'
import { manageClass, onlyStaff, type Rows, readClass, staffUse } from './row.ts'

const groups = { own: class3B.id, other: class3A.id, hilltop: hilltopClass.id }
const years = { own: thisYear.id, hilltop: hilltopYear.id }
const byClass = (classId: string) => ({ params: { classId } })
const byId = (id: string) => ({ params: { id } })
/** What fits the class that is asked for: everything of Hilltop's for its class, so that nothing else stands in the way. */
const at = <T>(classId: string, own: T, other: T, ofHilltop: T): T => {
  if (classId === hilltopClass.id) return ofHilltop
  return classId === class3A.id ? other : own
}
const newcomer = (classId: string) => at(classId, people.quinn.id, people.ada.id, people.marker.id)
const pupil = (classId: string) => at(classId, mei.id, fatima.id, hilltopPupil.id)
const subject = (classId: string) => at(classId, maths.id, science.id, hilltopMaths.id)
const elsewhere = 'already_enrolled'

const teacherRows: Pick<Rows<typeof classes>, 'teachers' | 'addTeacher' | 'removeTeacher' | 'handOver'> = {
  teachers: readClass(byClass, groups),
  addTeacher: {
    ...manageClass((classId) => ({ ...byClass(classId), body: { teacherId: newcomer(classId), subjectIds: [subject(classId)] } }), groups),
    aMember: [{ ...byClass(class3B.id), body: { teacherId: people.niamh.id, subjectIds: [maths.id] } }, '403 403 404 403 404 404'],
  },
  removeTeacher: {
    own: [{ params: { classId: class3B.id, teacherId: people.ada.id } }, '           403 403 ok  403 ok  404'],
    other: [{ params: { classId: class3A.id, teacherId: people.ada.id } }, '         403 403 403 404 404 404'],
    hilltop: [{ params: { classId: hilltopClass.id, teacherId: people.ada.id } }, '  403 403 403 403 404 404'],
    classTeacher: [
      { params: { classId: class3B.id, teacherId: people.byrne.id } },
      '403 403 403:classes.class_teacher_stays 403 403:classes.class_teacher_stays 404',
    ],
  },
  handOver: manageClass((classId) => ({ ...byClass(classId), body: { teacherId: newcomer(classId) } }), groups),
}

const enrolmentRows: Pick<Rows<typeof classes>, 'students' | 'enroll' | 'enrollBulk' | 'unenroll'> = {
  students: readClass(byId, groups),
  enroll: {
    ...manageClass((id) => ({ ...byId(id), body: { studentId: at(id, wanderer.id, wanderer.id, hilltopPupil.id) } }), groups),
    whoIsElsewhere: [{ ...byId(class3B.id), body: { studentId: fatima.id } }, `403 403 409:${elsewhere} 403 409:${elsewhere} 404`],
  },
  enrollBulk: {
    ...manageClass((id) => ({ ...byId(id), body: { studentIds: [at(id, wanderer.id, wanderer.id, hilltopPupil.id)] } }), groups),
    withHilltop: [{ ...byId(class3B.id), body: { studentIds: [wanderer.id, hilltopPupil.id] } }, '403 403 404 403 404 404'],
  },
  unenroll: {
    ...manageClass((id) => ({ params: { id, studentId: pupil(id) } }), groups),
    whoIsElsewhere: [{ params: { id: class3B.id, studentId: fatima.id } }, '403 403 404 403 404 404'],
  },
}

const studentSubjectRows: Pick<
  Rows<typeof classes>,
  'studentSubjects' | 'subjectsTaken' | 'assignSubjects' | 'assignSubjectBulk' | 'removeStudentSubject'
> = {
  studentSubjects: readClass((id) => ({ params: { id, sid: pupil(id) } }), groups),
  subjectsTaken: readClass(byId, groups),
  assignSubjects: {
    ...manageClass((id) => ({ ...byId(id), body: { studentId: pupil(id), subjectIds: [subject(id)] } }), groups),
    whoIsElsewhere: [
      { ...byId(class3B.id), body: { studentId: fatima.id, subjectIds: [maths.id] } },
      '403 403 400:classes.not_enrolled 403 400:classes.not_enrolled 404',
    ],
  },
  assignSubjectBulk: {
    ...manageClass((id) => ({ ...byId(id), body: { subjectId: subject(id), studentIds: [pupil(id)] } }), groups),
    withHilltop: [
      { ...byId(class3B.id), body: { subjectId: maths.id, studentIds: [elan.id, hilltopPupil.id] } },
      '403 403 404 403 404 404',
    ],
  },
  removeStudentSubject: {
    own: [{ params: { id: class3B.id, sid: mei.id, subjectId: irish.id } }, '403 403 ok  403 ok  404'],
    other: [{ params: { id: class3A.id, sid: fatima.id, subjectId: irish.id } }, '403 403 403 404 404 404'],
    hilltop: [{ params: { id: hilltopClass.id, sid: hilltopPupil.id, subjectId: hilltopMaths.id } }, '403 403 403 403 404 ok'],
  },
}

export const classRows: Rows<typeof classes> = {
  schoolTeachers: { own: [{}, onlyStaff] },
  places: staffUse((academicYearId) => ({ query: { academicYearId } }), years),
  progress: staffUse((termId) => ({ query: { termId } }), { own: michaelmas.id, hilltop: hilltopTerm.id }),
  list: { all: [{}, onlyStaff], ...staffUse((academicYearId) => ({ query: { academicYearId } }), years) },
  create: {
    ...staffUse((academicYearId) => ({ body: { name: '3C', academicYearId } }), years),
    withSubjects: [{ body: { name: '3D', academicYearId: thisYear.id, subjectIds: [maths.id] } }, '403 ok ok ok ok 404'],
    withHilltopSubject: [{ body: { name: '3E', academicYearId: thisYear.id, subjectIds: [hilltopMaths.id] } }, '403 404 404 404 404 404'],
  },
  get: readClass(byClass, groups),
  update: manageClass((classId) => ({ ...byClass(classId), body: { name: 'Three' } }), groups),
  remove: {
    ...manageClass(byClass, groups),
    // A report of 3B went to the ministry.
    own: [byClass(class3B.id), '403 403 409:classes.sent_reports 403 409:classes.sent_reports 404'],
  },
  mySubjects: readClass(byClass, groups),
  ...teacherRows,
  ...enrolmentRows,
  ...studentSubjectRows,
}
