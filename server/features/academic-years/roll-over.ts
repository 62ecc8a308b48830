import { academicYearFailures, type academicYears, type RolledClass } from '@markbook/shared/contract/academic-years'
import { common, type Issue } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { z } from 'zod'
import type { WriteTx } from '../../store/tx.ts'
import { enrolmentsInYear, staysTeacher } from '../classes/classes.policy.ts'
import type { PolicyContext } from '../policy.ts'
import { makeTerms } from '../terms/terms.policy.ts'
import { classesOfYear } from './academic-years.policy.ts'
import { rollOverIssue } from './roll-over.issues.ts'
import { type Facts, type Opening, type Plan, planRollOver, sourcesOf } from './roll-over.plan.ts'
import {
  activeInYears,
  classesToRollOver,
  draftsOfPupils,
  formerClasses,
  placedInYear,
  pupilsNamed,
  pupilsOfClasses,
  subjectTeachersOfClasses,
  takersInClasses,
  teachersOfClasses,
} from './roll-over.queries.ts'
import { countsOfSets, type Placed, setsOfRollOver, writeSets } from './roll-over.sets.ts'
import { type Sources as StructureSources, structureToRollOver, writeStructure } from './roll-over.structure.ts'
import { termsOfRollOver } from './roll-over.terms.ts'

type Year = Row<'academic_year'>
type Wanted = z.infer<typeof academicYears.rollOver.body>
type RolledOver = z.infer<typeof academicYears.rollOver.reply>
type Context = PolicyContext & { tx: WriteTx }
type Leavers = readonly Row<'student'>[]
type Sources = StructureSources & { setsFrom: Year | null }
/** As many issues as a validation failure lists. */
const ISSUES_ANSWERED = 50

/** Creates the classes in `year`, which the caller has locked; all or nothing. A dry run returns the same and writes nothing. */
export async function rollOver(context: Context, year: Year, wanted: Wanted, sources: Sources, isDryRun: boolean): Promise<RolledOver> {
  const { tx } = context
  const { classes, leavingStudentIds: leavingIds = [], outOfSetsStudentIds: outOfSets = [] } = wanted
  const named = await pupilsNamed(tx, { school: year.school_id, ids: JSON.stringify(idsNamed(wanted)) })
  const facts = await factsOf(context, year, classes, named)
  const plan = planRollOver(classes, leavingIds, facts)
  const leavers = named.filter(({ id, is_active }) => is_active && leavingIds.includes(id))
  const structure = await structureToRollOver(tx, year, sources)
  const placed = await placedAfter(tx, year, plan)
  const sets = await setsOfRollOver(tx, year, { setsFrom: sources.setsFrom, outOfSets, placed })
  const terms = await termsOfRollOver(tx, year, wanted.terms)
  const taken = {
    categories: structure.categories.length,
    scale: structure.scale !== null,
    ...countsOfSets(sets),
    terms: terms.made.length,
  }
  const answer = { dry_run: isDryRun, ...(await counted(tx, year, facts, placed, leavers)), ...taken }
  const ofYear = [...plan.issues, ...strangers(outOfSets, facts), ...structure.issues, ...sets.issues, ...terms.issues]
  if (isDryRun) return { ...answer, classes: plan.openings.map((opening) => reported(opening, opening.intoClassId)), issues: ofYear }
  const issues = [
    ...plan.openings.flatMap((opening, at) => opening.issues.map((issue) => ({ ...issue, path: `classes.${at}.${issue.path}` }))),
    ...ofYear,
  ]
  if (issues.length > 0) throw academicYearFailures.rollOverIssues({ issues: issues.slice(0, ISSUES_ANSWERED) })
  const opened = plan.openings.map((opening) => ({ ...opening, id: opening.intoClassId ?? tx.newId() }))
  await write(tx, year, opened)
  await writeStructure(tx, year, structure)
  await writeSets(tx, year, sets)
  await makeTerms(tx, year, terms.made, terms.existing)
  await tx.update(
    'student',
    leavers.map((before) => ({ before, patch: { is_active: false } })),
  )
  return { ...answer, classes: opened.map((opening) => reported(opening, opening.id)), issues: [] }
}

const idsNamed = ({ classes, leavingStudentIds = [], outOfSetsStudentIds = [] }: Wanted) => [
  ...new Set([...classes.flatMap((one) => one.otherStudentIds ?? []), ...leavingStudentIds, ...outOfSetsStudentIds]),
]

const strangers = (outOfSets: readonly string[], { others }: Facts): Issue[] =>
  outOfSets.flatMap((id, at) => (others.has(id) ? [] : [rollOverIssue(`outOfSetsStudentIds.${at}`, 'not_of_school')]))

async function factsOf(context: Context, year: Year, wanted: readonly RolledClass[], named: Leavers): Promise<Facts> {
  const { tx } = context
  const school = year.school_id
  const chosen = [...new Set(wanted.flatMap(sourcesOf))]
  const of = { school, classes: JSON.stringify(chosen) }
  const classes = new Map((await classesToRollOver(tx, of)).map((group) => [group.id, group]))
  if (classes.size < chosen.length) throw common.notFound()
  const existing = new Map((await classesOfYear(tx, { school, year: year.id })).map((group) => [group.id, group.name]))
  for (const { intoClassId } of wanted) {
    if (intoClassId !== undefined && !existing.has(intoClassId) && !(await tx.find('student_group', school, intoClassId)))
      throw common.notFound()
  }
  const pupils = await pupilsOfClasses(tx, of)
  const others = await withFormerClass(tx, year, named)
  const ids = JSON.stringify([...pupils.map((pupil) => pupil.id), ...others.keys()])
  const taken = JSON.stringify([...new Set([...chosen, ...[...others.values()].flatMap(({ classId }) => classId ?? [])])])
  return {
    year,
    callerId: tx.actor ?? '',
    classes,
    pupils,
    others,
    teachers: await teachersOfClasses(tx, of),
    staff: await staffOf(context, wanted),
    subjectTeachers: await subjectTeachersOfClasses(tx, of),
    takers: await takersInClasses(tx, { school, classes: taken }),
    existing,
    places: new Map((await enrolmentsInYear(tx, { school, year: year.id, ids })).map((at) => [at.student_id, at.class_name])),
  }
}

/** The named pupils with the class that each had in the latest year before this one. */
async function withFormerClass(tx: WriteTx, year: Year, named: Leavers): Promise<Facts['others']> {
  const ids = JSON.stringify(named.map(({ id }) => id))
  const former = await formerClasses(tx, { school: year.school_id, ids, before: year.start_date })
  // The latest class comes last and overwrites the others.
  const classOfPupil = new Map(former.map(({ student_id, student_group_id }) => [student_id, student_group_id]))
  return new Map(
    named.map(({ id, first_name: firstName, last_name: lastName, is_active: isActive }) => [
      id,
      { id, firstName, lastName, isActive, classId: classOfPupil.get(id) ?? null },
    ]),
  )
}

async function staffOf(context: Context, wanted: readonly RolledClass[]): Promise<ReadonlySet<string>> {
  const staff = new Set<string>()
  const chosen = [...new Set(wanted.flatMap((one) => one.classTeacherId ?? []))].sort()
  for (const id of chosen) if (await staysTeacher(context, id)) staff.add(id)
  return staff
}

/** The pupils who already have a class in the year, and those who get one. */
async function placedAfter(tx: WriteTx, { id: year, school_id: school }: Year, { openings }: Plan): Promise<Placed> {
  const here = await placedInYear(tx, { school, year })
  return { before: new Set(here.map((at) => at.student_id)), now: new Set(openings.flatMap(({ studentIds }) => studentIds)) }
}

async function counted(tx: WriteTx, year: Year, facts: Facts, placed: Placed, leavers: Leavers) {
  const leaving = new Set(leavers.map(({ id }) => id))
  const years = JSON.stringify([...new Set([...facts.classes.values()].map((group) => group.year))])
  const active = await activeInYears(tx, { school: year.school_id, years })
  const drafts = await draftsOfPupils(tx, { school: year.school_id, ids: JSON.stringify([...leaving]) })
  return {
    left: leavers.length,
    left_with_drafts: new Set(drafts.map((book) => book.student_id)).size,
    unplaced: active.filter(({ id }) => !placed.before.has(id) && !placed.now.has(id) && !leaving.has(id)).length,
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
  const groups = opened.flatMap(({ id, name, intoClassId }) => (intoClassId === null ? [{ id, school_id, academic_year_id, name }] : []))
  const teachers = rowsOf(({ teacherIds }) => teacherIds.map((user_profile_id) => ({ user_profile_id, academic_year_id })))
  const teaching = rowsOf((opening) => opening.teaching.map((row) => ({ ...row, academic_year_id })))
  const places = rowsOf(({ studentIds }) => studentIds.map((student_id) => ({ student_id, academic_year_id, enrolled_at: tx.now })))
  const classTeachers = rowsOf(({ id, intoClassId, classTeacherId }) =>
    intoClassId === null ? [{ id, user_profile_id: classTeacherId }] : [],
  )
  const taking = rowsOf((opening) => opening.taking)
  await tx.insert('student_group', groups)
  await tx.insert('teacher_group_assignment', teachers)
  await tx.insert('class_teacher', classTeachers)
  await tx.insert('teacher_subject_assignment', teaching)
  await tx.insert('enrolment', places)
  await tx.insert('student_subject', taking)
}
