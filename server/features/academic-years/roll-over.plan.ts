import type { RolledClass } from '@markbook/shared/contract/academic-years'
import type { Issue } from '@markbook/shared/failures'
import { rollOverIssue } from './roll-over.issues.ts'

type Pupil = { id: string; firstName: string; lastName: string; isActive: boolean }
/** `classId`: the class of the earlier year whose subjects the pupil took; null where there was none. */
type Placed<C extends string | null = string> = Pupil & { classId: C }

/** Columns of new rows: the subject teachers of a class, and the subjects of its pupils. */
type Teaching = { user_profile_id: string; subject_id: string }
type Taking = { student_id: string; subject_id: string }

/** The database's state of the classes that are rolled over and of the year that receives them. */
export type Facts = {
  year: { id: string; start_date: string }
  /** The caller, who becomes class teacher where none is named and last year's does not teach at the school any more. */
  callerId: string
  classes: ReadonlyMap<string, { year: string; yearStarts: string }>
  pupils: readonly Placed[]
  /** Pupils named individually: those who join another class, and those who leave. */
  others: ReadonlyMap<string, Placed<string | null>>
  teachers: readonly { classId: string; id: string; classTeacher: string | null }[]
  /** The named class teachers who teach at the school. */
  staff: ReadonlySet<string>
  subjectTeachers: readonly (Teaching & { classId: string })[]
  takers: readonly (Taking & { classId: string })[]
  /** The names of the year's existing classes, by id. */
  existing: ReadonlyMap<string, string>
  /** The class that each pupil already has in that year, by the pupil's id. */
  places: ReadonlyMap<string, string>
}

export type Opening = {
  fromClassId: string | null
  /** The existing class that receives the pupils; null for a new class. */
  intoClassId: string | null
  name: string
  studentIds: string[]
  teacherIds: string[]
  classTeacherId: string
  teaching: Teaching[]
  taking: Taking[]
  issues: Issue[]
}
export type Plan = { openings: Opening[]; leaving: string[]; issues: Issue[] }

/** Plans the classes, each with its issues. A pure function, so that a dry run and a real one cannot differ. */
export function planRollOver(wanted: readonly RolledClass[], leavingIds: readonly string[], facts: Facts): Plan {
  const names = new Set(facts.existing.values())
  const places = new Map(facts.places)
  const openings = wanted.map((one): Opening => {
    const name = one.name ?? facts.existing.get(one.intoClassId ?? '') ?? ''
    const chosen = chosenPupils(one, facts)
    const issues = [
      ...classIssues(one, facts),
      ...(one.name !== undefined && names.has(name) ? [rollOverIssue('name', 'class_taken', { name })] : []),
      ...chosen.issues,
      ...chosen.pupils.flatMap((pupil) => pupilIssues(pupil, places)),
    ]
    names.add(name)
    for (const pupil of chosen.pupils) if (!places.has(pupil.id)) places.set(pupil.id, name)
    const what = { fromClassId: one.fromClassId ?? null, intoClassId: one.intoClassId ?? null, name }
    return { ...what, ...goingAlong(one, chosen.pupils, facts), issues }
  })
  return { openings, leaving: [...leavingIds], issues: leavingIds.flatMap((id, at) => leavingIssues(id, at, facts, places)) }
}

export const sourcesOf = ({ fromClassId, alsoFromClassIds = [] }: RolledClass): string[] =>
  fromClassId === undefined ? [] : [...new Set([fromClassId, ...alsoFromClassIds])]

function classIssues(one: RolledClass, { classes, year, existing, staff }: Facts): Issue[] {
  const wrong = sourcesOf(one).flatMap((id) => {
    const from = classes.get(id)
    const isEarlier = from !== undefined && from.year !== year.id && from.yearStarts < year.start_date
    return isEarlier ? [] : [rollOverIssue(id === one.fromClassId ? 'fromClassId' : 'alsoFromClassIds', 'not_of_earlier_year')]
  })
  const isElsewhere = one.intoClassId !== undefined && !existing.has(one.intoClassId)
  const isStranger = one.classTeacherId !== undefined && !staff.has(one.classTeacherId)
  return [
    ...wrong,
    ...(isElsewhere ? [rollOverIssue('intoClassId', 'not_of_this_year')] : []),
    ...(isStranger ? [rollOverIssue('classTeacherId', 'no_teacher')] : []),
  ]
}

/** The named pupils, or all of the classes except those who have left; and the pupils who join. */
function chosenPupils(one: RolledClass, { pupils: all, others }: Facts): { pupils: Placed<string | null>[]; issues: Issue[] } {
  const sources = new Set(sourcesOf(one))
  const own = all.filter((pupil) => sources.has(pupil.classId))
  const byId = new Map(own.map((pupil) => [pupil.id, pupil]))
  const going = one.studentIds ? one.studentIds.flatMap((id) => byId.get(id) ?? []) : own.filter((pupil) => pupil.isActive)
  const joining = (one.otherStudentIds ?? []).flatMap((id) => others.get(id) ?? [])
  const strangers = (one.studentIds ?? []).flatMap((id, at) => (byId.has(id) ? [] : [rollOverIssue(`studentIds.${at}`, 'not_in_class')]))
  const foreign = (one.otherStudentIds ?? []).flatMap((id, at) =>
    others.has(id) ? [] : [rollOverIssue(`otherStudentIds.${at}`, 'not_of_school')],
  )
  return { pupils: [...going, ...joining], issues: [...strangers, ...foreign, ...twice(going, joining)] }
}

const nameOf = ({ firstName, lastName }: Pupil): string => `${firstName} ${lastName}`

const twice = (going: readonly Pupil[], joining: readonly Pupil[]): Issue[] => {
  const ids = new Set(going.map(({ id }) => id))
  return joining.flatMap((pupil) => (ids.has(pupil.id) ? [rollOverIssue('otherStudentIds', 'named_twice', { name: nameOf(pupil) })] : []))
}

function pupilIssues(pupil: Pupil, places: ReadonlyMap<string, string>): Issue[] {
  const [name, place] = [nameOf(pupil), places.get(pupil.id)]
  if (place !== undefined) return [rollOverIssue('studentIds', 'second_class', { name, class: place })]
  return pupil.isActive ? [] : [rollOverIssue('studentIds', 'has_left', { name })]
}

function leavingIssues(id: string, at: number, { others }: Facts, places: ReadonlyMap<string, string>): Issue[] {
  const pupil = others.get(id)
  const path = `leavingStudentIds.${at}`
  if (!pupil) return [rollOverIssue(path, 'not_of_school')]
  const place = places.get(id)
  return place === undefined ? [] : [rollOverIssue(path, 'leaves_and_stays', { name: nameOf(pupil), class: place })]
}

function goingAlong(one: RolledClass, pupils: readonly Placed<string | null>[], facts: Facts) {
  const { teachers, subjectTeachers, takers, callerId } = facts
  const sources = new Set(sourcesOf(one))
  const classOfPupil = new Map(pupils.map(({ id, classId }) => [id, classId]))
  const taking = takers.filter(({ classId, student_id }) => classOfPupil.get(student_id) === classId)
  const studentIds = [...classOfPupil.keys()]
  const takingOwn = taking.map(({ classId: _, ...own }) => own)
  if (one.intoClassId !== undefined) return { studentIds, teacherIds: [], classTeacherId: '', teaching: [], taking: takingOwn }
  const staff = teachers.filter((teacher) => sources.has(teacher.classId))
  const formerIn = (id: string) => staff.find((teacher) => teacher.classId === id && teacher.id === teacher.classTeacher)?.id
  const former = [...sources].map(formerIn).find((id) => id !== undefined)
  const classTeacherId = one.classTeacherId ?? former ?? callerId
  const teacherIds = new Set([...staff.map((teacher) => teacher.id), classTeacherId])
  const taught = subjectTeachers.filter(({ classId, user_profile_id }) => sources.has(classId) && teacherIds.has(user_profile_id))
  // Two classes that are joined may have the same teacher for the same subject.
  const teaching = new Map(taught.map(({ classId: _, ...own }) => [`${own.user_profile_id} ${own.subject_id}`, own]))
  return { studentIds, teacherIds: [...teacherIds], classTeacherId, teaching: [...teaching.values()], taking: takingOwn }
}
