import { naturalId } from '@markbook/shared/ids'
import { elan, hilltopPupil, mei, oisin, sean, wanderer } from '@markbook/shared/story/marks'
import { class3B, english, hilltopMaths, irish, maths, science } from '@markbook/shared/story/school-year'
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
const mayNotManage = ['ada', 'quinn', 'niamh', 'markerTeacher'] as const
const given = async (studentId: string) =>
  (await st.as.ada.classes.studentSubjects({ params: { ...in3B, sid: studentId } })).map(({ code }) => code)

describe('POST /api/classes/:id/subjects', () => {
  const assign = (studentId: string, subjectIds: unknown) => () =>
    st.as.byrne.classes.assignSubjects.raw({ params: in3B, body: { studentId, subjectIds } })

  test('gives subjects to a student; the reply is in the order asked', async () => {
    const rows = await st.as.byrne.classes.assignSubjects({ params: in3B, body: { studentId: mei.id, subjectIds: [irish.id, maths.id] } })
    expect(rows).toEqual(
      [irish, maths].map(({ id }) => ({
        id: naturalId('student_subject', mei.id, id, class3B.id),
        student_id: mei.id,
        subject_id: id,
        student_group_id: class3B.id,
      })),
    )
  })

  test('adds to what the student has, and assigning again changes nothing', async () => {
    expect(await assign(mei.id, [maths.id, english.id])()).toMatchObject({
      status: 201,
      body: [{ subject_id: maths.id }, { subject_id: english.id }],
    })
    expect(await given(mei.id)).toEqual(['MA', 'EN', 'GA'])
    const before = await st.digest()
    expect(await assign(mei.id, [english.id, maths.id])()).toMatchObject({ status: 201 })
    expect(await st.digest()).toBe(before)
  })

  test('of equal requests at once all give the same rows', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => assign(elan.id, [science.id, maths.id])()))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(await given(elan.id)).toEqual(['MA', 'SC'])
  })

  test('400 for a student who is not in the class', async () => {
    for (const studentId of [wanderer.id, oisin.id]) {
      expect(await refused(st, assign(studentId, [maths.id]))).toEqual({ status: 400, code: 'classes.not_enrolled' })
    }
  })

  test('404 for a student or a subject of another school, as for one that does not exist', async () => {
    for (const studentId of [hilltopPupil.id, absent])
      expect(await refused(st, assign(studentId, [maths.id]))).toEqual({ status: 404, code: 'not_found' })
    for (const id of [hilltopMaths.id, absent])
      expect(await refused(st, assign(mei.id, [science.id, id]))).toEqual({ status: 404, code: 'not_found' })
  })

  test('403 for who does not manage the class, whatever the body; 404 for the neighbour’s administrator', async () => {
    for (const who of mayNotManage) {
      expect(await refused(st, () => st.as[who].classes.assignSubjects.raw({ params: in3B, body: {} }))).toEqual({
        status: 403,
        code: 'forbidden',
      })
    }
    const body = { studentId: hilltopPupil.id, subjectIds: [hilltopMaths.id] }
    expect(await refused(st, () => st.as.marker.classes.assignSubjects.raw({ params: in3B, body }))).toMatchObject({ status: 404 })
  })

  test('400 where the body is not right', async () => {
    for (const ids of [[], [maths.id, maths.id], undefined]) {
      expect(await refused(st, assign(mei.id, ids))).toEqual({ status: 400, code: 'validation_failed' })
    }
    expect(await refused(st, assign(mei.id, ['MA']))).toEqual({ status: 400, code: 'malformed_id' })
  })
})

describe('GET /api/classes/:id/students/:sid/subjects', () => {
  test('the subjects of a student in order, for every teacher of the class', async () => {
    expect(await st.as.ada.classes.studentSubjects({ params: { ...in3B, sid: mei.id } })).toEqual([
      { id: maths.id, name: 'Mathematics', code: 'MA' },
      { id: english.id, name: 'English', code: 'EN' },
      { id: irish.id, name: 'Irish', code: 'GA' },
    ])
  })

  test('empty for a student to whom none was given', async () => {
    expect(await given(sean.id)).toEqual([])
  })

  test('404 for a student who is not in the class, foreign or absent', async () => {
    for (const sid of [oisin.id, wanderer.id, hilltopPupil.id, absent]) {
      expect(await st.as.byrne.classes.studentSubjects.raw({ params: { ...in3B, sid } })).toMatchObject({ status: 404 })
    }
  })

  test('403 for a teacher of other classes and a member', async () => {
    for (const who of ['quinn', 'niamh', 'markerTeacher'] as const) {
      expect(await st.as[who].classes.studentSubjects.raw({ params: { ...in3B, sid: mei.id } })).toMatchObject({ status: 403 })
    }
  })
})

describe('POST /api/classes/:id/subjects/bulk', () => {
  const assign = (subjectId: unknown, studentIds: unknown) => () =>
    st.as.byrne.classes.assignSubjectBulk.raw({ params: in3B, body: { subjectId, studentIds } })

  test('gives a subject to several students, in the order asked; who has it keeps the row', async () => {
    const studentIds = [sean.id, mei.id]
    const rows = await st.as.okafor.classes.assignSubjectBulk({ params: in3B, body: { subjectId: irish.id, studentIds } })
    expect(rows.map((row) => row.student_id)).toEqual(studentIds)
    expect(await given(sean.id)).toEqual(['GA'])
    expect(await given(mei.id)).toEqual(['MA', 'EN', 'GA'])
  })

  test('whole or nothing: 400 where one is not in the class, naming each', async () => {
    const call = assign(science.id, [mei.id, wanderer.id, oisin.id])
    expect(await refused(st, call)).toEqual({ status: 400, code: 'classes.not_enrolled' })
    expect((await call()).body).toMatchObject({
      issues: [
        { path: 'studentIds.1', message: 'Robin Gallagher is not in the class.' },
        { path: 'studentIds.2', message: 'Oisín Kelly is not in the class.' },
      ],
    })
  })

  test('404 for a subject or a student of another school, as for one that does not exist', async () => {
    for (const id of [hilltopMaths.id, absent]) expect(await refused(st, assign(id, [mei.id]))).toEqual({ status: 404, code: 'not_found' })
    for (const id of [hilltopPupil.id, absent])
      expect(await refused(st, assign(science.id, [mei.id, id]))).toEqual({ status: 404, code: 'not_found' })
  })

  test('403 for who does not manage the class', async () => {
    for (const who of mayNotManage) {
      const body = { subjectId: science.id, studentIds: [mei.id] }
      expect(await refused(st, () => st.as[who].classes.assignSubjectBulk.raw({ params: in3B, body }))).toEqual({
        status: 403,
        code: 'forbidden',
      })
    }
  })

  test('400 where the body is not right', async () => {
    expect(await refused(st, assign('science', [mei.id]))).toEqual({ status: 400, code: 'malformed_id' })
    for (const [subject, students] of [
      [undefined, [mei.id]],
      [science.id, []],
      [science.id, [mei.id, mei.id]],
    ] as const) {
      expect(await refused(st, assign(subject, students))).toEqual({ status: 400, code: 'validation_failed' })
    }
  })
})

describe('DELETE /api/classes/:id/students/:sid/subjects/:subjectId', () => {
  const params = { ...in3B, sid: mei.id, subjectId: irish.id }

  test('403 for who does not manage the class; 404 for the neighbour’s administrator', async () => {
    for (const who of mayNotManage) {
      expect(await refused(st, () => st.as[who].classes.removeStudentSubject.raw({ params }))).toEqual({ status: 403, code: 'forbidden' })
    }
    expect(await refused(st, () => st.as.marker.classes.removeStudentSubject.raw({ params }))).toMatchObject({ status: 404 })
  })

  test('takes one subject from one student', async () => {
    expect(await st.as.byrne.classes.removeStudentSubject({ params })).toHaveProperty('message')
    expect(await given(mei.id)).toEqual(['MA', 'EN'])
    expect(await given(sean.id)).toEqual(['GA'])
  })

  test('404 where the student does not have it', async () => {
    const others = [params, { ...params, subjectId: hilltopMaths.id }, { ...params, sid: hilltopPupil.id }, { ...params, sid: wanderer.id }]
    for (const other of others) {
      const reply = await refused(st, () => st.as.byrne.classes.removeStudentSubject.raw({ params: other }))
      expect(reply).toEqual({ status: 404, code: 'not_found' })
    }
  })

  test('given again it has the same id', async () => {
    const [row] = await st.as.byrne.classes.assignSubjects({ params: in3B, body: { studentId: mei.id, subjectIds: [irish.id] } })
    expect(row?.id).toBe(naturalId('student_subject', mei.id, irish.id, class3B.id))
  })
})

describe('GET /api/classes/:id/subjects', () => {
  const taken = (who: 'byrne' | 'ada' | 'okafor' = 'ada') => st.as[who].classes.subjectsTaken({ params: in3B })

  test('the subjects assigned to its students, for everybody who may read it', async () => {
    await st.as.byrne.classes.assignSubjects({ params: in3B, body: { studentId: sean.id, subjectIds: [irish.id] } })
    const rows = await taken()
    expect(rows).toContainEqual({
      id: naturalId('student_subject', sean.id, irish.id, class3B.id),
      student_id: sean.id,
      subject_id: irish.id,
      student_group_id: class3B.id,
    })
    expect(await taken('byrne')).toEqual(rows)
    expect(await taken('okafor')).toEqual(rows)
  })

  test('agrees with the list of every single student', async () => {
    const [rows, pupils] = [await taken(), await st.as.ada.classes.students({ params: in3B })]
    expect(rows.length).toBeGreaterThan(0)
    for (const { id } of pupils) {
      const own = await st.as.ada.classes.studentSubjects({ params: { ...in3B, sid: id } })
      const listed = rows.filter(({ student_id }) => student_id === id).map(({ subject_id }) => subject_id)
      expect(new Set(listed)).toEqual(new Set(own.map((subject) => subject.id)))
    }
  })

  test('a student who left the class is not listed any more', async () => {
    const listed = async () => (await taken()).some(({ student_id }) => student_id === sean.id)
    expect(await listed()).toBe(true)
    await st.as.byrne.classes.unenroll({ params: { ...in3B, studentId: sean.id } })
    expect(await listed()).toBe(false)
    await st.as.byrne.classes.enroll({ params: in3B, body: { studentId: sean.id } })
  })

  test('403 for a teacher without an assignment to the class, 404 for the neighbour’s administrator', async () => {
    expect(await refused(st, () => st.as.quinn.classes.subjectsTaken.raw({ params: in3B }))).toEqual({ status: 403, code: 'forbidden' })
    expect(await refused(st, () => st.as.marker.classes.subjectsTaken.raw({ params: in3B }))).toMatchObject({ status: 404 })
  })
})
