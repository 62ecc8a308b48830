import type { ClassSummary, ClassTerm, ClassYear, MissingMarks, StudentTerm, StudentYear } from '@markbook/shared/contract/calculations'
import { type Area, may } from '@markbook/shared/domain/access'
import type { Assessment, Grade } from '@markbook/shared/domain/marks'
import { missingMarks } from '@markbook/shared/domain/missing-marks'
import { type ClassInput, classTermResult, type StudentInput, unplacedTermResult } from '@markbook/shared/domain/results'
import { classSummary } from '@markbook/shared/domain/summary'
import { classYearResult, unplacedYearResult } from '@markbook/shared/domain/year-results'
import { common } from '@markbook/shared/failures'
import { groupedBy } from '@markbook/shared/grouped-by'
import type { Row } from '@markbook/shared/tables/tables'
import { pupilsTaughtInSets } from '../../replication/scope/teaching-sets.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { categoriesOfYear } from '../assessment-categories/assessment-categories.policy.ts'
import { gradingScaleOf } from '../grading-scale/grading-scale.policy.ts'
import { classFactsOf, classOf, demand, factsAbout, type PolicyContext, rowOf, termOf, yearOf } from '../policy.ts'
import { markCodesOf } from '../schools/mark-codes.policy.ts'
import { readableSet, withSitters } from '../teaching-sets/teaching-sets.policy.ts'
import { termsOfYear } from '../terms/terms.policy.ts'
import {
  assessmentsThatConcern,
  classInYear,
  codesInPlaceOfScores,
  gradesByStudent,
  studentsEnrolled,
  subjectsAssigned,
} from './calculations.queries.ts'

type Targets = Readonly<Record<string, string | undefined>>

/** A required id; throws 400 where the request does not name it. */
export function requiredId(targets: Targets, name: string): string {
  const id = targets[name]
  if (id === undefined) throw common.validationFailed({ issues: [{ path: name, message: 'is required' }] })
  return id
}

const otherYear = (path: string, of = 'class') =>
  common.validationFailed({ issues: [{ path, message: `is not of the year that the ${of} is in` }] })

/** Loads a class whose results the caller may see, and a term; throws 400 where the term is not of the class's year. */
export async function classAndTerm(context: PolicyContext, targets: Targets, area: Area = 'reports') {
  const { group, facts } = await classOf(context, area, requiredId(targets, 'studentGroupId'))
  const term = await termOf(context, requiredId(targets, 'termId'))
  if (term.academic_year_id !== group.academic_year_id) throw otherYear('termId')
  return { group, facts, term }
}

export async function classAndYear(context: PolicyContext, targets: Targets) {
  const { group } = await classOf(context, 'reports', requiredId(targets, 'studentGroupId'))
  const year = await yearOf(context, requiredId(targets, 'academicYearId'))
  if (year.id !== group.academic_year_id) throw otherYear('academicYearId')
  return { group, year }
}

/** The student's class in a year; null for a student without a class. */
export async function placeIn(tx: ReadTx, student: Pick<Row<'student'>, 'id' | 'school_id'>, yearId: string) {
  const [group] = await classInYear(tx, { school: student.school_id, student: student.id, year: yearId })
  return group ?? null
}

/**
 * Loads a student whose results the caller may see, and their class of that year; 404 for an absent student, 403 for one of a class that
 * is not the caller's.
 */
async function studentIn(context: PolicyContext, student: Row<'student'>, yearId: string): Promise<Row<'student_group'> | null> {
  const { role, is_active: isActive } = context.caller
  const group = await placeIn(context.tx, student, yearId)
  demand('readStudentResults', group ? factsAbout(context.caller, await classFactsOf(context, group.id)) : { role, isActive })
  return group
}

export async function studentAndTerm(context: PolicyContext, targets: Targets) {
  const student = await rowOf(context, 'student', requiredId(targets, 'studentId'))
  const term = await termOf(context, requiredId(targets, 'termId'))
  return { student, term, group: await studentIn(context, student, term.academic_year_id) }
}

export async function studentAndYear(context: PolicyContext, targets: Targets) {
  const student = await rowOf(context, 'student', requiredId(targets, 'studentId'))
  const year = await yearOf(context, requiredId(targets, 'academicYearId'))
  return { student, year, group: await studentIn(context, student, year.id) }
}

/** Loads a set that the caller may read, and a term; throws 400 where the term is not of the set's year. */
export async function setAndTerm(context: PolicyContext, targets: Targets) {
  const set = await readableSet(context, requiredId(targets, 'teachingSetId'))
  const term = await termOf(context, requiredId(targets, 'termId'))
  if (term.academic_year_id !== set.academic_year_id) throw otherYear('termId', 'set')
  return { set, term }
}

/** Whether the student is in a set of the subject that the caller teaches, who may then see the explanation of that subject. */
async function isTaughtInSet({ tx, caller }: PolicyContext, student: Row<'student'>, term: Row<'term'>, subject: Row<'subject'>) {
  if (!may('readStudentResults', { role: caller.role, isActive: caller.is_active, teachesClass: true })) return false
  const taught = await pupilsTaughtInSets(tx, { school: caller.school_id, user: caller.user_id, subject: subject.id, term: term.id })
  return taught.some(({ id }) => id === student.id)
}

/**
 * Loads a student, a term and a subject; absent ones are 404 before rights are checked. `seesOthers`: whether the caller may see results
 * of the student's other subjects; a teacher who only has the student in a set may not.
 */
export async function studentTermAndSubject(context: PolicyContext, targets: Targets) {
  const student = await rowOf(context, 'student', requiredId(targets, 'studentId'))
  const term = await termOf(context, requiredId(targets, 'termId'))
  const subject = await rowOf(context, 'subject', requiredId(targets, 'subjectId'))
  const group = await placeIn(context.tx, student, term.academic_year_id)
  const isBySet = group !== null && (await isTaughtInSet(context, student, term, subject))
  if (!isBySet) await studentIn(context, student, term.academic_year_id)
  const seesOthers = !isBySet || may('readStudentResults', factsAbout(context.caller, await classFactsOf(context, group.id)))
  return { student, term, subject, group, seesOthers }
}

type Group = Row<'student_group'>
type Term = Row<'term'>
type Year = Row<'academic_year'>
type Student = Row<'student'>

type Pupil = StudentInput & { gender: string }
/** The inputs of the results of some students in some terms (`ClassInput`), read in a few statements. */
export type ClassMarks<G extends string | null = string | null> = Omit<ClassInput<G>, 'students' | 'assessments'> & {
  students: Pupil[]
  assessments: (Assessment & { title: string; exclusion_reason: string | null; sort_order: number | null })[]
}

/** Every subject of the school. Also inactive ones, whose earlier marks stay part of the results. */
export const subjectsToName = rowsBy('subject', { school: 'school_id' }, { columns: ['id', 'name', 'code', 'sort_order'] })

/** All enrolled students of the class, with their marks in the terms. */
async function marksOfClass(tx: ReadTx, group: Group, terms: readonly Pick<Term, 'id'>[]): Promise<ClassMarks<string>> {
  const inClass = { school: group.school_id, group: group.id }
  const students = await studentsEnrolled(tx, inClass)
  const assigned = groupedBy(await subjectsAssigned(tx, inClass), ({ student_id }) => student_id)
  const subjectIdsOf = (studentId: string) => (assigned.get(studentId) ?? []).map(({ subject_id }) => subject_id)
  const pupils = students.map((student) => ({ ...student, subject_ids: subjectIdsOf(student.id) }))
  return marksOf(tx, group, group.id, terms, pupils)
}

/** One student without a class. */
const marksOfUnplaced = (tx: ReadTx, student: Student, year: string, terms: readonly Pick<Term, 'id'>[]): Promise<ClassMarks<null>> =>
  marksOf(tx, { school_id: student.school_id, academic_year_id: year }, null, terms, [{ ...student, subject_ids: [] }])

async function marksOf<G extends string | null>(
  tx: ReadTx,
  of: Pick<Group, 'school_id' | 'academic_year_id'>,
  group: G,
  terms: readonly Pick<Term, 'id'>[],
  students: readonly Omit<Pupil, 'grades'>[],
): Promise<ClassMarks<G>> {
  const school = of.school_id
  const termIds = JSON.stringify(terms.map(({ id }) => id))
  const asked = { school, students: JSON.stringify(students.map(({ id }) => id)), terms: termIds }
  const gradesByStudentId = new Map((await gradesByStudent(tx, asked)).map((row) => [row.student_id, gradesIn(row)]))
  const hasCodes = [...gradesByStudentId.values()].some((grades) => grades.some(({ score }) => score === null))
  if (hasCodes) addCodes(gradesByStudentId, await codesInPlaceOfScores(tx, asked))
  const ids = students.map(({ id }) => id)
  const all = await withSitters(tx, school, await assessmentsThatConcern(tx, { school, group, terms: termIds }))
  const assessments = concerning(all, { ids, gradesByStudentId })
  // Most schools have no categories, and then no query is needed.
  const hasCategories = assessments.some(({ category_id }) => category_id !== null)
  return {
    student_group_id: group,
    ...(hasCategories && { categories: await categoriesOfYear(tx, { school, year: of.academic_year_id }) }),
    scale: await gradingScaleOf(tx, of),
    ...(hasCodes && { codes: await markCodesOf(tx, school) }),
    subjects: await subjectsToName(tx, { school }),
    assessments,
    students: students.map((student) => ({ ...student, grades: gradesByStudentId.get(student.id) ?? [] })),
  }
}

type Concerned = { ids: readonly string[]; gradesByStudentId: ReadonlyMap<string, readonly Grade[]> }

/** Removes assessments of teaching sets in which none of the students is or has a mark. */
function concerning<A extends Assessment>(assessments: readonly A[], { ids, gradesByStudentId }: Concerned): A[] {
  if (assessments.every(({ studentsOfSet }) => studentsOfSet === undefined)) return [...assessments]
  const graded = new Set(ids.flatMap((id) => (gradesByStudentId.get(id) ?? []).map(({ assessment_id }) => assessment_id)))
  return assessments.filter(
    ({ id, studentsOfSet }) => !studentsOfSet || graded.has(id) || ids.some((student) => studentsOfSet.has(student)),
  )
}

/** Reading columns as separate arrays costs less than one array for each grade, in the database and here. */
function gradesIn(row: { assessment_ids: string; scores: string; exclusions: string }): Grade[] {
  const scores = JSON.parse(row.scores) as (number | null)[]
  const exclusions = JSON.parse(row.exclusions) as (boolean | 0 | 1)[]
  return (JSON.parse(row.assessment_ids) as string[]).map((assessment_id, at) => ({
    assessment_id,
    score: scores[at] ?? null,
    is_excluded: Boolean(exclusions[at]),
  }))
}

/** Few marks have a code, so codes are read separately; the covering index does not contain them. */
function addCodes(
  grades: ReadonlyMap<string, Grade[]>,
  codes: readonly Pick<Row<'grade'>, 'student_id' | 'assessment_id' | 'status'>[],
): void {
  for (const [student, own] of groupedBy(codes, ({ student_id }) => student_id)) {
    const statusByAssessment = new Map(own.map(({ assessment_id, status }) => [assessment_id, status]))
    for (const grade of grades.get(student) ?? [])
      if (grade.score === null) grade.status = statusByAssessment.get(grade.assessment_id) ?? null
  }
}

/** The results of a class in a term (decisions §5, `class-term`): students by last name, subjects in the school's order. */
export async function classTermResults(tx: ReadTx, group: Group, term: Term): Promise<ClassTerm> {
  return classTermResult({ ...(await marksOfClass(tx, group, [term])), term })
}

/** The results of a class over its year (`class-year`). `year` is the class's. */
export async function classYearResults(tx: ReadTx, group: Group, year: Year): Promise<ClassYear> {
  const terms = await termsOfYear(tx, { school: year.school_id, year: year.id })
  return classYearResult({ ...(await marksOfClass(tx, group, terms)), terms, year })
}

/** Both results from one reading of the marks. `term` is one of the year's. */
export async function classResultsOfYearAndTerm(tx: ReadTx, group: Group, year: Year, term: Term) {
  const terms = await termsOfYear(tx, { school: year.school_id, year: year.id })
  const marks = await marksOfClass(tx, group, terms)
  return { ofYear: classYearResult({ ...marks, terms, year }), ofTerm: classTermResult({ ...marks, term }) }
}

/** The figures of a class in a term (`class-summary`). */
export async function classTermSummary(tx: ReadTx, group: Group, term: Term): Promise<ClassSummary> {
  const marks = await marksOfClass(tx, group, [term])
  return classSummary({ result: classTermResult({ ...marks, term }), ...marks })
}

/** The missing marks of a class in a term (`missing-marks`). */
export async function classMissingMarks(tx: ReadTx, group: Group, term: Term): Promise<MissingMarks[]> {
  return missingMarks(await marksOfClass(tx, group, [term]))
}

/** The term result of a student without a class that year: without a position. */
export async function unplacedTermResults(tx: ReadTx, student: Student, term: Term): Promise<StudentTerm> {
  const marks = await marksOfUnplaced(tx, student, term.academic_year_id, [term])
  return unplacedTermResult({ ...marks, term }, marks.students[0] as Pupil)
}

/** The year result of a student without a class in it. */
export async function unplacedYearResults(tx: ReadTx, student: Student, year: Year): Promise<StudentYear> {
  const terms = await termsOfYear(tx, { school: year.school_id, year: year.id })
  const marks = await marksOfUnplaced(tx, student, year.id, terms)
  return unplacedYearResult({ ...marks, terms, year }, marks.students[0] as Pupil)
}

/** The marks of one student, in the class or without one: enough for an explanation, not for a position. */
export async function marksOfStudent(tx: ReadTx, student: Student, group: Group | null, term: Term): Promise<ClassMarks> {
  if (!group) return marksOfUnplaced(tx, student, term.academic_year_id, [term])
  const assigned = await subjectsAssigned(tx, { school: group.school_id, group: group.id })
  const subject_ids = assigned.filter(({ student_id }) => student_id === student.id).map(({ subject_id }) => subject_id)
  return marksOf(tx, group, group.id, [term], [{ ...student, subject_ids }])
}
