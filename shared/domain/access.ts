/**
 * The relation of a caller to a resource. `teacher`: a teacher of the school, assigned or not. `assignedTeacher`: assigned to the class
 * concerned in any way. `subjectTeacher`: assigned to the subject concerned there. `classTeacher`: of that class.
 */
type Relation = 'member' | 'teacher' | 'assignedTeacher' | 'subjectTeacher' | 'classTeacher' | 'admin'

type Rights = Readonly<Record<Relation, boolean>>

const everybody: Rights = {
  member: true,
  teacher: true,
  assignedTeacher: true,
  subjectTeacher: true,
  classTeacher: true,
  admin: true,
}
const staff: Rights = { ...everybody, member: false }
const admins: Rights = {
  member: false,
  teacher: false,
  assignedTeacher: false,
  subjectTeacher: false,
  classTeacher: false,
  admin: true,
}
const classTeachers: Rights = { ...admins, classTeacher: true }
const subjectTeachers: Rights = { ...classTeachers, subjectTeacher: true }
const assignedTeachers: Rights = { ...classTeachers, assignedTeacher: true }

/**
 * The rights table of decisions §2, one line per row. Which class is «the class concerned»:
 * - `writeAssessments`: for the subject teacher any class of the year where they teach the subject; for the class teacher the class that
 *   the assessment is for (`student_group_id`). So an assessment of the whole school gives no class teacher a right.
 * - `writeGrades`, `readStudentResults`: the student's class in that year. Importing grades is writing them.
 */
export const rights = {
  ownAccount: everybody,
  readSchoolSetup: everybody,
  writeSchoolSetup: admins,
  readStudents: staff,
  writeStudents: staff,
  createClass: staff,
  readClass: assignedTeachers,
  manageClass: classTeachers,
  takeAttendance: assignedTeachers,
  readAssessmentsAndGrades: staff,
  writeAssessments: subjectTeachers,
  writeGrades: subjectTeachers,
  readStudentResults: assignedTeachers,
  reports: classTeachers,
  writeReportEntry: subjectTeachers,
} as const satisfies Record<string, Rights>

export type Area = keyof typeof rights
type Role = 'admin' | 'teacher' | 'member'

/**
 * The caller, from rows read in this transaction. `role` and `isActive` are of the school that owns the resource (role null: none there);
 * the rest is about the class and subject concerned. Assignments count only for a teacher: they remain when a teacher is demoted.
 */
export type CallerFacts = {
  role: Role | null
  isActive: boolean
  isClassTeacher?: boolean
  teachesClass?: boolean
  teachesSubject?: boolean
}

/** Whether the caller has the right. The own account needs no school; everything else needs an active membership. */
export function may(area: Area, caller: CallerFacts): boolean {
  if (area === 'ownAccount') return true
  if (caller.role === null || !caller.isActive) return false
  return relationsOf(caller, caller.role).some((relation) => rights[area][relation])
}

function relationsOf(caller: CallerFacts, role: Role): Relation[] {
  if (role !== 'teacher') return [role]
  const relations: Relation[] = ['teacher']
  if (caller.teachesClass) relations.push('assignedTeacher')
  if (caller.teachesSubject) relations.push('subjectTeacher')
  if (caller.isClassTeacher) relations.push('classTeacher')
  return relations
}
