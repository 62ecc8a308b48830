import {
  elan,
  englishExam,
  fatima,
  hilltopExam,
  irishOral,
  mathsExam,
  mathsHilary,
  mathsHomework,
  mathsQuiz,
  oisin,
  wanderer,
} from '@markbook/shared/story/marks'
import { type PersonName, people } from '@markbook/shared/story/people'
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
  thisYear,
  trinity,
} from '@markbook/shared/story/school-year'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
/** For every class, so far with marks of 3B only, where Ada teaches the subject. */
const theTest = { params: { id: mathsHilary.id } }

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
  test('a teacher of the subject creates one, out of 100 by default', async () => {
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

  test('access comes before the body: 403 for a teacher of other subjects, even with an invalid body', async () => {
    const body = { ...quiz, subjectId: english.id, maxScore: 'x' }
    expect(await refused(st, () => st.as.ada.assessments.create.raw({ body }))).toMatchObject({ status: 403 })
  })
})

describe('PATCH /api/assessments/:id', () => {
  test('changes the sent fields and keeps the rest', async () => {
    const changed = await st.as.ada.assessments.update({ ...theTest, body: { title: 'Test one', weight: 2 } })
    expect(changed).toMatchObject({ title: 'Test one', weight: 2, max_score: 60, sort_order: 8 })
    expect(await st.as.ada.assessments.update({ ...theTest, body: { weight: null } })).toMatchObject({ title: 'Test one', weight: null })
  })

  test('equal values write nothing', async () => {
    const before = await st.digest()
    await st.as.ada.assessments.update({ ...theTest, body: { title: 'Test one', maxScore: 60 } })
    await st.as.ada.assessments.update({ ...theTest, body: {} })
    expect(await st.digest()).toBe(before)
  })

  test.each([{ termId: hilary.id }, { subjectId: english.id }, { isExcluded: true }])('400 for %o', async (body) => {
    expect(await refused(st, () => st.as.ada.assessments.update.raw({ ...theQuiz, body }))).toEqual({
      status: 400,
      code: 'validation_failed',
    })
  })

  test('403 for a teacher of other subjects, and for a class teacher unless it is of their class', async () => {
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

  test('409 for a maximum below a recorded score; an equal one is accepted', async () => {
    const lower = (maxScore: number) => () => st.as.ada.assessments.update.raw({ ...theTest, body: { maxScore } })
    expect(await refused(st, lower(56.99))).toEqual({ status: 409, code: 'assessments.score_above_maximum' })
    expect((await lower(57)()).status).toBe(200)
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
  test('excludes it with a reason, which is cleared when it is included again', async () => {
    const exclude = (body: { isExcluded: boolean; exclusionReason?: string }) => st.as.ada.assessments.exclude({ ...theTest, body })
    expect(await exclude({ isExcluded: true, exclusionReason: 'snow' })).toMatchObject({ is_excluded: true, exclusion_reason: 'snow' })
    expect(await exclude({ isExcluded: true })).toMatchObject({ exclusion_reason: 'snow' })
    expect(await exclude({ isExcluded: false, exclusionReason: 'none' })).toMatchObject({ is_excluded: false, exclusion_reason: null })
  })

  test('403 for a teacher of other subjects, 404 for another school’s, 400 for no flag', async () => {
    const body = { isExcluded: true }
    expect(await refused(st, () => st.as.byrne.assessments.exclude.raw({ ...theQuiz, body }))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.okafor.assessments.exclude.raw({ params: { id: hilltopExam.id }, body }))).toMatchObject({
      status: 404,
    })
    expect(await refused(st, () => st.as.ada.assessments.exclude.raw({ ...theTest, body: { isExcluded: 'yes' } }))).toMatchObject({
      status: 400,
    })
  })
})

describe('DELETE /api/assessments/:id', () => {
  test('403 for a teacher of other subjects, 404 for another school’s', async () => {
    expect(await refused(st, () => st.as.byrne.assessments.remove.raw({ params: { id: mathsExam.id } }))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.okafor.assessments.remove.raw({ params: { id: hilltopExam.id } }))).toMatchObject({ status: 404 })
  })

  test('its grades are deleted with it, one tombstone each, and no others', async () => {
    const before = await st.rows('grade')
    const own = before.filter(({ assessment_id }) => assessment_id === mathsExam.id)
    expect(own.map(({ student_id }) => student_id)).toContain(oisin.id)
    await st.as.okafor.assessments.remove({ params: { id: mathsExam.id } })
    expect(await st.rows('grade')).toEqual(before.filter(({ assessment_id }) => assessment_id !== mathsExam.id))
    for (const { id } of own) {
      const [last] = await st.as.ada.history.list({ query: { entity: 'grade', id } })
      expect(last?.action).toBe('delete')
    }
    expect((await st.as.ada.assessments.get.raw({ params: { id: mathsExam.id } })).status).toBe(404)
  })
})

describe('an assessment of every class with marks of a class where the caller does not teach the subject (decisions §8)', () => {
  let st: School
  beforeEach(async () => {
    st = await school()
  })
  afterEach(() => st.close())

  const change = (body: object) => () => st.as.ada.assessments.update.raw({ ...theQuiz, body })
  const shared = { status: 403, code: 'assessments.shared' }

  test.each([
    { maxScore: 25 },
    { maxScore: 19 },
    { weight: 2 },
    { assessmentType: 'exam' },
    { studentGroupId: class3B.id },
    { title: 'Quiz', maxScore: 25 },
  ])('403 for %o, before its state is looked at', async (body) => {
    expect(await refused(st, change(body))).toEqual(shared)
  })

  test('403 for excluding it and for deleting it, before the body', async () => {
    for (const body of [{ isExcluded: true }, { isExcluded: 'yes' }])
      expect(await refused(st, () => st.as.ada.assessments.exclude.raw({ ...theQuiz, body }))).toEqual(shared)
    expect(await refused(st, () => st.as.ada.assessments.remove.raw(theQuiz))).toEqual(shared)
  })

  test('title, day and order may be changed by any of its teachers; unchanged other fields are accepted', async () => {
    const { title, assessment_date, sort_order } = mathsQuiz
    const body = { title: `${title}!`, assessmentDate: '2025-10-01', sortOrder: 9, maxScore: 20, weight: null, studentGroupId: null }
    expect(await st.as.ada.assessments.update({ ...theQuiz, body })).toMatchObject({ title: 'Quiz 1!', sort_order: 9 })
    await st.as.quinn.assessments.update({ ...theQuiz, body: { title, assessmentDate: assessment_date, sortOrder: sort_order } })
  })

  test('an administrator changes and deletes it', async () => {
    expect(await st.as.okafor.assessments.update({ ...theQuiz, body: { maxScore: 25, weight: 2 } })).toMatchObject({ max_score: 25 })
    expect(await st.as.okafor.assessments.exclude({ ...theQuiz, body: { isExcluded: true } })).toMatchObject({ is_excluded: true })
    await st.as.okafor.assessments.remove(theQuiz)
  })

  test('so does a teacher of the subject in all of those classes, but no class teacher of one of them', async () => {
    await st.as.quinn.classes.addTeacher({ params: { classId: class3A.id }, body: { teacherId: people.ada.id, subjectIds: [maths.id] } })
    await st.as.ada.assessments.update({ ...theQuiz, body: { weight: 2 } })
    const removal = { params: { classId: class3B.id }, body: { teacherId: people.byrne.id, subjectIds: [] } }
    await st.as.quinn.classes.handOver({ params: { classId: class3A.id }, body: { teacherId: people.ada.id } })
    await st.as.okafor.classes.addTeacher({ params: { classId: class3A.id }, body: { teacherId: people.ada.id, subjectIds: [] } })
    await st.as.byrne.classes.addTeacher(removal)
    expect(await refused(st, change({ weight: 3 }))).toEqual(shared)
  })

  test('the message names the classes, and no pupils', async () => {
    const { body } = await change({ maxScore: 25 })()
    const message =
      'Pupils of other classes have marks in this assessment: 3A. Only an administrator can change how it counts, or delete it.'
    expect(body).toMatchObject({ message, issues: [{ path: 'classes', message, values: { classes: '3A' } }] })
  })

  test('of many classes the first five are named', async () => {
    for (const name of ['1A', '1B', '1C', '2A', '2C', '4A']) {
      const group = await st.as.okafor.classes.create({ body: { name, academicYearId: thisYear.id } })
      const pupil = await st.as.okafor.students.create({ body: { firstName: 'Pupil', lastName: name, gender: 'other' } })
      await st.as.okafor.classes.enroll({ params: { id: group.id }, body: { studentId: pupil.id } })
      await st.as.okafor.grades.create({ body: { assessmentId: mathsQuiz.id, studentId: pupil.id, score: 1 } })
    }
    const { message, issues } = (await st.as.ada.assessments.remove.raw(theQuiz)).body as { message: string; issues: unknown }
    expect(message).toContain(': 1A, 1B, 1C, 2A, 2C and 2 more.')
    expect(issues).toMatchObject([{ values: { classes: '1A, 1B, 1C, 2A, 2C … (+2)' } }])
  })

  test('a pupil counts for the present class; one without a class counts for none', async () => {
    for (const pupil of [oisin, fatima]) await st.as.okafor.classes.unenroll({ params: { id: class3A.id, studentId: pupil.id } })
    await st.as.okafor.grades.create({ body: { assessmentId: mathsQuiz.id, studentId: wanderer.id, score: 1 } })
    await st.as.ada.assessments.update({ ...theQuiz, body: { weight: 2 } })
    await st.as.okafor.classes.enroll({ params: { id: class3A.id }, body: { studentId: oisin.id } })
    expect(await refused(st, change({ weight: 3 }))).toEqual(shared)
  })

  test('before other classes have marks in it, its author changes and deletes it', async () => {
    const { id } = await st.as.ada.assessments.create({ body: quiz })
    const own = { params: { id } }
    await st.as.ada.grades.create({ body: { assessmentId: id, studentId: elan.id, score: 1 } })
    await st.as.ada.assessments.update({ ...own, body: { maxScore: 25, assessmentType: 'exam' } })
    await st.as.quinn.grades.create({ body: { assessmentId: id, studentId: oisin.id, score: 2 } })
    expect(await refused(st, () => st.as.ada.assessments.remove.raw(own))).toEqual(shared)
    expect(await refused(st, () => st.as.quinn.assessments.remove.raw(own))).toEqual(shared)
  })

  test('undoing a change needs the same right', async () => {
    await st.as.okafor.assessments.update({ ...theQuiz, body: { maxScore: 25 } })
    const [change] = await st.as.ada.history.list({ query: { entity: 'assessment', id: mathsQuiz.id } })
    const undo = () => st.as.ada.history.undo.raw({ params: { id: change?.id as string } })
    expect(await refused(st, undo)).toEqual(shared)
  })

  test('an assessment of one class belongs to its teachers, also with marks of a pupil who has left it', async () => {
    await st.as.okafor.classes.unenroll({ params: { id: class3B.id, studentId: elan.id } })
    await st.as.okafor.classes.enroll({ params: { id: class3A.id }, body: { studentId: elan.id } })
    await st.as.ada.assessments.remove({ params: { id: mathsHomework.id } })
  })
})
