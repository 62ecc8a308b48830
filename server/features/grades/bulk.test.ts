import {
  elan,
  englishExam,
  fatima,
  hilltopExam,
  hilltopPupil,
  lukasz,
  mathsExam,
  mathsHomework,
  mathsQuiz,
  mei,
  oisin,
  pupilsOf3B,
  sean,
  wanderer,
  zoe,
} from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const of = (student: { id: string }, score: unknown, more: object = {}) => ({ studentId: student.id, score, ...more })
const sent = (assessment: { id: string }, ...grades: object[]) => ({ body: { assessmentId: assessment.id, grades } })
const storedOf = async (assessment: { id: string }) =>
  Object.fromEntries(
    (await st.rows('grade'))
      .filter(({ assessment_id }) => assessment_id === assessment.id)
      .map(({ student_id, score }) => [student_id, score]),
  )

describe('POST /api/grades/bulk', () => {
  test('records the new ones, changes the old ones in place, and answers in the order asked', async () => {
    st.clock.advance(60_000)
    const { body } = await st.as.byrne.grades.bulk.raw(sent(mathsExam, of(mei, 70, { remarks: 'Better.' }), of(elan, 44), of(zoe, 71)))
    expect(body).toMatchObject([
      { student_id: mei.id, score: 70, remarks: 'Better.', letter_grade: 'B', created_by: people.ada.id, updated_by: people.byrne.id },
      { student_id: elan.id, score: 44, remarks: null, letter_grade: 'F', created_by: people.byrne.id },
      { student_id: zoe.id, score: 71, updated_by: people.ada.id },
    ])
    expect(await storedOf(mathsExam)).toMatchObject({ [mei.id]: 70, [elan.id]: 44, [zoe.id]: 71, [sean.id]: 55 })
  })

  test('equal values write nothing, and absent remarks stay', async () => {
    const before = await st.digest()
    const { body } = await st.as.ada.grades.bulk.raw(sent(mathsExam, of(mei, 70), of(zoe, 71, { remarks: null })))
    expect(await st.digest()).toBe(before)
    expect(body).toMatchObject([{ remarks: 'Better.' }, { remarks: null }])
  })

  test('an excluded mark stays excluded', async () => {
    const { body } = await st.as.ada.grades.bulk.raw(sent(mathsQuiz, of(zoe, 5)))
    expect(body).toMatchObject([{ score: 5, is_excluded: true, exclusion_reason: 'was ill' }])
  })

  test('403 for everything where one student is not the teacher’s', async () => {
    const attempt = () => st.as.ada.grades.bulk.raw(sent(mathsQuiz, of(elan, 1), of(oisin, 2)))
    expect(await refused(st, attempt)).toEqual({ status: 403, code: 'grades.not_your_subject' })
    expect((await attempt()).body).toMatchObject({ issues: [{ path: 'grades.1.studentId' }] })
    expect(await refused(st, () => st.as.ada.grades.bulk.raw(sent(mathsQuiz, of(wanderer, 1))))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.ada.grades.bulk.raw(sent(englishExam, of(elan, 1))))).toMatchObject({ status: 403 })
  })

  test('404 for everything where one student is another school’s or absent', async () => {
    for (const name of ['ada', 'okafor'] as const) {
      const foreign = await st.as[name].grades.bulk.raw(sent(mathsQuiz, of(elan, 1), of(hilltopPupil, 2)))
      const missing = await st.as[name].grades.bulk.raw(sent(mathsQuiz, of(elan, 1), of({ id: absent }, 2)))
      expect(foreign.status).toBe(404)
      expect(foreign.body).toEqual(missing.body)
    }
    expect(await refused(st, () => st.as.okafor.grades.bulk.raw(sent(mathsQuiz, of(elan, 1), of(hilltopPupil, 2))))).toMatchObject({
      status: 404,
    })
    expect(await refused(st, () => st.as.okafor.grades.bulk.raw(sent(hilltopExam, of(elan, 1))))).toMatchObject({ status: 404 })
  })

  test('400 for everything where one student is not in the class of the assessment', async () => {
    const attempt = () => st.as.okafor.grades.bulk.raw(sent(mathsHomework, of(elan, 1), of(fatima, 2)))
    expect(await refused(st, attempt)).toEqual({ status: 400, code: 'grades.outside_class' })
    expect((await attempt()).body).toMatchObject({ issues: [{ path: 'grades.1.studentId' }] })
  })

  test('400 for everything where a score is above the maximum, naming each', async () => {
    const attempt = () => st.as.ada.grades.bulk.raw(sent(mathsQuiz, of(elan, 20.01), of(sean, 20), of(mei, 21)))
    expect(await refused(st, attempt)).toEqual({ status: 400, code: 'grades.above_maximum' })
    expect((await attempt()).body).toMatchObject({ issues: [{ path: 'grades.0.score' }, { path: 'grades.2.score' }] })
  })

  const manyStudents = Array.from({ length: 1_001 }, (_, at) => of({ id: `00000000-0000-7000-8000-${String(at).padStart(12, '0')}` }, 1))
  test.each([
    ['a student twice', [of(elan, 1), of(zoe, 1), of(elan, 2)], 'grades.2.studentId'],
    ['no grades', [], 'grades'],
    ['1,001 grades', manyStudents, 'grades'],
    ['-1', [of(elan, -1)], 'grades.0.score'],
    ['NaN', [of(elan, Number.NaN)], 'grades.0.score'],
    ['null', [of(elan, null)], 'grades.0.score'],
    ['"15"', [of(elan, '15')], 'grades.0.score'],
    ['12.345', [of(elan, 12.345)], 'grades.0.score'],
    ['control characters', [of(elan, 1, { remarks: 'a\u0007b' })], 'grades.0.remarks'],
    ['an unknown field', [of(elan, 1, { letterGrade: 'A' })], 'grades.0'],
    ['no list', 'grades', 'grades'],
  ])('400 for %s', async (_what, grades, path) => {
    const attempt = () => st.as.ada.grades.bulk.raw({ body: { assessmentId: mathsQuiz.id, grades } })
    expect(await refused(st, attempt)).toEqual({ status: 400, code: 'validation_failed' })
    expect((await attempt()).body).toMatchObject({ issues: [{ path }] })
  })

  test('400 for malformed student ids, each with its place, before access is checked', async () => {
    const grades = [of(elan, 1), { studentId: 7, score: 1 }, { studentId: 'Élan', score: 1 }]
    for (const { id } of [mathsQuiz, englishExam]) {
      const attempt = () => st.as.ada.grades.bulk.raw({ body: { assessmentId: id, grades } as never })
      expect(await refused(st, attempt)).toEqual({ status: 400, code: 'malformed_id' })
      expect((await attempt()).body).toMatchObject({ issues: [{ path: 'grades.1.studentId' }, { path: 'grades.2.studentId' }] })
    }
  })

  test('access comes before the body: a teacher of other subjects gets 403, even with an invalid body', async () => {
    expect(await refused(st, () => st.as.ada.grades.bulk.raw({ body: { assessmentId: englishExam.id, grades: 'x' } }))).toMatchObject({
      status: 403,
    })
  })

  test.each(['niamh', 'doyle', 'tomas', 'nobody'] as const)('403 for %s', async (name) => {
    expect(await refused(st, () => st.as[name].grades.bulk.raw(sent(mathsQuiz, of(elan, 1))))).toMatchObject({ status: 403 })
  })

  test('20 at once over the same students: all are saved, and each student has a score that somebody sent', async () => {
    const fresh = await st.as.ada.assessments.create({
      body: { termId: mathsQuiz.term_id, subjectId: mathsQuiz.subject_id, title: 'Crowd', assessmentType: 'exam' },
    })
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => {
        const some = pupilsOf3B.filter((_pupil, at) => (at + turn) % 3 !== 0)
        const ordered = turn % 2 ? some : some.reverse()
        const api = [st.as.ada, st.as.byrne, st.as.okafor][turn % 3] as School['as']['ada']
        return api.grades.bulk.raw(sent(fresh, ...ordered.map((pupil) => of(pupil, turn + 1))))
      }),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const stored = await storedOf(fresh)
    for (const [at, pupil] of pupilsOf3B.entries()) {
      const senders = Array.from({ length: 20 }, (_, turn) => turn).filter((turn) => (at + turn) % 3 !== 0)
      expect(senders.map((turn) => turn + 1)).toContain(stored[pupil.id])
    }
    expect(Object.keys(stored)).toHaveLength(pupilsOf3B.length)
  })

  test('bulks over different assessments and single grades at once do not deadlock', async () => {
    const calls = Array.from({ length: 12 }, (_, turn) =>
      turn % 3 === 0
        ? st.as.byrne.grades.bulk.raw(sent(mathsHomework, of(lukasz, turn % 10), of(elan, turn % 10)))
        : st.as.ada.grades.bulk.raw(sent(turn % 3 === 1 ? mathsQuiz : mathsExam, of(elan, turn), of(lukasz, turn))),
    )
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(12).fill(200))
  })
})
