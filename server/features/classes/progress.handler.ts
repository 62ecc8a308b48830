import { type ClassProgress, classes } from '@markbook/shared/contract/classes'
import { compareText, fold } from '@markbook/shared/domain/fold'
import { inSubjectOrder } from '@markbook/shared/domain/subjects-taken'
import type { Row } from '@markbook/shared/tables/tables'
import type { SchoolCaller } from '../../http/caller.ts'
import { on } from '../../http/handler.ts'
import type { ReadTx } from '../../store/tx.ts'
import { rowOf } from '../policy.ts'
import { classesOfSchool, classesOfTeacher, subjectsOfSchool } from './classes.queries.ts'
import { classSizes, countedAssessments, givenSubjects, recordedMarks, subjectTeachersOfYear } from './progress.queries.ts'

const keyOf = ({ group_id, subject_id }: { group_id: string; subject_id: string }) => `${group_id} ${subject_id}`
type Term = Pick<Row<'term'>, 'id' | 'school_id' | 'academic_year_id'>
type Listed = Awaited<ReturnType<typeof classesOfSchool>>[number]

/** What the figures of a term are made of, by class and subject. */
async function factsOf(tx: ReadTx, { id: term, school_id: school, academic_year_id: year }: Term, groups: readonly Listed[]) {
  const inYear = { school, year }
  const sizes = await classSizes(tx, inYear)
  const given = await givenSubjects(tx, inYear)
  const recorded = await recordedMarks(tx, { ...inYear, term, groups: JSON.stringify(groups.map(({ id }) => id)) })
  return {
    teachers: await subjectTeachersOfYear(tx, inYear),
    assessments: await countedAssessments(tx, { school, term }),
    subjects: inSubjectOrder(await subjectsOfSchool(tx, { school })),
    sizeByGroup: new Map(sizes.map((size) => [size.group_id, size])),
    givenByKey: new Map(given.map((row) => [keyOf(row), row.students])),
    recordedByKey: new Map(recorded.map((row) => [keyOf(row), row.marks])),
  }
}
type Facts = Awaited<ReturnType<typeof factsOf>>

/** The subjects of one class: those that somebody teaches there, that students were given, or that have an assessment for it. */
function progressOf(facts: Facts, group: Listed, caller: SchoolCaller): ClassProgress[] {
  const isClassTeacher = group.class_teacher_id === caller.user_id
  const taught = facts.teachers.filter(({ group_id }) => group_id === group.id)
  const { students = 0, choosing = 0 } = facts.sizeByGroup.get(group.id) ?? {}
  return facts.subjects.flatMap(({ id: subject_id, name, code, is_active }) => {
    const key = keyOf({ group_id: group.id, subject_id })
    const is_own = taught.some((row) => row.subject_id === subject_id && row.user_id === caller.user_id)
    const isTaught = taught.some((row) => row.subject_id === subject_id)
    const assessments = facts.assessments.filter(
      (one) => one.subject_id === subject_id && (one.group_id === null || one.group_id === group.id),
    ).length
    const given = facts.givenByKey.get(key) ?? 0
    const takers = given + students - choosing
    const isThere = assessments > 0 ? isTaught || takers > 0 : is_active && (isTaught || given > 0)
    if (!isThere || !(is_own || isClassTeacher || caller.role === 'admin')) return []
    const figures = { assessments, expected: assessments * takers, recorded: facts.recordedByKey.get(key) ?? 0 }
    return [
      {
        class: { id: group.id, name: group.name },
        is_class_teacher: isClassTeacher,
        is_own,
        subject: { id: subject_id, name, code },
        ...figures,
      },
    ]
  })
}

const byName = (a: Listed, b: Listed) => compareText(fold(a.name), fold(b.name)) || compareText(a.id, b.id)

/** Decision 332. */
export const progress = on(classes.progress, {
  load: (scene, { targets }) => rowOf(scene, 'term', targets['termId']),
  run: async ({ tx, caller }, _asked, term) => {
    const listed = caller.role === 'admin' ? classesOfSchool : classesOfTeacher
    const all = await listed(tx, { school: term.school_id, user: caller.user_id })
    const groups = all.filter((group) => group.academic_year_id === term.academic_year_id).sort(byName)
    const facts = await factsOf(tx, term, groups)
    return groups.flatMap((group) => progressOf(facts, group, caller))
  },
})
