import { type ListedTeachingSet, teachingSetFailures, teachingSets } from '@markbook/shared/contract/teaching-sets'
import { byFoldedName, compareText, sortKey } from '@markbook/shared/domain/fold'
import { common, type Issue } from '@markbook/shared/failures'
import { groupedBy } from '@markbook/shared/grouped-by'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { SchoolCaller } from '../../http/caller.ts'
import { type Handlers, on } from '../../http/handler.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { assessmentsExpectingMarks } from '../assessment-categories/assessment-categories.policy.ts'
import { demandTeacher, enrolmentsInYear } from '../classes/classes.policy.ts'
import { type PolicyContext, rowOf, termOf, yearOf } from '../policy.ts'
import { inOrder, orNotFound, subjectOf } from '../references.ts'
import { codesToComeOf } from '../schools/mark-codes.policy.ts'
import { readableSet, setsOfYear, studentsInOrder } from './teaching-sets.policy.ts'
import {
  assessmentsOfSet,
  marksInSet,
  membersOfSet,
  membersOfSets,
  recordedInSets,
  setsWithSubjects,
  studentsThere,
  teachersOfSet,
  teachersOfSets,
} from './teaching-sets.queries.ts'

type TeachingSet = Row<'teaching_set'>
type Person = ListedTeachingSet['teachers'][number]

const nameKey = ({ first_name, last_name, id }: Person) => `${sortKey(last_name ?? '', first_name ?? '')}\u0001${id}`

/** The sets of a year that the caller may see, by subject and name. */
async function listed(tx: ReadTx, caller: SchoolCaller, year: string): Promise<ListedTeachingSet[]> {
  const of = { school: caller.school_id, year }
  const teachers = groupedBy(await teachersOfSets(tx, of), ({ set }) => set)
  const members = groupedBy(await membersOfSets(tx, of), ({ set }) => set)
  return (await setsWithSubjects(tx, of))
    .sort((a, b) => a.subject_order - b.subject_order || compareText(a.subject_id, b.subject_id) || byFoldedName(a, b))
    .map(({ subject_name, subject_code, ...set }) => {
      const own = (teachers.get(set.id) ?? []).map(({ set: _set, ...person }) => person)
      return {
        ...set,
        subject: { id: set.subject_id, name: subject_name, code: subject_code },
        teachers: own.sort((a, b) => compareText(nameKey(a), nameKey(b))),
        students: members.get(set.id)?.length ?? 0,
        is_own: own.some(({ id }) => id === caller.user_id),
      }
    })
    .filter(({ is_own }) => is_own || caller.role === 'admin')
}

async function listedOne(tx: ReadTx, caller: SchoolCaller, { id, academic_year_id }: Pick<TeachingSet, 'id' | 'academic_year_id'>) {
  const own = (await listed(tx, caller, academic_year_id)).find((set) => set.id === id)
  if (!own) throw common.notFound()
  return own
}

function demandFreeName(all: readonly TeachingSet[], { id, subject_id, name }: Pick<TeachingSet, 'subject_id' | 'name'> & { id?: string }) {
  if (all.some((other) => other.subject_id === subject_id && other.name === name && other.id !== id))
    throw teachingSetFailures.duplicateName()
}

/** Throws 400 for students who are in no class of the set's year. */
async function demandInYear(
  tx: ReadTx,
  { school_id: school, academic_year_id: year }: TeachingSet,
  ids: readonly string[],
  said: readonly string[],
) {
  const placed = new Set((await enrolmentsInYear(tx, { school, year, ids: JSON.stringify(ids) })).map(({ student_id }) => student_id))
  const issues = ids.flatMap((id): Issue[] =>
    placed.has(id) ? [] : [{ path: `studentIds.${said.indexOf(id)}`, message: 'is in no class of the year of the set' }],
  )
  if (issues.length > 0) throw teachingSetFailures.inNoClass({ issues })
}

/** Sets the students of a set, which is locked; writes only the differences. */
async function replaceStudents(tx: WriteTx, set: TeachingSet, ids: readonly string[]): Promise<void> {
  const { id: teaching_set_id, school_id } = set
  const current = await membersOfSet(tx, { school: school_id, set: teaching_set_id })
  const [had, wanted] = [new Set(current.map(({ student_id }) => student_id)), new Set(ids)]
  const added = ids.filter((id) => !had.has(id))
  inOrder(await studentsThere(tx, { school: school_id, ids: JSON.stringify(added) }), added)
  await demandInYear(tx, set, added, ids)
  await tx.remove(
    'teaching_set_member',
    current.filter(({ student_id }) => !wanted.has(student_id)),
  )
  const rows = added.map((student_id) => ({
    id: naturalId('teaching_set_member', teaching_set_id, student_id),
    school_id,
    teaching_set_id,
    student_id,
  }))
  await tx.insert('teaching_set_member', rows).catch(orNotFound)
}

/** Sets the teachers of a set, which is locked; writes only the differences. Throws 404 for a user who is no teacher of the school. */
async function replaceTeachers(
  context: PolicyContext & { tx: WriteTx },
  { id: teaching_set_id, school_id }: TeachingSet,
  ids: readonly string[],
): Promise<void> {
  const { tx } = context
  for (const id of ids) await demandTeacher(context, id)
  const current = await teachersOfSet(tx, { school: school_id, set: teaching_set_id })
  const [had, wanted] = [new Set(current.map((row) => row.user_profile_id)), new Set(ids)]
  await tx.remove(
    'teaching_set_teacher',
    current.filter((row) => !wanted.has(row.user_profile_id)),
  )
  const rows = ids
    .filter((id) => !had.has(id))
    .map((user_profile_id) => ({
      id: naturalId('teaching_set_teacher', teaching_set_id, user_profile_id),
      school_id,
      teaching_set_id,
      user_profile_id,
    }))
  await tx.insert('teaching_set_teacher', rows).catch(orNotFound)
}

export const teachingSetHandlers: Handlers<typeof teachingSets> = {
  list: on(teachingSets.list, {
    load: (context, { targets }) => yearOf(context, targets['academicYearId']),
    run: ({ tx, caller }, _input, year) => listed(tx, caller, year.id),
  }),

  progress: on(teachingSets.progress, {
    load: (context, { targets }) => termOf(context, targets['termId']),
    run: async ({ tx, caller }, _input, { id: term, school_id: school, academic_year_id: year }) => {
      const sets = await listed(tx, caller, year)
      if (sets.length === 0) return []
      const assessments = groupedBy(await assessmentsExpectingMarks(tx, { school, term }), ({ subject_id }) => subject_id)
      const members = groupedBy(await membersOfSets(tx, { school, year }), ({ set }) => set)
      const of = { school, year, term, toCome: await codesToComeOf(tx, school) }
      const recorded = new Map((await recordedInSets(tx, of)).map((row) => [row.set, Number(row.recorded)]))
      return sets.map(({ id, name, subject, is_own }) => {
        const own = assessments.get(subject.id) ?? []
        const isOfSet = (of: string | null) => of === null || of === id
        const asked = (group: string) =>
          own.filter((one) => (one.student_group_id === null || one.student_group_id === group) && isOfSet(one.teaching_set_id)).length
        const expected = (members.get(id) ?? []).reduce((sum, { group }) => sum + (group === null ? 0 : asked(group)), 0)
        return { teaching_set: { id, name }, subject, is_own, expected, recorded: recorded.get(id) ?? 0 }
      })
    },
  }),

  create: on(teachingSets.create, {
    load: async (context, { targets }) => {
      const year = await rowOf(context, 'academic_year', targets['academicYearId'])
      await subjectOf(context, targets['subjectId'])
      return year
    },
    run: async (context, { body }, year) => {
      const { tx, caller } = context
      const all = await setsOfYear(tx, { school: year.school_id, year: year.id })
      const columns = { academic_year_id: year.id, subject_id: body.subjectId, name: body.name }
      demandFreeName(all, columns)
      if (all.length >= limits.teachingSets.perYear) throw teachingSetFailures.tooMany()
      const set = await tx.insert('teaching_set', { id: tx.newId(), school_id: year.school_id, ...columns }).catch(orNotFound)
      await replaceTeachers(context, set, body.teacherIds ?? [])
      await replaceStudents(tx, set, body.studentIds ?? [])
      return listedOne(tx, caller, set)
    },
  }),

  get: on(teachingSets.get, {
    load: (context, { params }) => readableSet(context, params.id),
    run: ({ tx, caller }, _input, set) => listedOne(tx, caller, set),
  }),

  update: on(teachingSets.update, {
    load: async (context, { params }) => {
      const set = await readableSet(context, params.id)
      await rowOf(context, 'academic_year', set.academic_year_id)
      return rowOf(context, 'teaching_set', params.id)
    },
    run: async (context, { body }, set) => {
      const { tx, caller } = context
      if (body.name !== undefined) {
        demandFreeName(await setsOfYear(tx, { school: set.school_id, year: set.academic_year_id }), { ...set, name: body.name })
        await tx.update('teaching_set', set, { name: body.name })
      }
      if (body.teacherIds) await replaceTeachers(context, set, body.teacherIds)
      if (body.studentIds) await replaceStudents(tx, set, body.studentIds)
      return listedOne(tx, caller, set)
    },
  }),

  remove: on(teachingSets.remove, {
    load: (context, { params }) => rowOf(context, 'teaching_set', params.id),
    run: async ({ tx }, _input, set) => {
      const ofSet = { school: set.school_id, set: set.id }
      const assessments = await assessmentsOfSet(tx, ofSet)
      if (assessments.length > 0 && (await marksInSet(tx, ofSet)).length > 0) throw teachingSetFailures.hasMarks()
      await tx.remove('teaching_set', [set])
      return { message: 'The teaching set was deleted.' }
    },
  }),

  setTeachers: on(teachingSets.setTeachers, {
    load: (context, { params }) => rowOf(context, 'teaching_set', params.id),
    run: async (context, { body }, set) => {
      await replaceTeachers(context, set, body.teacherIds)
      return listedOne(context.tx, context.caller, set)
    },
  }),

  students: on(teachingSets.students, {
    load: (context, { params }) => readableSet(context, params.id),
    run: ({ tx }, _input, set) => studentsInOrder(tx, set),
  }),

  setStudents: on(teachingSets.setStudents, {
    load: (context, { params }) => rowOf(context, 'teaching_set', params.id),
    run: async ({ tx }, { body }, set) => {
      await replaceStudents(tx, set, body.studentIds)
      return studentsInOrder(tx, set)
    },
  }),
}
