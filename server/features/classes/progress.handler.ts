import { type ClassProgress, classes } from '@markbook/shared/contract/classes'
import { byFoldedName } from '@markbook/shared/domain/fold'
import { isLocked } from '@markbook/shared/domain/report-moves'
import { inSubjectOrder } from '@markbook/shared/domain/subjects-taken'
import { isAllSent } from '@markbook/shared/domain/term-progress'
import { groupedBy } from '@markbook/shared/grouped-by'
import type { Row } from '@markbook/shared/tables/tables'
import type { SchoolCaller } from '../../http/caller.ts'
import { on } from '../../http/handler.ts'
import type { ReadTx } from '../../store/tx.ts'
import { assessmentsExpectingMarks } from '../assessment-categories/assessment-categories.policy.ts'
import { rowOf } from '../policy.ts'
import { codesToComeOf } from '../schools/mark-codes.policy.ts'
import { withSitters } from '../teaching-sets/teaching-sets.policy.ts'
import { classesFor, subjectsOfSchool } from './classes.queries.ts'
import { countMarks, keyOf } from './progress.count.ts'
import { booksByStatus, enrolledIn, givenIn, markedByStudent, subjectTeachersOfYear } from './progress.queries.ts'

type Term = Pick<Row<'term'>, 'id' | 'school_id' | 'academic_year_id'>
/** The progress of a class in a subject, before its books are known. */
type SubjectProgress = Omit<ClassProgress, 'is_sent'>
type Listed = Awaited<ReturnType<typeof classesFor>>[number]

/** The rows from which the figures of a term are counted. */
export async function factsOf(tx: ReadTx, { id: term, school_id: school, academic_year_id: year }: Term, listed: readonly Listed[]) {
  const groups = JSON.stringify(listed.map(({ id }) => id))
  const enrolled = await enrolledIn(tx, { school, groups })
  const students = JSON.stringify(enrolled.map(({ student_id }) => student_id))
  const given = await givenIn(tx, { school, groups })
  const assessments = await withSitters(tx, school, await assessmentsExpectingMarks(tx, { school, term }))
  const subjects = inSubjectOrder(await subjectsOfSchool(tx, { school }))
  const marked = await markedByStudent(tx, { school, students, term, toCome: await codesToComeOf(tx, school) })
  const subjectIds = subjects.map(({ id }) => id)
  const tallies = countMarks({ assessments, enrolled, given, marked }, subjectIds)
  return { teachers: await subjectTeachersOfYear(tx, { school, year }), assessments, enrolled, subjects, given, tallies }
}

/** The subjects of one class: those with a subject teacher there, those assigned to students, and those with an assessment for it. */
export function progressOf(facts: Awaited<ReturnType<typeof factsOf>>, group: Listed, caller: SchoolCaller): SubjectProgress[] {
  const isClassTeacher = group.class_teacher_id === caller.user_id
  const taught = facts.teachers.filter(({ student_group_id }) => student_group_id === group.id)
  const given = new Set(facts.given.flatMap((row) => (row.student_group_id === group.id ? row.subject_id : [])))
  return facts.subjects.flatMap(({ id, name, code, is_active }) => {
    const teachers = taught.filter(({ subject_id }) => subject_id === id)
    const is_own = teachers.some(({ user_profile_id }) => user_profile_id === caller.user_id)
    if (!is_own && !isClassTeacher && caller.role !== 'admin') return []
    const { takers = 0, recorded = 0, ofSets = new Map<string, number>() } = facts.tallies.get(keyOf(group.id, id)) ?? {}
    const whole = facts.assessments.filter(
      ({ subject_id, student_group_id: of, studentsOfSet }) => subject_id === id && (of === null || of === group.id) && !studentsOfSet,
    ).length
    // Includes those of teaching sets with students of the class; only these students get a mark in them.
    const assessments = whole + ofSets.size
    const expected = [...ofSets.values()].reduce((sum, students) => sum + students, whole * takers)
    const isThere = assessments > 0 ? teachers.length > 0 || takers > 0 : is_active && (teachers.length > 0 || given.has(id))
    if (!isThere) return []
    const figures = { assessments, expected, recorded }
    const place = { class: { id: group.id, name: group.name }, is_class_teacher: isClassTeacher }
    return [{ ...place, is_own, subject: { id, name, code }, ...figures }]
  })
}

/** The rule is in docs/design/results.md. */
export const progress = on(classes.progress, {
  load: (context, { targets }) => rowOf(context, 'term', targets['termId']),
  run: async ({ tx, caller }, _input, term) => {
    const all = await classesFor(tx, caller)
    const groups = all.filter((group) => group.academic_year_id === term.academic_year_id).sort(byFoldedName)
    const facts = await factsOf(tx, term, groups)
    const books = groupedBy(await booksByStatus(tx, { school: term.school_id, term: term.id }), ({ student_group_id }) => student_group_id)
    const isSent = ({ id }: Listed) => {
      const sum = (counts: { count: number }[]) => counts.reduce((all, { count }) => all + count, 0)
      const own = books.get(id) ?? []
      const students = facts.enrolled.filter(({ student_group_id }) => student_group_id === id).length
      return isAllSent({ students, books: { made: sum(own), sent: sum(own.filter(({ status }) => isLocked(status))) } })
    }
    return groups.flatMap((group) => progressOf(facts, group, caller).map((row) => ({ ...row, is_sent: isSent(group) })))
  },
})
