import { academicYearFailures, type RollOver } from '@markbook/shared/contract/academic-years'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { z } from 'zod'
import type { WriteTx } from '../../store/tx.ts'
import { enrolmentsInYear } from '../classes/classes.policy.ts'
import { classesOfYear } from './academic-years.policy.ts'
import { type Facts, type Opening, planRollOver, type Wanted } from './roll-over.plan.ts'
import { classesToRollOver, pupilsOfClasses, subjectTeachersOfClasses, takersInClasses, teachersOfClasses } from './roll-over.queries.ts'

type Year = Row<'academic_year'>
/** As many as a validation failure names. */
const ISSUES_ANSWERED = 50

/** Opens the classes in `year`, which the caller holds locked; whole or nothing. A dry run answers the same and writes nothing. */
export async function rollOver(tx: WriteTx, year: Year, wanted: readonly Wanted[], isDryRun: boolean): Promise<z.infer<typeof RollOver>> {
  const openings = planRollOver(wanted, await factsOf(tx, year, wanted))
  if (isDryRun) return { dry_run: true, classes: openings.map((opening) => reported(opening, null)) }
  const issues = openings.flatMap((opening, at) => opening.issues.map(({ path, message }) => ({ path: `classes.${at}.${path}`, message })))
  if (issues.length > 0) throw academicYearFailures.rollOverIssues({ issues: issues.slice(0, ISSUES_ANSWERED) })
  const opened = openings.map((opening) => ({ ...opening, id: tx.newId() }))
  await write(tx, year, opened)
  return { dry_run: false, classes: opened.map((opening) => reported(opening, opening.id)) }
}

async function factsOf(tx: WriteTx, year: Year, wanted: readonly Wanted[]): Promise<Facts> {
  const chosen = [...new Set(wanted.map((one) => one.fromClassId))]
  const of = { school: year.school_id, classes: JSON.stringify(chosen) }
  const classes = new Map((await classesToRollOver(tx, of)).map((group) => [group.id, group]))
  if (classes.size < chosen.length) throw common.notFound()
  const pupils = await pupilsOfClasses(tx, of)
  const ids = JSON.stringify(pupils.map((pupil) => pupil.id))
  return {
    year,
    callerId: tx.actor ?? '',
    classes,
    pupils,
    teachers: await teachersOfClasses(tx, of),
    subjectTeachers: await subjectTeachersOfClasses(tx, of),
    takers: await takersInClasses(tx, of),
    takenNames: new Set((await classesOfYear(tx, { school: year.school_id, year: year.id })).map((group) => group.name)),
    places: new Map(
      (await enrolmentsInYear(tx, { school: year.school_id, year: year.id, ids })).map((at) => [at.student_id, at.class_name]),
    ),
  }
}

const reported = ({ fromClassId, name, studentIds, teacherIds, teaching, taking, issues }: Opening, class_id: string | null) => ({
  from_class_id: fromClassId,
  name,
  students: studentIds.length,
  teachers: teacherIds.length,
  subjects: new Set([...teaching, ...taking].map((one) => one.subject_id)).size,
  class_id,
  issues,
})

type Opened = Opening & { id: string }

async function write(tx: WriteTx, { id: academic_year_id, school_id }: Year, opened: readonly Opened[]) {
  const rowsOf = <T>(make: (opening: Opened) => T[]) =>
    opened.flatMap((opening) => make(opening).map((row) => ({ school_id, student_group_id: opening.id, ...row })))
  const groups = opened.map(({ id, name }) => ({ id, school_id, academic_year_id, name }))
  const teachers = rowsOf(({ teacherIds }) => teacherIds.map((user_profile_id) => ({ user_profile_id, academic_year_id })))
  const teaching = rowsOf((opening) => opening.teaching.map((row) => ({ ...row, academic_year_id })))
  const places = rowsOf(({ studentIds }) => studentIds.map((student_id) => ({ student_id, academic_year_id, enrolled_at: tx.now })))
  const classTeachers = rowsOf(({ id, classTeacherId }) => [{ id, user_profile_id: classTeacherId }])
  const taking = rowsOf((opening) => opening.taking)
  await tx.insert('student_group', groups)
  await tx.insert('teacher_group_assignment', teachers)
  await tx.insert('class_teacher', classTeachers)
  await tx.insert('teacher_subject_assignment', teaching)
  await tx.insert('enrolment', places)
  await tx.insert('student_subject', taking)
}
