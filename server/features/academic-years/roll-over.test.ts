import type { RolledClass } from '@markbook/shared/contract/academic-years'
import { naturalId } from '@markbook/shared/ids'
import { aoife, elan, hilltopPupil, lukasz, mei, oisin, pupilsOf3B, sean, wanderer, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3A, class3B, english, hilltopClass, irish, lastYear, lastYears2B, maths, thisYear } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { meanwhile } from '../../testing/meanwhile.ts'
import { newcomer } from '../../testing/newcomers.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
let year: string
let starts = 2026
beforeAll(async () => {
  st = await school()
})
beforeEach(async () => {
  const body = {
    name: `${starts}/${starts + 1}`,
    startDate: `${starts}-09-01`,
    endDate: `${starts + 1}-06-30`,
    gradingModel: 'term_based',
  } as const
  year = (await st.as.okafor.academicYears.create({ body })).id
  starts += 1
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
type Wanted = RolledClass
type More = { dryRun?: 'true' | 'false'; to?: string; leaving?: string[] }
const rollOver = (classes: Wanted[], { to = year, dryRun = 'false', leaving }: More = {}) => {
  const body = leaving ? { classes, leavingStudentIds: leaving } : { classes }
  return st.as.okafor.academicYears.rollOver.raw({ params: { id: to }, query: { dryRun }, body })
}
type Opened = { classes: { class_id: string }[] }
const openedBy = ({ body }: { body: unknown }) => (body as Opened).classes.map(({ class_id }) => class_id)
const as4B: Wanted = { fromClassId: class3B.id, name: '4B' }
const as4A: Wanted = { fromClassId: class3A.id, name: '4A' }
const of = async <T extends 'teacher_group_assignment' | 'teacher_subject_assignment' | 'enrolment' | 'student_subject'>(
  table: T,
  classId: string,
) => (await st.rows(table)).filter((row) => row.student_group_id === classId)

describe('POST /api/academic-years/:id/roll-over', () => {
  test('opens the classes with their pupils, teachers, class teacher and subjects', async () => {
    const { status, body } = await rollOver([as4B, as4A])
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        dry_run: false,
        classes: [
          { from_class_id: class3B.id, name: '4B', students: 6, teachers: 2, subjects: 2, issues: [] },
          { from_class_id: class3A.id, name: '4A', students: 2, teachers: 1, subjects: 2, issues: [] },
        ],
      },
    })
    const id = (body as { classes: { class_id: string }[] }).classes[0]?.class_id ?? ''
    expect(await st.rows('student_group')).toContainEqual(
      expect.objectContaining({ id, name: '4B', academic_year_id: year, created_by: people.okafor.id }),
    )
    expect((await of('enrolment', id)).map((row) => row.student_id).sort()).toEqual(pupilsOf3B.map((pupil) => pupil.id).sort())
    expect((await of('teacher_group_assignment', id)).map((row) => row.user_profile_id).sort()).toEqual(
      [people.byrne.id, people.ada.id].sort(),
    )
    expect((await st.rows('class_teacher')).find((row) => row.id === id)).toMatchObject({ user_profile_id: people.byrne.id })
    const taught = (await of('teacher_subject_assignment', id)).map((row) => `${row.user_profile_id} ${row.subject_id}`)
    expect(taught.sort()).toEqual([`${people.ada.id} ${maths.id}`, `${people.byrne.id} ${english.id}`].sort())
  })

  test('a dry run answers the same without ids and writes nothing', async () => {
    const before = await st.digest()
    const { status, body } = await rollOver([as4B], { dryRun: 'true' })
    expect(await st.digest()).toBe(before)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        dry_run: true,
        classes: [{ from_class_id: class3B.id, name: '4B', students: 6, teachers: 2, subjects: 2, class_id: null, issues: [] }],
        left: 0,
        left_with_drafts: 0,
        unplaced: 2,
        categories: 0,
        scale: false,
        sets: 0,
        set_places: 0,
        terms: 0,
        issues: [],
      },
    })
  })

  test('only named pupils are copied, with the subjects that they take', async () => {
    await st.services.store.write(asSystem(), (tx) =>
      tx.insert(
        'student_subject',
        [zoe, mei].map((pupil) => ({
          id: naturalId('student_subject', pupil.id, irish.id, class3B.id),
          school_id: class3B.school_id,
          student_group_id: class3B.id,
          student_id: pupil.id,
          subject_id: irish.id,
        })),
      ),
    )
    const { body } = await rollOver([{ ...as4B, studentIds: [elan.id, zoe.id] }])
    expect(body).toMatchObject({ classes: [{ students: 2, subjects: 3 }] })
    const id = (body as { classes: { class_id: string }[] }).classes[0]?.class_id ?? ''
    expect(await of('student_subject', id)).toMatchObject([{ student_id: zoe.id, subject_id: irish.id }])
  })

  test('one class becomes two', async () => {
    const { status, body } = await rollOver([
      { ...as4B, studentIds: [elan.id, sean.id] },
      { ...as4B, name: '4C', studentIds: [zoe.id] },
    ])
    expect({ status, body }).toMatchObject({ status: 200, body: { classes: [{ students: 2 }, { students: 1 }] } })
  })

  test('a second time the names are taken and the pupils have a class: 409 with every reason, and nothing changes', async () => {
    await rollOver([as4A])
    const before = await st.digest()
    const { status, body } = await rollOver([as4B, as4A])
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'academic_years.roll_over_issues' } })
    const second = (name: string) => ({
      path: 'classes.1.studentIds',
      message: `${name} would be in 4A as well.`,
      code: 'second_class',
      values: { name, class: '4A' },
    })
    expect((body as { issues: unknown }).issues).toEqual([
      {
        path: 'classes.1.name',
        message: 'This year already has a class called 4A.',
        code: 'class_taken',
        values: { name: '4A' },
      },
      second('Fatima Haddad'),
      second('Oisín Kelly'),
    ])
    expect(await st.digest()).toBe(before)
  })

  test('of two equal concurrent requests one creates the class and the other is 409', async () => {
    const answers = await Promise.all([rollOver([as4B]), rollOver([as4B])])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
    expect((await st.rows('student_group')).filter((row) => row.academic_year_id === year)).toHaveLength(1)
  })

  test('a teacher who is removed from the school meanwhile is not copied', async () => {
    const { id: user_id } = await newcomer(st, 'leaving')
    const place = { id: naturalId('membership', user_id, stBrigids), school_id: stBrigids, user_id }
    await st.services.store.write(asSystem(), (tx) => tx.insert('school_management', [{ ...place, role: 'teacher', is_active: true }]))
    const from = await st.as.okafor.classes.create({ body: { name: '3Z', academicYearId: thisYear.id } })
    await st.as.okafor.classes.addTeacher({ params: { classId: from.id }, body: { teacherId: user_id, subjectIds: [] } })
    const leave = async (tx: WriteTx) => {
      const membership = await tx.find('school_management', stBrigids, place.id)
      await tx.remove('school_management', membership ? [membership] : [])
    }
    const { body } = await meanwhile(st, leave, () => rollOver([{ fromClassId: from.id, name: '4Z' }]))
    const [opened] = (body as { classes: { class_id: string }[] }).classes
    expect((await of('teacher_group_assignment', opened?.class_id ?? '')).map((row) => row.user_profile_id)).toEqual([people.okafor.id])
  })

  test('a pupil who is enrolled elsewhere meanwhile is an issue, and nothing is created', async () => {
    const other = await st.as.okafor.classes.create({ body: { name: '4Z', academicYearId: year } })
    const place = { school_id: stBrigids, student_id: elan.id, student_group_id: other.id, academic_year_id: year }
    const enrol = (tx: WriteTx) => tx.insert('enrolment', [{ ...place, id: naturalId('enrolment', elan.id, year), enrolled_at: tx.now }])
    const { status, body } = await meanwhile(st, enrol, () => rollOver([as4B]))
    const issues = [{ path: 'classes.0.studentIds', message: 'Élan Ó Briain would be in 4Z as well.' }]
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'academic_years.roll_over_issues', issues } })
    expect((await st.rows('student_group')).filter((row) => row.academic_year_id === year)).toHaveLength(1)
  })

  test.each([
    [
      'the same name twice',
      () => [
        { ...as4B, studentIds: [elan.id] },
        { ...as4A, name: '4B', studentIds: [oisin.id] },
      ],
      'name',
    ],
    [
      'a pupil in two classes',
      () => [
        { ...as4B, studentIds: [elan.id] },
        { ...as4B, name: '4C', studentIds: [elan.id] },
      ],
      'studentIds',
    ],
    ['a pupil of no class', () => [as4A, { ...as4B, studentIds: [wanderer.id] }], 'studentIds.0'],
    ['a pupil of the neighbour', () => [as4A, { ...as4B, studentIds: [zoe.id, hilltopPupil.id] }], 'studentIds.1'],
  ])('%s: an issue of the dry run, and 409', async (_what, classes, path) => {
    const { body } = await rollOver(classes(), { dryRun: 'true' })
    expect(body).toMatchObject({ classes: [{ issues: [] }, { issues: [{ path }] }] })
    expect(await refused(st, () => rollOver(classes()))).toEqual({ status: 409, code: 'academic_years.roll_over_issues' })
  })

  test('a class of the same year or of a later one: an issue', async () => {
    const same = await rollOver([{ fromClassId: class3B.id, name: '3B again', studentIds: [] }], { to: thisYear.id, dryRun: 'true' })
    expect(same.body).toMatchObject({ classes: [{ issues: [{ path: 'fromClassId' }] }] })
    const later = await rollOver([{ fromClassId: class3B.id, name: '2C' }], { to: lastYear.id, dryRun: 'true' })
    expect(later.body).toMatchObject({ classes: [{ issues: [{ path: 'fromClassId' }] }] })
  })

  test('404 where a class is absent, and the same where it is the neighbour’s', async () => {
    const [gone, foreign] = [
      await rollOver([{ ...as4B, fromClassId: absent }]),
      await rollOver([as4B, { ...as4A, fromClassId: hilltopClass.id }]),
    ]
    expect(gone.status).toBe(404)
    expect(foreign.body).toEqual(gone.body)
  })

  test('a repeating pupil joins another class with their subjects, and a leaving one becomes inactive', async () => {
    const [zoes] = await st.as.okafor.classes.subjectsTaken({ params: { id: class3B.id } })
    const taken = (await of('student_subject', class3B.id)).filter((row) => row.student_id === zoe.id)
    expect(zoes && taken.length).toBe(1)
    const stay = pupilsOf3B.map(({ id }) => id).filter((id) => id !== zoe.id && id !== mei.id)
    const answer = await rollOver(
      [
        { ...as4B, studentIds: stay },
        { fromClassId: lastYears2B.id, name: '3B', otherStudentIds: [zoe.id, wanderer.id], classTeacherId: people.ada.id },
      ],
      { leaving: [mei.id] },
    )
    expect(answer).toMatchObject({ status: 200, body: { classes: [{ students: 4 }, { students: 2, subjects: 1 }], left: 1, unplaced: 2 } })
    const [, second = ''] = openedBy(answer)
    expect(await of('student_subject', second)).toMatchObject([{ student_id: zoe.id, subject_id: irish.id }])
    expect((await of('enrolment', second)).map((row) => row.student_id).sort()).toEqual([zoe.id, wanderer.id].sort())
    expect((await st.rows('class_teacher')).find((row) => row.id === second)).toMatchObject({ user_profile_id: people.ada.id })
    expect(await st.as.okafor.students.get({ params: { id: mei.id } })).toMatchObject({ is_active: false })
    await st.as.okafor.students.update({ params: { id: mei.id }, body: { isActive: true } })
  })

  test('two classes become one with the teachers of both, each subject of a teacher once', async () => {
    const answer = await rollOver([{ ...as4B, name: '4 Both', alsoFromClassIds: [class3A.id] }])
    expect(answer).toMatchObject({ status: 200, body: { classes: [{ from_class_id: class3B.id, students: 8 }], unplaced: 0 } })
    const [id = ''] = openedBy(answer)
    const before = [...(await of('teacher_group_assignment', class3B.id)), ...(await of('teacher_group_assignment', class3A.id))]
    const teachers = (await of('teacher_group_assignment', id)).map((row) => row.user_profile_id)
    expect(new Set(teachers)).toEqual(new Set(before.map((row) => row.user_profile_id)))
    const taught = (await of('teacher_subject_assignment', id)).map((row) => `${row.user_profile_id} ${row.subject_id}`)
    expect(new Set(taught).size).toBe(taught.length)
  })

  test('a new class has only its class teacher; a second run adds forgotten pupils', async () => {
    const answer = await rollOver([{ name: '1 New', classTeacherId: people.quinn.id }])
    expect(answer).toMatchObject({ status: 200, body: { classes: [{ from_class_id: null, students: 0, teachers: 1, subjects: 0 }] } })
    const [id = ''] = openedBy(answer)
    const again = await rollOver([{ intoClassId: id, otherStudentIds: [elan.id] }])
    expect(again).toMatchObject({ status: 200, body: { classes: [{ name: '1 New', class_id: id, students: 1, teachers: 0 }] } })
    expect((await of('enrolment', id)).map((row) => row.student_id)).toEqual([elan.id])
    expect(await of('teacher_group_assignment', id)).toMatchObject([{ user_profile_id: people.quinn.id }])
  })

  test('leavers alone, with how many of them have a report book in draft', async () => {
    const [book] = await st.rows('report_book')
    const draft = { ...book!, id: naturalId('report_book', sean.id, book!.term_id, 'year_end'), report_type: 'year_end' as const }
    await st.services.store.write(asSystem(), (tx) => tx.insert('report_book', [{ ...draft, student_id: sean.id, status: 'draft' }]))
    const dry = await rollOver([], { leaving: [sean.id, wanderer.id], dryRun: 'true' })
    expect(dry.body).toMatchObject({ classes: [], left: 2, left_with_drafts: 1, issues: [] })
    expect(await rollOver([], { leaving: [sean.id] })).toMatchObject({ status: 200, body: { left: 1, left_with_drafts: 1 } })
    expect((await st.rows('report_book')).find(({ id }) => id === draft.id)).toMatchObject({ status: 'draft' })
    expect(await rollOver([], { leaving: [sean.id] })).toMatchObject({ status: 200, body: { left: 0 } })
    await st.as.okafor.students.update({ params: { id: sean.id }, body: { isActive: true } })
  })

  test.each([
    ['one class and joins another', () => [as4B, { name: '4N', otherStudentIds: [elan.id] }], {}, 'classes.1.studentIds'],
    ['one class twice', () => [{ ...as4B, otherStudentIds: [elan.id] }], {}, 'classes.0.otherStudentIds'],
    ['a class and among those who leave', () => [as4B], { leaving: [elan.id] }, 'leavingStudentIds.0'],
    ['the neighbour’s and joins', () => [{ name: '4N', otherStudentIds: [elan.id, hilltopPupil.id] }], {}, 'classes.0.otherStudentIds.1'],
    ['the neighbour’s and leaves', () => [as4B], { leaving: [hilltopPupil.id] }, 'leavingStudentIds.0'],
    ['nobody’s', () => [{ name: '4N', otherStudentIds: [absent] }], {}, 'classes.0.otherStudentIds.0'],
  ] as [string, () => Wanted[], More, string][])('a pupil who is in %s: 409, and nothing changes', async (_what, classes, more, path) => {
    const before = await st.digest()
    const { status, body } = await rollOver(classes(), more)
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'academic_years.roll_over_issues' } })
    expect((body as { issues: { path: string }[] }).issues.map((issue) => issue.path)).toContain(path)
    expect(await st.digest()).toBe(before)
  })

  test('a class of another year cannot receive pupils, and nobody of another school can be class teacher', async () => {
    const dry = await rollOver(
      [
        { intoClassId: class3B.id, otherStudentIds: [] },
        { name: '4N', classTeacherId: people.niamh.id },
        { name: '4M', classTeacherId: people.marker.id },
      ],
      { dryRun: 'true' },
    )
    expect(dry.body).toMatchObject({
      classes: [{ issues: [{ path: 'intoClassId' }] }, { issues: [{ path: 'classTeacherId' }] }, { issues: [{ path: 'classTeacherId' }] }],
    })
    expect((await rollOver([{ intoClassId: hilltopClass.id }])).status).toBe(404)
    expect((await rollOver([{ intoClassId: absent }])).status).toBe(404)
  })

  test('five hundred pupils go up in one request', async () => {
    const pupils = Array.from({ length: 500 }, (_, at) => ({
      id: naturalId('membership', `pupil ${at}`, year),
      school_id: stBrigids,
      first_name: 'P',
      last_name: `${at}`,
      gender: 'other' as const,
      is_active: true,
    }))
    await st.services.store.write(asSystem(), (tx) => tx.insert('student', pupils))
    const chosen = pupils.map(({ id }) => id)
    const answer = await rollOver(
      [
        { name: '1 X', otherStudentIds: chosen.slice(0, 250) },
        { name: '1 Y', otherStudentIds: chosen.slice(250, 400) },
      ],
      { leaving: chosen.slice(400) },
    )
    expect(answer).toMatchObject({ status: 200, body: { classes: [{ students: 250 }, { students: 150 }], left: 100 } })
    expect((await st.rows('enrolment')).filter((row) => row.academic_year_id === year)).toHaveLength(400)
  })

  test('of two heads who place the same pupil elsewhere at once one is refused', async () => {
    const answers = await Promise.all(['4P', '4Q'].map((name) => rollOver([{ name, otherStudentIds: [oisin.id] }])))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await st.rows('enrolment')).filter((row) => row.academic_year_id === year)).toHaveLength(1)
  })

  test.each([
    ['a name and a class that is there', { name: '4B', intoClassId: class3B.id }],
    ['neither a name nor a class', { fromClassId: class3B.id }],
    ['pupils of no class', { name: '4B', studentIds: [elan.id] }],
    ['a second class without a first', { name: '4B', alsoFromClassIds: [class3B.id] }],
    ['teachers for a class that is there', { intoClassId: class3B.id, fromClassId: class3A.id }],
  ])('400 for %s', async (_what, one) => {
    expect((await rollOver([one])).status).toBe(400)
  })

  test.each([
    ['no classes', { classes: [] }],
    ['a class without a name', { classes: [{ fromClassId: class3B.id }] }],
    ['a pupil named twice', { classes: [{ ...as4B, studentIds: [elan.id, elan.id] }] }],
    ['nothing', undefined],
  ])('400 for %s', async (_what, body) => {
    const answer = await st.as.okafor.academicYears.rollOver.raw({ params: { id: year }, body: body as never })
    expect(answer.status).toBe(400)
  })

  test.each(['byrne', 'niamh', 'doyle', 'nobody'] as const)('403 for %s, and nothing changes', async (name) => {
    const call = () => st.as[name].academicYears.rollOver.raw({ params: { id: year }, body: { classes: [as4B] } })
    expect(await refused(st, call)).toMatchObject({ status: 403 })
  })

  test('404 for the neighbour’s administrator', async () => {
    const { status } = await st.as.marker.academicYears.rollOver.raw({ params: { id: year }, body: { classes: [as4B] } })
    expect(status).toBe(404)
  })

  test('pupils who have left are not copied; naming one is an issue', async () => {
    await st.as.okafor.students.update({ params: { id: lukasz.id }, body: { isActive: false } })
    expect((await rollOver([as4B], { dryRun: 'true' })).body).toMatchObject({ classes: [{ students: 5, issues: [] }] })
    const named = await rollOver([{ ...as4B, studentIds: [aoife.id, lukasz.id] }], { dryRun: 'true' })
    expect(named.body).toMatchObject({ classes: [{ issues: [{ path: 'studentIds', message: 'Łukasz Wójcik has left the school.' }] }] })
  })

  test('a teacher who does not teach here any more is not copied; the caller becomes class teacher instead', async () => {
    await st.as.okafor.schools.updateMember({ params: { userId: people.byrne.id }, body: { isActive: false } })
    const { body } = await rollOver([as4B, { fromClassId: lastYears2B.id, name: '4D' }])
    expect(body).toMatchObject({
      classes: [
        { name: '4B', teachers: 2 },
        { name: '4D', teachers: 1, students: 0 },
      ],
    })
    const ids = (body as { classes: { class_id: string }[] }).classes.map((one) => one.class_id)
    const leaders = (await st.rows('class_teacher')).filter((row) => ids.includes(row.id)).map((row) => row.user_profile_id)
    expect(leaders).toEqual([people.okafor.id, people.okafor.id])
  })

  test('an inactive subject is not copied', async () => {
    await st.as.okafor.subjects.update({ params: { id: maths.id }, body: { isActive: false } })
    expect((await rollOver([as4A], { dryRun: 'true' })).body).toMatchObject({ classes: [{ subjects: 1 }] })
  })
})
