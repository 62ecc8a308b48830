import { elan, englishExam, hilltopExam, irishOral, mathsExam, mathsHomework, mathsQuiz, oisin } from '@markbook/shared/story/marks'
import type { PersonName } from '@markbook/shared/story/people'
import {
  class3A,
  class3B,
  english,
  hilary,
  hilltopClass,
  hilltopMaths,
  hilltopTerm,
  irish,
  lastYears2B,
  maths,
  michaelmas,
  science,
  trinity,
} from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const quiz = { termId: hilary.id, subjectId: maths.id, title: 'Quiz 2', assessmentType: 'coursework' } as const
const theQuiz = { params: { id: mathsQuiz.id } }

describe('GET /api/assessments', () => {
  test('those of a term and subject by sort_order, for a teacher who teaches neither', async () => {
    const listed = await st.as.byrne.assessments.list({ query: { termId: michaelmas.id, subjectId: maths.id } })
    expect(listed.map(({ title }) => title)).toEqual(['Quiz 1', 'Homework', 'Christmas exam'])
    expect(listed[0]).not.toHaveProperty('school_id')
  })

  test('those without sort_order come last, as they were created', async () => {
    const of = { termId: trinity.id, subjectId: irish.id, assessmentType: 'exam' } as const
    for (const [title, sortOrder] of [
      ['third', null],
      ['second', 7],
      ['first', 0],
      ['fourth', null],
    ] as const) {
      st.clock.advance(10)
      await st.as.okafor.assessments.create({ body: { ...of, title, sortOrder } })
    }
    const listed = await st.as.ada.assessments.list({ query: { termId: trinity.id, subjectId: irish.id } })
    expect(listed.map(({ title }) => title)).toEqual(['first', 'second', 'third', 'fourth'])
  })

  test('for a class: its own and those of every class', async () => {
    const query = { termId: michaelmas.id, subjectId: maths.id }
    const of3A = await st.as.ada.assessments.list({ query: { ...query, studentGroupId: class3A.id } })
    const of3B = await st.as.ada.assessments.list({ query: { ...query, studentGroupId: class3B.id } })
    expect(of3A.map(({ title }) => title)).toEqual(['Quiz 1', 'Christmas exam'])
    expect(of3B).toHaveLength(3)
  })

  test.each([
    ['term', { termId: hilltopTerm.id, subjectId: maths.id }],
    ['subject', { termId: michaelmas.id, subjectId: hilltopMaths.id }],
    ['class', { termId: michaelmas.id, subjectId: maths.id, studentGroupId: hilltopClass.id }],
    ['absent term', { termId: absent, subjectId: maths.id }],
  ])('404 for another school’s %s', async (_what, query) => {
    expect((await st.as.okafor.assessments.list.raw({ query })).status).toBe(404)
  })

  test.each(['niamh', 'doyle', 'tomas'] as const)('403 for %s', async (name) => {
    expect((await st.as[name].assessments.list.raw({ query: { termId: michaelmas.id, subjectId: maths.id } })).status).toBe(403)
  })
})

describe('GET /api/assessments/:id', () => {
  test('another school’s is answered like one that does not exist', async () => {
    const foreign = await st.as.okafor.assessments.get.raw({ params: { id: hilltopExam.id } })
    const missing = await st.as.okafor.assessments.get.raw({ params: { id: absent } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(missing.body)
  })
})

describe('POST /api/assessments', () => {
  test('a teacher of the subject creates one, out of 100 where nothing is said', async () => {
    const created = await st.as.ada.assessments.create.raw({ body: quiz })
    expect(created).toMatchObject({
      status: 201,
      body: { title: 'Quiz 2', max_score: 100, weight: null, sort_order: null, student_group_id: null, is_excluded: false },
    })
  })

  test('a class teacher creates one of any subject for the own class', async () => {
    const body = { ...quiz, subjectId: science.id, studentGroupId: class3B.id, maxScore: 12.5, weight: 0.125, assessmentDate: '2026-02-02' }
    expect(await st.as.byrne.assessments.create({ body })).toMatchObject({
      student_group_id: class3B.id,
      max_score: 12.5,
      weight: 0.125,
      assessment_date: '2026-02-02',
    })
  })

  test.each([
    ['byrne', 'who teaches it nowhere', { ...quiz, subjectId: maths.id }],
    ['byrne', 'for another’s class', { ...quiz, subjectId: science.id, studentGroupId: class3A.id }],
    ['ada', 'in another subject', { ...quiz, subjectId: english.id }],
    ['ada', 'in another subject of the own class', { ...quiz, subjectId: english.id, studentGroupId: class3B.id }],
    ['niamh', 'who is a member', quiz],
    ['doyle', 'who is not active', quiz],
    ['tomas', 'who has no school', quiz],
  ] as [PersonName, string, object][])('403 for %s, %s', async (name, _why, body) => {
    expect(await refused(st, () => st.as[name].assessments.create.raw({ body }))).toMatchObject({ status: 403 })
  })

  test.each([
    ['term', { ...quiz, termId: hilltopTerm.id }],
    ['subject', { ...quiz, subjectId: hilltopMaths.id }],
    ['class', { ...quiz, studentGroupId: hilltopClass.id }],
    ['absent class', { ...quiz, studentGroupId: absent }],
  ])('404 for another school’s %s', async (_what, body) => {
    expect(await refused(st, () => st.as.okafor.assessments.create.raw({ body }))).toMatchObject({ status: 404 })
  })

  test('400 for a class of another year', async () => {
    const body = { ...quiz, studentGroupId: lastYears2B.id }
    const expected = { status: 400, code: 'assessments.class_of_another_year' }
    expect(await refused(st, () => st.as.okafor.assessments.create.raw({ body }))).toEqual(expected)
    expect(await refused(st, () => st.as.byrne.assessments.create.raw({ body: { ...body, subjectId: science.id } }))).toEqual(expected)
  })

  test.each([
    { maxScore: 0 },
    { maxScore: -1 },
    { maxScore: '15' },
    { maxScore: 12.345 },
    { maxScore: 100_001 },
    { maxScore: null },
    { weight: -1 },
    { weight: 1.00001 },
    { weight: '1' },
    { title: '' },
    { title: 'a\u0000b' },
    { title: 'x'.repeat(201) },
    { assessmentType: 'quiz' },
    { assessmentDate: '2026-02-30' },
    { sortOrder: 1.5 },
    { is_excluded: true },
    { subjectId: undefined },
  ])('400 for %o', async (wrong) => {
    expect(await refused(st, () => st.as.ada.assessments.create.raw({ body: { ...quiz, ...wrong } }))).toEqual({
      status: 400,
      code: 'validation_failed',
    })
  })

  test('access comes before the body: 403 for a stranger to the subject who sends nonsense', async () => {
    const body = { ...quiz, subjectId: english.id, maxScore: 'x' }
    expect(await refused(st, () => st.as.ada.assessments.create.raw({ body }))).toMatchObject({ status: 403 })
  })
})

describe('PATCH /api/assessments/:id', () => {
  test('changes what is said and keeps the rest', async () => {
    const changed = await st.as.ada.assessments.update({ ...theQuiz, body: { title: 'Quiz one', weight: 2 } })
    expect(changed).toMatchObject({ title: 'Quiz one', weight: 2, max_score: 20, sort_order: 1 })
    expect(await st.as.ada.assessments.update({ ...theQuiz, body: { weight: null } })).toMatchObject({ title: 'Quiz one', weight: null })
  })

  test('what changes nothing writes nothing', async () => {
    const before = await st.digest()
    await st.as.ada.assessments.update({ ...theQuiz, body: { title: 'Quiz one', maxScore: 20 } })
    await st.as.ada.assessments.update({ ...theQuiz, body: {} })
    expect(await st.digest()).toBe(before)
  })

  test.each([{ termId: hilary.id }, { subjectId: english.id }, { isExcluded: true }])('400 for %o', async (body) => {
    expect(await refused(st, () => st.as.ada.assessments.update.raw({ ...theQuiz, body }))).toEqual({
      status: 400,
      code: 'validation_failed',
    })
  })

  test('403 for who does not teach the subject; the class teacher too, as long as it is not of the own class', async () => {
    expect(
      await refused(st, () => st.as.ada.assessments.update.raw({ params: { id: englishExam.id }, body: { title: 'x' } })),
    ).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.byrne.assessments.update.raw({ ...theQuiz, body: { title: 'x' } }))).toMatchObject({ status: 403 })
    expect(await st.as.byrne.assessments.update({ params: { id: mathsHomework.id }, body: { title: 'Home work' } })).toMatchObject({
      title: 'Home work',
    })
  })

  test('404 for another school’s', async () => {
    expect(
      await refused(st, () => st.as.okafor.assessments.update.raw({ params: { id: hilltopExam.id }, body: { title: 'x' } })),
    ).toMatchObject({ status: 404 })
  })

  test('moving one needs the right to the new place too', async () => {
    const ofClass = await st.as.byrne.assessments.create({ body: { ...quiz, subjectId: science.id, studentGroupId: class3B.id } })
    for (const studentGroupId of [class3A.id, null]) {
      const move = () => st.as.byrne.assessments.update.raw({ params: { id: ofClass.id }, body: { studentGroupId } })
      expect(await refused(st, move)).toEqual({ status: 403, code: 'assessments.not_your_subject' })
    }
    expect(await st.as.okafor.assessments.update({ params: { id: ofClass.id }, body: { studentGroupId: class3A.id } })).toMatchObject({
      student_group_id: class3A.id,
    })
    expect(await refused(st, () => st.as.byrne.assessments.update.raw({ params: { id: ofClass.id }, body: { title: 'x' } }))).toMatchObject(
      { status: 403 },
    )
  })

  test('moving one to a class of another year is 400, to another school’s 404', async () => {
    const move = (studentGroupId: string) => () => st.as.okafor.assessments.update.raw({ ...theQuiz, body: { studentGroupId } })
    expect(await refused(st, move(lastYears2B.id))).toMatchObject({ status: 400 })
    expect(await refused(st, move(hilltopClass.id))).toMatchObject({ status: 404 })
  })

  test('409 for a move away from students who have a grade', async () => {
    const move = () => st.as.okafor.assessments.update.raw({ ...theQuiz, body: { studentGroupId: class3B.id } })
    expect(await refused(st, move)).toEqual({ status: 409, code: 'assessments.grades_outside_class' })
    await st.as.okafor.assessments.update({ params: { id: irishOral.id }, body: { studentGroupId: class3B.id } })
    await st.as.okafor.assessments.update({ params: { id: irishOral.id }, body: { studentGroupId: null } })
  })

  test('409 for a maximum under a recorded score; the score itself is a maximum', async () => {
    const lower = (maxScore: number) => () => st.as.ada.assessments.update.raw({ ...theQuiz, body: { maxScore } })
    expect(await refused(st, lower(19.99))).toEqual({ status: 409, code: 'assessments.score_above_maximum' })
    expect((await lower(20)()).status).toBe(200)
  })

  test('a maximum lowered while a score is saved: one of the two is refused, and no score is above its maximum', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await st.as.ada.assessments.create({ body: { ...quiz, title: `Race ${round}` } })
      const [grade, change] = await Promise.all([
        st.as.ada.grades.create.raw({ body: { assessmentId: id, studentId: elan.id, score: 90 } }),
        st.as.ada.assessments.update.raw({ params: { id }, body: { maxScore: 50 } }),
      ])
      expect([`${grade.status} ${change.status}`]).toContainEqual(expect.stringMatching(/^(201 409|400 200)$/))
    }
  })
})

describe('PATCH /api/assessments/:id/exclude', () => {
  test('leaves it out with a reason, which goes when it is taken in again', async () => {
    const exclude = (body: { isExcluded: boolean; exclusionReason?: string }) => st.as.ada.assessments.exclude({ ...theQuiz, body })
    expect(await exclude({ isExcluded: true, exclusionReason: 'snow' })).toMatchObject({ is_excluded: true, exclusion_reason: 'snow' })
    expect(await exclude({ isExcluded: true })).toMatchObject({ exclusion_reason: 'snow' })
    expect(await exclude({ isExcluded: false, exclusionReason: 'none' })).toMatchObject({ is_excluded: false, exclusion_reason: null })
  })

  test('403 for who does not teach the subject, 404 for another school’s, 400 for no flag', async () => {
    const body = { isExcluded: true }
    expect(await refused(st, () => st.as.byrne.assessments.exclude.raw({ ...theQuiz, body }))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.okafor.assessments.exclude.raw({ params: { id: hilltopExam.id }, body }))).toMatchObject({
      status: 404,
    })
    expect(await refused(st, () => st.as.ada.assessments.exclude.raw({ ...theQuiz, body: { isExcluded: 'yes' } }))).toMatchObject({
      status: 400,
    })
  })
})

describe('DELETE /api/assessments/:id', () => {
  test('403 for who does not teach the subject, 404 for another school’s', async () => {
    expect(await refused(st, () => st.as.byrne.assessments.remove.raw({ params: { id: mathsExam.id } }))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.okafor.assessments.remove.raw({ params: { id: hilltopExam.id } }))).toMatchObject({ status: 404 })
  })

  test('its grades go with it, one tombstone each, and no others', async () => {
    const before = await st.rows('grade')
    const own = before.filter(({ assessment_id }) => assessment_id === mathsExam.id)
    expect(own.map(({ student_id }) => student_id)).toContain(oisin.id)
    await st.as.ada.assessments.remove({ params: { id: mathsExam.id } })
    expect(await st.rows('grade')).toEqual(before.filter(({ assessment_id }) => assessment_id !== mathsExam.id))
    for (const { id } of own) {
      const [last] = await st.as.ada.history.list({ query: { entity: 'grade', id } })
      expect(last?.action).toBe('delete')
    }
    expect((await st.as.ada.assessments.get.raw({ params: { id: mathsExam.id } })).status).toBe(404)
  })
})
