import type { Issue } from '@markbook/shared/failures'

export type Wanted = { fromClassId: string; name: string; studentIds?: string[] | undefined }
type Pupil = { classId: string; id: string; firstName: string; lastName: string; isActive: boolean }

/** Columns of new rows: who teaches a subject in a class, and who takes it. */
type Teaching = { user_profile_id: string; subject_id: string }
type Taking = { student_id: string; subject_id: string }

/** What the database says about the classes that are taken over and the year that receives them. */
export type Facts = {
  year: { id: string; start_date: string }
  /** Who rolls over; becomes class teacher where the one of last year teaches here no longer. */
  callerId: string
  classes: ReadonlyMap<string, { year: string; yearStarts: string }>
  pupils: readonly Pupil[]
  teachers: readonly { classId: string; id: string; classTeacher: string | null }[]
  subjectTeachers: readonly (Teaching & { classId: string })[]
  takers: readonly (Taking & { classId: string })[]
  /** Names of the classes that the year already has. */
  takenNames: ReadonlySet<string>
  /** The class that a pupil already has in that year, by the pupil's id. */
  places: ReadonlyMap<string, string>
}

export type Opening = {
  fromClassId: string
  name: string
  studentIds: string[]
  teacherIds: string[]
  classTeacherId: string
  teaching: Teaching[]
  taking: Taking[]
  issues: Issue[]
}

/** The classes that would be opened, each with what stands in its way. Pure, so that a dry run and a real one cannot differ. */
export function planRollOver(wanted: readonly Wanted[], facts: Facts): Opening[] {
  const names = new Set(facts.takenNames)
  const places = new Map(facts.places)
  return wanted.map((one) => {
    const chosen = chosenPupils(one, facts.pupils)
    const issues = [
      ...classIssues(one, facts),
      ...(names.has(one.name) ? [{ path: 'name', message: `This year already has a class called ${one.name}.` }] : []),
      ...chosen.issues,
      ...chosen.pupils.flatMap((pupil) => pupilIssues(pupil, places)),
    ]
    names.add(one.name)
    for (const pupil of chosen.pupils) if (!places.has(pupil.id)) places.set(pupil.id, one.name)
    return { fromClassId: one.fromClassId, name: one.name, ...goingAlong(one, chosen.pupils, facts), issues }
  })
}

const classIssues = ({ fromClassId }: Wanted, { classes, year }: Facts): Issue[] => {
  const from = classes.get(fromClassId)
  const isEarlier = from !== undefined && from.year !== year.id && from.yearStarts < year.start_date
  return isEarlier ? [] : [{ path: 'fromClassId', message: 'must be a class of an earlier year' }]
}

/** The pupils named, or all who have not left. */
function chosenPupils({ fromClassId, studentIds }: Wanted, all: readonly Pupil[]): { pupils: Pupil[]; issues: Issue[] } {
  const own = all.filter((pupil) => pupil.classId === fromClassId)
  if (!studentIds) return { pupils: own.filter((pupil) => pupil.isActive), issues: [] }
  const byId = new Map(own.map((pupil) => [pupil.id, pupil]))
  const strangers = studentIds.flatMap((id, at) =>
    byId.has(id) ? [] : [{ path: `studentIds.${at}`, message: 'is not a pupil of that class' }],
  )
  return { pupils: studentIds.flatMap((id) => byId.get(id) ?? []), issues: strangers }
}

function pupilIssues({ id, firstName, lastName, isActive }: Pupil, places: ReadonlyMap<string, string>): Issue[] {
  const place = places.get(id)
  if (place !== undefined) return [{ path: 'studentIds', message: `${firstName} ${lastName} would be in ${place} as well.` }]
  return isActive ? [] : [{ path: 'studentIds', message: `${firstName} ${lastName} has left the school.` }]
}

function goingAlong({ fromClassId }: Wanted, pupils: readonly Pupil[], { teachers, subjectTeachers, takers, callerId }: Facts) {
  const studentIds = new Set(pupils.map((pupil) => pupil.id))
  const staff = teachers.filter((teacher) => teacher.classId === fromClassId)
  const classTeacherId = staff.find((teacher) => teacher.id === teacher.classTeacher)?.id ?? callerId
  const teacherIds = new Set([...staff.map((teacher) => teacher.id), classTeacherId])
  return {
    studentIds: [...studentIds],
    teacherIds: [...teacherIds],
    classTeacherId,
    teaching: subjectTeachers
      .filter(({ classId, user_profile_id }) => classId === fromClassId && teacherIds.has(user_profile_id))
      .map(({ classId: _, ...own }) => own),
    taking: takers
      .filter(({ classId, student_id }) => classId === fromClassId && studentIds.has(student_id))
      .map(({ classId: _, ...own }) => own),
  }
}
