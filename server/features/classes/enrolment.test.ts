import { naturalId } from '@markbook/shared/ids'
import { elan, fatima, hilltopPupil, mei, oisin, pupilsOf3A, pupilsOf3B, wanderer, zoe } from '@markbook/shared/story/marks'
import { class3A, class3B, english, hilltopClass, lastYears2B, maths, thisYear } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const in3B = { id: class3B.id }
const in3A = { id: class3A.id }
/** A subject teacher of the class, teachers of others, a member: none of them may enrol pupils in 3B. */
const mayNotManage = ['ada', 'quinn', 'niamh', 'markerTeacher'] as const
const placesOf = async (studentId: string) => (await st.rows('enrolment')).filter((row) => row.student_id === studentId)
const unenrol = (classId: string, studentId: string) => st.as.okafor.classes.unenroll.raw({ params: { id: classId, studentId } })

describe('GET /api/classes/:id/students', () => {
  test('the students of the class by last name, first name, with their enrolment', async () => {
    const students = await st.as.ada.classes.students({ params: in3B })
    expect(students.map(({ first_name }) => first_name)).toEqual(['Zoë', 'Mei', 'Aoife', 'Seán', 'Élan', 'Łukasz'])
    expect(students[1]).toMatchObject({ id: mei.id, student_number: 'SB-006', enrollment_id: naturalId('enrolment', mei.id, thisYear.id) })
    expect(students[0]).not.toHaveProperty('search_key')
  })

  test('403 for a teacher of other classes and a member; 404 for an administrator where it is foreign', async () => {
    for (const who of ['quinn', 'niamh', 'markerTeacher'] as const) {
      expect(await st.as[who].classes.students.raw({ params: in3B })).toMatchObject({ status: 403 })
    }
    expect(await st.as.okafor.classes.students.raw({ params: { id: hilltopClass.id } })).toMatchObject({ status: 404 })
    expect(await st.as.marker.classes.students.raw({ params: in3B })).toMatchObject({ status: 404 })
  })
})

describe('POST /api/classes/:id/enroll', () => {
  const body = { studentId: wanderer.id }

  test('enrols a student; the id follows from student and year', async () => {
    const enrolment = await st.as.byrne.classes.enroll({ params: in3B, body })
    expect(enrolment).toEqual({
      id: naturalId('enrolment', wanderer.id, thisYear.id),
      student_id: wanderer.id,
      student_group_id: class3B.id,
      academic_year_id: thisYear.id,
      enrolled_at: '2026-01-12T08:00:00.000Z',
    })
  })

  test('enrolling twice in the same class gives the same row and changes nothing', async () => {
    const [row] = await placesOf(wanderer.id)
    const before = await st.digest()
    st.clock.advance(1_000)
    const again = await st.as.okafor.classes.enroll.raw({ params: in3B, body })
    expect(again).toMatchObject({ status: 201, body: { id: row?.id, enrolled_at: row?.enrolled_at } })
    expect(await st.digest()).toBe(before)
  })

  test('409 in another class of the year, naming that class', async () => {
    const reply = await st.as.quinn.classes.enroll.raw({ params: in3A, body })
    expect(reply).toMatchObject({
      status: 409,
      body: { code: 'already_enrolled', message: 'Robin Gallagher is already in the class 3B that year.' },
    })
    expect(await refused(st, () => st.as.quinn.classes.enroll.raw({ params: in3A, body }))).toEqual({
      status: 409,
      code: 'already_enrolled',
    })
  })

  test('a class of another year takes the same student', async () => {
    const { id } = await st.as.byrne.classes.enroll({ params: { id: lastYears2B.id }, body })
    expect((await placesOf(wanderer.id)).map((row) => row.id)).toContain(id)
    await unenrol(lastYears2B.id, wanderer.id)
  })

  test('of equal requests at once all give the one row', async () => {
    await unenrol(class3B.id, wanderer.id)
    const replies = await Promise.all(
      ['byrne', 'okafor', 'byrne'].map((who) => st.as[who as 'byrne'].classes.enroll.raw({ params: in3B, body })),
    )
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1)
    expect(await placesOf(wanderer.id)).toHaveLength(1)
  })

  test('two classes at once: one has the student', async () => {
    await unenrol(class3B.id, wanderer.id)
    const replies = await Promise.all([
      st.as.byrne.classes.enroll.raw({ params: in3B, body }),
      st.as.quinn.classes.enroll.raw({ params: in3A, body }),
    ])
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'already_enrolled' })
    const [place, ...others] = await placesOf(wanderer.id)
    expect(others).toEqual([])
    await unenrol(place?.student_group_id ?? '', wanderer.id)
  })

  test('an inactive student can be enrolled', async () => {
    await st.as.byrne.students.update({ params: { id: wanderer.id }, body: { isActive: false } })
    expect(await st.as.byrne.classes.enroll.raw({ params: in3B, body })).toMatchObject({ status: 201 })
    await st.as.byrne.students.update({ params: { id: wanderer.id }, body: { isActive: true } })
    await unenrol(class3B.id, wanderer.id)
  })

  test('404 for a student of another school, as for one that does not exist', async () => {
    const foreign = await st.as.byrne.classes.enroll.raw({ params: in3B, body: { studentId: hilltopPupil.id } })
    const missing = await st.as.byrne.classes.enroll.raw({ params: in3B, body: { studentId: absent } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(missing.body)
  })

  test('403 without the right to manage the class, whatever the student; 404 for the neighbour’s administrator', async () => {
    for (const who of mayNotManage) {
      for (const studentId of [wanderer.id, absent]) {
        expect(await refused(st, () => st.as[who].classes.enroll.raw({ params: in3B, body: { studentId } }))).toEqual({
          status: 403,
          code: 'forbidden',
        })
      }
    }
    expect(await refused(st, () => st.as.marker.classes.enroll.raw({ params: in3B, body: { studentId: hilltopPupil.id } }))).toMatchObject({
      status: 404,
    })
  })

  test('400 without a student, with an id that is none, and with a field that is not taken', async () => {
    expect(await refused(st, () => st.as.byrne.classes.enroll.raw({ params: in3B, body: {} }))).toEqual({
      status: 400,
      code: 'validation_failed',
    })
    expect(await refused(st, () => st.as.byrne.classes.enroll.raw({ params: in3B, body: { studentId: 'Robin' } }))).toMatchObject({
      status: 400,
    })
    const more = { ...body, enrolledAt: '2025-09-01' }
    expect(await refused(st, () => st.as.byrne.classes.enroll.raw({ params: in3B, body: more }))).toMatchObject({ status: 400 })
  })
})

describe('POST /api/classes/:id/enroll/bulk', () => {
  const enrol = (studentIds: unknown) => () => st.as.byrne.classes.enrollBulk.raw({ params: in3B, body: { studentIds } })

  test('enrols all; those who are there already keep their row; the reply is in the order asked', async () => {
    const [before] = await placesOf(mei.id)
    const studentIds = [wanderer.id, mei.id, elan.id]
    const rows = await st.as.byrne.classes.enrollBulk({ params: in3B, body: { studentIds } })
    expect(rows.map((row) => row.student_id)).toEqual(studentIds)
    expect(rows[1]).toEqual(expect.objectContaining({ id: before?.id, enrolled_at: before?.enrolled_at }))
    await unenrol(class3B.id, wanderer.id)
  })

  test('whole or nothing: 409 where one is in another class, naming each', async () => {
    const reply = await enrol([wanderer.id, oisin.id, fatima.id])()
    expect(reply).toMatchObject({
      status: 409,
      body: {
        code: 'already_enrolled',
        issues: [
          { path: 'studentIds.1', message: 'Oisín Kelly is already in the class 3A that year.' },
          { path: 'studentIds.2', message: 'Fatima Haddad is already in the class 3A that year.' },
        ],
      },
    })
    expect(await refused(st, enrol([wanderer.id, oisin.id]))).toMatchObject({ status: 409 })
  })

  test('whole or nothing: 404 where one is another school’s or does not exist', async () => {
    for (const id of [hilltopPupil.id, absent])
      expect(await refused(st, enrol([wanderer.id, id]))).toEqual({ status: 404, code: 'not_found' })
  })

  test('lists that name the same students in another order at once do not deadlock', async () => {
    const ids = [...pupilsOf3B.map(({ id }) => id), wanderer.id]
    const replies = await Promise.all([
      enrol(ids)(),
      enrol([...ids].reverse())(),
      st.as.quinn.classes.enrollBulk.raw({ params: in3A, body: { studentIds: [wanderer.id, ...pupilsOf3A.map(({ id }) => id)] } }),
    ])
    const statuses = replies.map(({ status }) => status)
    expect(statuses.slice(0, 2).every((status) => status === statuses[0])).toBe(true)
    expect(statuses.toSorted()).toEqual(statuses[2] === 201 ? [201, 409, 409] : [201, 201, 409])
    const [place, ...others] = await placesOf(wanderer.id)
    expect(others).toEqual([])
    await unenrol(place?.student_group_id ?? '', wanderer.id)
  })

  test('400 for an empty list, a student twice, an id that is none, more than a thousand', async () => {
    const many = Array.from({ length: 1_001 }, (_, at) => `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`)
    for (const ids of [[], [mei.id, mei.id], many, undefined]) {
      expect(await refused(st, enrol(ids))).toEqual({ status: 400, code: 'validation_failed' })
    }
    expect(await refused(st, enrol(['Mei']))).toEqual({ status: 400, code: 'malformed_id' })
  })

  test('403 without the right to manage the class', async () => {
    for (const who of mayNotManage) {
      const reply = await refused(st, () => st.as[who].classes.enrollBulk.raw({ params: in3B, body: { studentIds: [wanderer.id] } }))
      expect(reply).toEqual({ status: 403, code: 'forbidden' })
    }
  })
})

describe('DELETE /api/classes/:id/enroll/:studentId', () => {
  const params = { id: class3B.id, studentId: zoe.id }

  test('403 without the right to manage the class; 404 for the neighbour’s administrator', async () => {
    for (const who of mayNotManage)
      expect(await refused(st, () => st.as[who].classes.unenroll.raw({ params }))).toEqual({ status: 403, code: 'forbidden' })
    expect(await refused(st, () => st.as.marker.classes.unenroll.raw({ params }))).toMatchObject({ status: 404 })
  })

  test('404 for a student of another class, of no class, of another school, or an unknown one', async () => {
    for (const studentId of [oisin.id, wanderer.id, hilltopPupil.id, absent]) {
      const reply = await refused(st, () => st.as.byrne.classes.unenroll.raw({ params: { id: class3B.id, studentId } }))
      expect(reply).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test('takes the student and their subjects out of the class; grades and reports stay', async () => {
    await st.as.byrne.classes.assignSubjects({ params: in3B, body: { studentId: zoe.id, subjectIds: [maths.id, english.id] } })
    const kept = await Promise.all([st.rows('grade'), st.rows('report_book'), st.rows('student')])
    expect(await st.as.byrne.classes.unenroll({ params })).toHaveProperty('message')
    expect(await placesOf(zoe.id)).toEqual([])
    expect((await st.rows('student_subject')).filter((row) => row.student_id === zoe.id)).toEqual([])
    expect(await Promise.all([st.rows('grade'), st.rows('report_book'), st.rows('student')])).toEqual(kept)
  })

  test('enrolled again, in whichever class, the student has the same enrolment id', async () => {
    const moved = await st.as.quinn.classes.enroll({ params: in3A, body: { studentId: zoe.id } })
    expect(moved).toMatchObject({ id: naturalId('enrolment', zoe.id, thisYear.id), student_group_id: class3A.id })
  })

  test('of two concurrent requests one removes the student and the other is 404', async () => {
    const replies = await Promise.all([unenrol(class3A.id, zoe.id), unenrol(class3A.id, zoe.id)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404])
  })
})
