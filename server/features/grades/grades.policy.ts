import { gradeFailures } from '@markbook/shared/contract/grades'
import { may } from '@markbook/shared/domain/access'
import { type EnteredMark, type MarkFault, type MarkValue, markAfter } from '@markbook/shared/domain/mark-codes'
import { common, type Issue } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { pupilsTaughtInSets } from '../../replication/scope/teaching-sets.ts'
import { isUniqueViolation } from '../../store/errors.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { lockedAssessment } from '../assessments/assessments.policy.ts'
import { columnsOf } from '../columns.ts'
import { type ClassFacts, factsAbout, type PolicyContext, teachingInYear } from '../policy.ts'
import { failureFor, orNotFound } from '../references.ts'
import { markCodesOf } from '../schools/mark-codes.policy.ts'
import { studentsOfSets } from '../teaching-sets/teaching-sets.policy.ts'
import { gradeById, gradesOfStudents, studentsInYear } from './grades.queries.ts'

type Assessment = Row<'assessment'>
/** A student, and their class in the year of the assessment. */
export type GradedStudent = { id: string; group_id: string | null }
/** Whether the caller may write the grade of a student. */
export type MayWrite = (student: GradedStudent) => boolean
/** `byClass`: rights through the student's class; `bySet`: those, or through a teaching set. Sets are read at the first call. */
export type GradeRights = { byClass: MayWrite; bySet: () => Promise<MayWrite> }

const nothing: ClassFacts = { teachesClass: false, isClassTeacher: false, subjectIds: new Set() }

async function classesTaught({ tx, caller }: PolicyContext, assessment: Assessment): Promise<Map<string, ClassFacts>> {
  const rows = await teachingInYear(tx, { school: caller.school_id, user: caller.user_id, term: assessment.term_id })
  const classes = new Map<string, ClassFacts>()
  for (const { group_id, class_teacher_id, subject_id } of rows) {
    const subjects = [...(classes.get(group_id)?.subjectIds ?? []), ...(subject_id === null ? [] : [subject_id])]
    classes.set(group_id, { teachesClass: true, isClassTeacher: class_teacher_id === caller.user_id, subjectIds: new Set(subjects) })
  }
  return classes
}

/**
 * The caller's rights to the grades of an assessment. Throws 403 where there is no class in which the caller may write its grades, so that
 * a teacher of other subjects is refused before anything else (decisions §1, order of checks).
 */
export async function gradeRights(context: PolicyContext, assessment: Assessment): Promise<GradeRights> {
  const { caller } = context
  if (caller.role === 'admin') return { byClass: () => true, bySet: async () => () => true }
  const { subject_id: subject, term_id: term } = assessment
  const classes = await classesTaught(context, assessment)
  const mayWriteIn = (groupId: string) => may('writeGrades', factsAbout(caller, classes.get(groupId) ?? nothing, subject))
  const byClass: MayWrite = ({ group_id }) => group_id !== null && mayWriteIn(group_id)
  const pupilsOfSets = async (): Promise<ReadonlySet<string>> => {
    if (!may('writeGrades', factsAbout(caller, { ...nothing, subjectIds: new Set([subject]) }, subject))) return new Set()
    const asked = { school: caller.school_id, user: caller.user_id, subject, term }
    return new Set((await pupilsTaughtInSets(context.tx, asked)).map(({ id }) => id))
  }
  let known: ReadonlySet<string> | undefined
  if (![...classes.keys()].some(mayWriteIn)) {
    known = await pupilsOfSets()
    if (known.size === 0) throw gradeFailures.notYourSubject()
  }
  const bySet = async (): Promise<MayWrite> => {
    const inSets = known ?? (await pupilsOfSets())
    known = inSets
    return (student) => byClass(student) || (student.group_id !== null && inSets.has(student.id))
  }
  return { byClass, bySet }
}

/** The students, in the given order; 404 where one does not exist in the school, 403 where the caller may not write one's grade. */
export async function gradedStudentsFor(
  { tx }: PolicyContext,
  assessment: Assessment,
  rights: GradeRights,
  ids: readonly string[],
): Promise<GradedStudent[]> {
  const found = await studentsInYear(tx, { school: assessment.school_id, term: assessment.term_id, ids: JSON.stringify(ids) })
  const byId = new Map(found.map((student) => [student.id, student]))
  const gradedStudents = ids.flatMap((id) => byId.get(id) ?? [])
  if (gradedStudents.length !== ids.length) throw common.notFound()
  const mayWrite = gradedStudents.every(rights.byClass) ? rights.byClass : await rights.bySet()
  const issues = gradedStudents.flatMap((student, at): Issue[] =>
    mayWrite(student) ? [] : [{ path: `grades.${at}.studentId`, message: 'is not in a class or set where you teach this subject' }],
  )
  if (issues.length > 0) throw gradeFailures.notYourSubject(ids.length > 1 ? { issues } : {})
  return gradedStudents
}

/** Loads a grade that the caller may write, locked after its assessment. */
export async function lockedGrade(context: PolicyContext, id: string): Promise<{ assessment: Assessment; grade: Row<'grade'> }> {
  const { tx, caller } = context
  const [known] = await gradeById(tx, { school: caller.school_id, id })
  if (!known) throw common.notFound()
  const assessment = await lockedAssessment(context, known.assessment_id)
  const grade = await tx.find('grade', caller.school_id, id)
  if (!grade) throw common.notFound()
  await gradedStudentsFor(context, assessment, await gradeRights(context, assessment), [grade.student_id])
  return { assessment, grade }
}

type Grade = Row<'grade'>
/** The change to one student's mark; absent fields keep their value. */
export type MarkChange = EnteredMark & { remarks?: string | null | undefined }

/** The path of an issue: a field of the mark at an index of the list. */
type PathOf = (at: number, field: string) => string
const alone: PathOf = (_at, field) => field

/** Throws 400 for a score above the assessment's maximum. */
export function demandWithinMaximum({ max_score }: Assessment, marks: readonly Pick<MarkValue, 'score'>[], pathOf = alone): void {
  const issues = marks.flatMap(({ score }, at): Issue[] =>
    score !== null && score > max_score
      ? [{ path: pathOf(at, 'score'), message: `must be at most ${max_score}, the maximum of the assessment` }]
      : [],
  )
  if (issues.length > 0) throw gradeFailures.aboveMaximum({ issues })
}

const FAULTS = {
  unknown_code: ['status', 'is none of the school’s codes', gradeFailures.unknownCode],
  code_or_score: ['score', 'must be absent, for this code stands in the place of a score', gradeFailures.codeOrScore],
  needs_score: ['score', 'may be null only with a status', common.validationFailed],
} as const satisfies Record<MarkFault, unknown>

/** Computes each mark from the present one (null: none yet) and the change; throws 400 with the issues of all marks. */
async function marksAfter(
  tx: ReadTx,
  assessment: Assessment,
  said: readonly { before: MarkValue | null; entered: EnteredMark }[],
  pathOf: PathOf,
): Promise<MarkValue[]> {
  const hasCode = said.some(({ before, entered }) => (entered.status ?? before?.status ?? null) !== null)
  const codes = hasCode ? await markCodesOf(tx, assessment.school_id) : []
  const after = said.map(({ before, entered }) => markAfter(before, entered, codes))
  for (const [fault, [field, message, failure]] of Object.entries(FAULTS)) {
    const issues = after.flatMap((value, at): Issue[] => (value === fault ? [{ path: pathOf(at, field), message }] : []))
    if (issues.length > 0) throw failure({ issues })
  }
  const values = after.filter((value) => typeof value !== 'string')
  demandWithinMaximum(assessment, values, pathOf)
  return values
}

async function markAlone(tx: ReadTx, assessment: Assessment, before: MarkValue | null, entered: EnteredMark): Promise<MarkValue> {
  const [value] = await marksAfter(tx, assessment, [{ before, entered }], alone)
  return value as MarkValue
}

type Sitting = { studentId: string; at: number }
/**
 * Throws 400 where an assessment is not for one of the students: an assessment of a class is only for that class (decisions §4), one of a
 * teaching set only for the set's students.
 */
export async function demandFor(
  tx: ReadTx,
  assessment: Assessment,
  gradedStudents: readonly GradedStudent[],
  pathOf = (_at: number) => 'studentId',
): Promise<void> {
  demandInClassOf(assessment, gradedStudents, pathOf)
  const outside = await outsideSet(
    tx,
    assessment,
    gradedStudents.map(({ id: studentId }, at) => ({ studentId, at })),
  )
  if (outside.length === 0) return
  throw gradeFailures.outsideSet({
    issues: outside.map(({ at }): Issue => ({ path: pathOf(at), message: 'is not in the teaching set of this assessment' })),
  })
}

/** The students who are not in the set of an assessment. A student with a mark in it was in the set at that time, and keeps the mark. */
async function outsideSet(
  tx: ReadTx,
  { id, school_id: school, teaching_set_id: set }: Assessment,
  students: readonly Sitting[],
): Promise<Sitting[]> {
  if (set === null) return []
  const own = (await studentsOfSets(tx, school, [set])).get(set)?.student_ids
  const others = students.filter(({ studentId }) => !own?.has(studentId))
  if (others.length === 0) return []
  const asked = { school, assessment: id, ids: JSON.stringify(others.map(({ studentId }) => studentId)) }
  const marked = new Set((await gradesOfStudents(tx, asked)).map(({ student_id }) => student_id))
  return others.filter(({ studentId }) => !marked.has(studentId))
}

function demandInClassOf({ student_group_id }: Assessment, gradedStudents: readonly GradedStudent[], pathOf: (at: number) => string): void {
  if (student_group_id === null) return
  const issues = gradedStudents.flatMap(({ group_id }, at): Issue[] =>
    group_id === student_group_id ? [] : [{ path: pathOf(at), message: 'is not in the class of this assessment' }],
  )
  if (issues.length > 0) throw gradeFailures.outsideClass({ issues })
}

const rowFor = (assessment: Assessment, student: string, mark: MarkValue & Pick<MarkChange, 'remarks'>) => ({
  school_id: assessment.school_id,
  assessment_id: assessment.id,
  term_id: assessment.term_id,
  student_id: student,
  is_excluded: false,
  ...columnsOf(mark),
})

export async function createGrade(
  tx: WriteTx,
  assessment: Assessment,
  student: string,
  { remarks, ...entered }: MarkChange,
): Promise<Grade> {
  const value = await markAlone(tx, assessment, null, entered)
  const known = await gradesOfStudents(tx, { school: assessment.school_id, assessment: assessment.id, ids: JSON.stringify([student]) })
  if (known.length > 0) throw gradeFailures.alreadyExists()
  return tx
    .insert('grade', rowFor(assessment, student, { ...value, remarks }))
    .catch(failureFor(isUniqueViolation, gradeFailures.alreadyExists))
    .catch(orNotFound)
}

export async function changeGrade(tx: WriteTx, assessment: Assessment, before: Grade, { remarks, ...entered }: MarkChange): Promise<Grade> {
  return tx.update('grade', before, columnsOf({ ...(await markAlone(tx, assessment, before, entered)), remarks }))
}

/**
 * Writes marks of students in an assessment that the transaction has locked: updates existing grades and inserts the others. The number of
 * statements is independent of the number of marks, and equal values write nothing. Returns the rows in order.
 */
export async function recordGrades(
  tx: WriteTx,
  assessment: Assessment,
  marks: readonly (MarkChange & { studentId: string })[],
): Promise<Grade[]> {
  const ids = JSON.stringify(marks.map(({ studentId }) => studentId))
  const known = await gradesOfStudents(tx, { school: assessment.school_id, assessment: assessment.id, ids })
  const knownByStudent = new Map(known.map((grade) => [grade.student_id, grade]))
  const said = marks.map(({ studentId, score, status }) => ({ before: knownByStudent.get(studentId) ?? null, entered: { score, status } }))
  const values = await marksAfter(tx, assessment, said, (at, field) => `grades.${at}.${field}`)
  const after = marks.map(({ studentId, remarks }, at) => ({
    student: studentId,
    before: knownByStudent.get(studentId),
    mark: { ...(values[at] as MarkValue), remarks },
  }))
  const rows = after.flatMap(({ student, before, mark }) => (before ? [] : [rowFor(assessment, student, mark)]))
  const inserted = await tx.insert('grade', rows).catch(orNotFound)
  const changes = after.flatMap(({ before, mark }) => (before ? [{ before, patch: columnsOf(mark) }] : []))
  const rowByStudent = new Map([...inserted, ...(await tx.update('grade', changes))].map((grade) => [grade.student_id, grade]))
  return marks.flatMap(({ studentId }) => rowByStudent.get(studentId) ?? [])
}
