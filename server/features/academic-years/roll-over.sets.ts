import type { Issue } from '@markbook/shared/failures'
import { groupedBy } from '@markbook/shared/grouped-by'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { setsOfYear } from '../teaching-sets/teaching-sets.policy.ts'
import { rollOverIssue } from './roll-over.issues.ts'
import { activeMembersOfSets, setsToRollOver, teachersOfSetsWhoStay } from './roll-over.queries.ts'

type Year = Row<'academic_year'>
/** The pupils with a class in the year: before this roll-over, and through it. */
export type Placed = { before: ReadonlySet<string>; now: ReadonlySet<string> }
type Wanted = { setsFrom: Year | null; outOfSets: readonly string[]; placed: Placed }
type NewSet = Pick<Row<'teaching_set'>, 'subject_id' | 'name'> & { teacherIds: string[]; studentIds: string[] }
/** `joining`: pupils added to a set that the year already has. */
export type RolledSets = { made: NewSet[]; joining: { set: Row<'teaching_set'>; studentIds: string[] }[]; issues: Issue[] }

const kindOf = ({ subject_id, name }: Pick<Row<'teaching_set'>, 'subject_id' | 'name'>) => `${subject_id} ${name}`
const PATH = 'setsFromYearId'

/**
 * The sets to copy into `year`, of active subjects, with the pupils who have a class in it afterwards. An existing set only receives the
 * pupils who get their class now, so that a second run places those who were forgotten.
 */
export async function setsOfRollOver(tx: ReadTx, year: Year, { setsFrom, outOfSets, placed }: Wanted): Promise<RolledSets> {
  if (!setsFrom) return { made: [], joining: [], issues: [] }
  const issues: Issue[] = setsFrom.start_date < year.start_date ? [] : [rollOverIssue(PATH, 'no_earlier_year')]
  const [from, into] = [setsFrom, year].map(({ id }) => ({ school: year.school_id, year: id })) as [InYear, InYear]
  const existing = await setsOfYear(tx, into)
  const known = new Map(existing.map((set) => [kindOf(set), set]))
  const former = await setsToRollOver(tx, from)
  const teachers = groupedBy(await teachersOfSetsWhoStay(tx, from), ({ set }) => set)
  const members = groupedBy(await activeMembersOfSets(tx, from), ({ set }) => set)
  const here = groupedBy(await activeMembersOfSets(tx, into), ({ set }) => set)
  const out = new Set(outOfSets)
  const goingOn = (set: string) => (members.get(set) ?? []).flatMap(({ student }) => (out.has(student) ? [] : [student]))
  const made = former
    .filter((set) => !known.has(kindOf(set)))
    .map(({ id, subject_id, name }) => ({
      subject_id,
      name,
      teacherIds: (teachers.get(id) ?? []).map(({ teacher }) => teacher),
      studentIds: goingOn(id).filter((student) => placed.before.has(student) || placed.now.has(student)),
    }))
  const joining = former.flatMap((one) => {
    const set = known.get(kindOf(one))
    const own = new Set(here.get(set?.id ?? '')?.map(({ student }) => student))
    return set ? [{ set, studentIds: goingOn(one.id).filter((student) => placed.now.has(student) && !own.has(student)) }] : []
  })
  if (existing.length + made.length > limits.teachingSets.perYear)
    issues.push(rollOverIssue(PATH, 'too_many_sets', { max: limits.teachingSets.perYear }))
  for (const { set, studentIds } of joining)
    if (studentIds.length + (here.get(set.id)?.length ?? 0) > limits.teachingSets.studentsPerSet)
      issues.push(rollOverIssue(PATH, 'too_many_in_set', { max: limits.teachingSets.studentsPerSet, name: set.name }))
  return { made, joining, issues }
}
type InYear = { school: string; year: string }

export const countsOfSets = ({ made, joining }: RolledSets) => ({
  sets: made.length,
  set_places: [...made, ...joining].reduce((sum, { studentIds }) => sum + studentIds.length, 0),
})

export async function writeSets(tx: WriteTx, { id: academic_year_id, school_id }: Year, { made, joining }: RolledSets): Promise<void> {
  const sets = made.map((set) => ({ ...set, id: tx.newId() }))
  await tx.insert(
    'teaching_set',
    sets.map(({ id, subject_id, name }) => ({ id, school_id, academic_year_id, subject_id, name })),
  )
  const teachers = sets.flatMap(({ id: teaching_set_id, teacherIds }) =>
    teacherIds.map((user_profile_id) => ({ school_id, teaching_set_id, user_profile_id })),
  )
  await tx.insert('teaching_set_teacher', teachers)
  const filled = [...sets, ...joining.map(({ set: { id }, studentIds }) => ({ id, studentIds }))]
  const members = filled.flatMap(({ id: teaching_set_id, studentIds }) =>
    studentIds.map((student_id) => ({ school_id, teaching_set_id, student_id })),
  )
  await tx.insert('teaching_set_member', members)
}
