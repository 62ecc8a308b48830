import { naturalId } from '@markbook/shared/ids'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3A, class3B, english, hilltopClass, hilltopMaths, irish, maths, science } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { meanwhile } from '../../testing/meanwhile.ts'
import { newcomer } from '../../testing/newcomers.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const params = { classId: class3B.id }
const { byrne, ada, quinn, okafor, niamh, doyle, tomas, markerTeacher } = people
/**
 * Users who are not active staff of the school: a member, a suspended administrator, an applicant, a teacher of another school, an unknown
 * id.
 */
const noTeachers = [niamh.id, doyle.id, tomas.id, markerTeacher.id, absent]
const mayNotManage = ['ada', 'quinn', 'niamh', 'markerTeacher'] as const
const listed = async () =>
  (await st.as.byrne.classes.teachers({ params })).map(({ lastName, isClassTeacher, subjects }) => [
    lastName,
    isClassTeacher,
    subjects.map(({ code }) => code).join(' '),
  ])
const assignments = async () => (await st.rows('teacher_subject_assignment')).filter((row) => row.student_group_id === class3B.id)

describe('GET /api/classes/school-teachers', () => {
  test('active teachers and administrators of the school by name', async () => {
    const teachers = await st.as.ada.classes.schoolTeachers()
    expect(teachers.map(({ first_name, last_name, role }) => [first_name, last_name, role])).toEqual([
      ['Cathal', 'Byrne', 'teacher'],
      ['Ada', 'Nowak', 'teacher'],
      ['Ngozi', 'Okafor', 'admin'],
      ['Síle', 'Quinn', 'teacher'],
    ])
    expect(teachers[0]).toEqual({ id: byrne.id, first_name: 'Cathal', last_name: 'Byrne', email: byrne.email, role: 'teacher' })
  })

  test('the neighbour sees only its own', async () => {
    expect((await st.as.markerTeacher.classes.schoolTeachers()).map(({ email }) => email)).toEqual([
      people.marker.email,
      markerTeacher.email,
    ])
  })

  test('403 for a member', async () => {
    expect(await st.as.niamh.classes.schoolTeachers.raw()).toMatchObject({ status: 403 })
  })
})

describe('GET /api/classes/:classId/teachers', () => {
  test('the class teacher first, each with their subjects', async () => {
    expect(await st.as.ada.classes.teachers({ params })).toEqual([
      {
        teacherId: byrne.id,
        firstName: 'Cathal',
        lastName: 'Byrne',
        isClassTeacher: true,
        subjects: [{ id: english.id, name: 'English', code: 'EN' }],
      },
      {
        teacherId: ada.id,
        firstName: 'Ada',
        lastName: 'Nowak',
        isClassTeacher: false,
        subjects: [{ id: maths.id, name: 'Mathematics', code: 'MA' }],
      },
    ])
  })

  test('403 for a teacher of other classes and a member; 404 for an administrator where it is foreign', async () => {
    for (const who of ['quinn', 'niamh', 'markerTeacher'] as const) {
      expect(await st.as[who].classes.teachers.raw({ params })).toMatchObject({ status: 403 })
    }
    expect(await st.as.okafor.classes.teachers.raw({ params: { classId: hilltopClass.id } })).toMatchObject({ status: 404 })
  })
})

describe('POST /api/classes/:classId/teachers', () => {
  const add = (teacherId: string, subjectIds: string[]) => st.as.byrne.classes.addTeacher({ params, body: { teacherId, subjectIds } })

  test('adds a teacher with subjects', async () => {
    expect(await add(quinn.id, [science.id, irish.id])).toMatchObject({
      teacherId: quinn.id,
      isClassTeacher: false,
      subjects: [{ code: 'GA' }, { code: 'SC' }],
    })
    expect((await assignments()).map(({ id }) => id)).toContain(naturalId('teacher_subject_assignment', quinn.id, irish.id, class3B.id))
    expect(await st.as.quinn.classes.get({ params })).toMatchObject({ name: '3B', is_class_teacher: false })
  })

  test('an administrator may teach too, and without a subject', async () => {
    expect(await st.as.okafor.classes.addTeacher({ params, body: { teacherId: okafor.id, subjectIds: [] } })).toMatchObject({
      subjects: [],
    })
    await st.as.okafor.classes.removeTeacher({ params: { ...params, teacherId: okafor.id } })
  })

  test('replaces the subjects of a teacher and writes only the difference', async () => {
    const kept = (await assignments()).find((row) => row.user_profile_id === quinn.id && row.subject_id === irish.id)
    st.clock.advance(1_000)
    expect(await add(quinn.id, [maths.id, irish.id])).toMatchObject({ subjects: [{ code: 'MA' }, { code: 'GA' }] })
    const now = (await assignments()).filter((row) => row.user_profile_id === quinn.id)
    expect(now).toHaveLength(2)
    expect(now).toContainEqual(kept)
    const before = await st.digest()
    await add(quinn.id, [irish.id, maths.id])
    expect(await st.digest()).toBe(before)
  })

  test('of equal requests at once all succeed and one writes', async () => {
    await st.as.byrne.classes.removeTeacher({ params: { ...params, teacherId: quinn.id } })
    const body = { teacherId: quinn.id, subjectIds: [maths.id, irish.id] }
    const replies = await Promise.all([1, 2, 3].map(() => st.as.byrne.classes.addTeacher.raw({ params, body })))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    expect((await assignments()).filter((row) => row.user_profile_id === quinn.id)).toHaveLength(2)
  })

  test('404 for whoever is not an active teacher or administrator of the school', async () => {
    for (const teacherId of noTeachers) {
      const reply = await refused(st, () => st.as.byrne.classes.addTeacher.raw({ params, body: { teacherId, subjectIds: [] } }))
      expect(reply).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test('404 for a subject of another school', async () => {
    const body = { teacherId: quinn.id, subjectIds: [hilltopMaths.id] }
    expect(await refused(st, () => st.as.byrne.classes.addTeacher.raw({ params, body }))).toEqual({ status: 404, code: 'not_found' })
  })

  test('403 for who does not manage the class, whatever the body; 404 for the neighbour’s administrator', async () => {
    for (const who of mayNotManage) {
      expect(await refused(st, () => st.as[who].classes.addTeacher.raw({ params, body: {} }))).toEqual({ status: 403, code: 'forbidden' })
    }
    const body = { teacherId: markerTeacher.id, subjectIds: [] }
    expect(await refused(st, () => st.as.marker.classes.addTeacher.raw({ params, body }))).toMatchObject({ status: 404 })
  })

  test('400 where the body is not right', async () => {
    const added = (body: object) => refused(st, () => st.as.byrne.classes.addTeacher.raw({ params, body }))
    for (const body of [{}, { teacherId: quinn.id }, { teacherId: quinn.id, subjectIds: [irish.id, irish.id] }]) {
      expect(await added(body)).toEqual({ status: 400, code: 'validation_failed' })
    }
    expect(await added({ teacherId: quinn.id, subjectIds: ['MA'] })).toEqual({ status: 400, code: 'malformed_id' })
  })
})

describe('DELETE /api/classes/:classId/teachers/:teacherId', () => {
  const remove = (who: 'byrne' | 'okafor' | 'ada' | 'quinn' | 'niamh' | 'marker' | 'markerTeacher', teacherId: string) => () =>
    st.as[who].classes.removeTeacher.raw({ params: { ...params, teacherId } })

  test('403 for the class teacher, even by an administrator', async () => {
    for (const who of ['byrne', 'okafor'] as const) {
      expect(await refused(st, remove(who, byrne.id))).toEqual({ status: 403, code: 'classes.class_teacher_stays' })
    }
  })

  test('takes the teacher and their subjects out, who then has no rights there', async () => {
    expect(await remove('byrne', quinn.id)()).toMatchObject({ status: 200 })
    expect((await assignments()).filter((row) => row.user_profile_id === quinn.id)).toEqual([])
    expect(await st.as.quinn.classes.get.raw({ params })).toMatchObject({ status: 403 })
    expect(await listed()).toEqual([
      ['Byrne', true, 'EN'],
      ['Nowak', false, 'MA'],
    ])
  })

  test('404 for a teacher who is not assigned', async () => {
    for (const teacherId of [quinn.id, ...noTeachers]) expect(await refused(st, remove('byrne', teacherId))).toMatchObject({ status: 404 })
  })

  test('403 for who does not manage the class', async () => {
    for (const who of mayNotManage) expect(await refused(st, remove(who, ada.id))).toEqual({ status: 403, code: 'forbidden' })
    expect(await refused(st, remove('marker', ada.id))).toMatchObject({ status: 404 })
  })
})

describe('PATCH /api/classes/:classId/class-teacher', () => {
  const handOver = (who: 'byrne' | 'okafor', teacherId: string) => st.as[who].classes.handOver({ params, body: { teacherId } })

  test('404 for whoever is not an active teacher or administrator of the school', async () => {
    for (const teacherId of noTeachers) {
      expect(await refused(st, () => st.as.byrne.classes.handOver.raw({ params, body: { teacherId } }))).toEqual({
        status: 404,
        code: 'not_found',
      })
    }
  })

  test('403 for who does not manage the class; 404 for the neighbour’s administrator', async () => {
    for (const who of mayNotManage) {
      expect(await refused(st, () => st.as[who].classes.handOver.raw({ params, body: { teacherId: ada.id } }))).toMatchObject({
        status: 403,
      })
    }
    expect(await refused(st, () => st.as.marker.classes.handOver.raw({ params, body: { teacherId: markerTeacher.id } }))).toMatchObject({
      status: 404,
    })
  })

  test('handing over to the present class teacher changes nothing', async () => {
    const before = await st.digest()
    expect(await handOver('byrne', byrne.id)).toMatchObject({ teacherId: byrne.id, isClassTeacher: true })
    expect(await st.digest()).toBe(before)
  })

  test('the new one is class teacher, the old one stays as a teacher of the class', async () => {
    expect(await handOver('byrne', ada.id)).toMatchObject({ teacherId: ada.id, isClassTeacher: true, subjects: [{ code: 'MA' }] })
    expect(await listed()).toEqual([
      ['Nowak', true, 'MA'],
      ['Byrne', false, 'EN'],
    ])
    expect(await refused(st, () => st.as.byrne.classes.update.raw({ params, body: { name: 'Mine' } }))).toMatchObject({ status: 403 })
    expect(await st.as.ada.classes.mySubjects({ params })).toHaveLength(4)
  })

  test('assigns somebody who was not a teacher of the class', async () => {
    expect(await handOver('okafor', quinn.id)).toMatchObject({ teacherId: quinn.id, isClassTeacher: true, subjects: [] })
    expect(await listed()).toEqual([
      ['Quinn', true, ''],
      ['Byrne', false, 'EN'],
      ['Nowak', false, 'MA'],
    ])
  })

  test('handed to two at once, and the old one removed meanwhile, the class has one class teacher who is assigned', async () => {
    const replies = await Promise.all([
      st.as.okafor.classes.handOver.raw({ params, body: { teacherId: byrne.id } }),
      st.as.okafor.classes.handOver.raw({ params, body: { teacherId: ada.id } }),
      st.as.okafor.classes.removeTeacher.raw({ params: { ...params, teacherId: quinn.id } }),
      st.as.okafor.classes.removeTeacher.raw({ params: { ...params, teacherId: byrne.id } }),
    ])
    expect(replies.filter(({ status }) => status >= 500)).toEqual([])
    const teachers = await st.as.okafor.classes.teachers({ params })
    expect(teachers.filter((one) => one.isClassTeacher)).toHaveLength(1)
    const [register] = (await st.rows('class_teacher')).filter((row) => row.student_group_id === class3B.id)
    expect(teachers[0]?.teacherId).toBe(register?.user_profile_id)
    expect((await st.rows('class_teacher')).find((row) => row.student_group_id === class3A.id)).toMatchObject({ user_profile_id: quinn.id })
  })

  test('404 for whoever is removed from the school meanwhile, as for adding them: nobody who has left becomes class teacher or teacher', async () => {
    const { id: teacherId } = await newcomer(st, 'leaving')
    const place = { id: naturalId('membership', teacherId, stBrigids), school_id: stBrigids, user_id: teacherId }
    for (const ask of [
      () => st.as.okafor.classes.handOver.raw({ params, body: { teacherId } }),
      () => st.as.okafor.classes.addTeacher.raw({ params, body: { teacherId, subjectIds: [] } }),
    ]) {
      await st.services.store.write(asSystem(), (tx) => tx.insert('school_management', [{ ...place, role: 'teacher', is_active: true }]))
      const leave = async (tx: WriteTx) => {
        const membership = await tx.find('school_management', stBrigids, place.id)
        await tx.remove('school_management', membership ? [membership] : [])
      }
      expect(await meanwhile(st, leave, ask)).toMatchObject({ status: 404 })
    }
  })

  test('400 without a teacher', async () => {
    expect(await refused(st, () => st.as.okafor.classes.handOver.raw({ params, body: {} }))).toEqual({
      status: 400,
      code: 'validation_failed',
    })
  })
})
