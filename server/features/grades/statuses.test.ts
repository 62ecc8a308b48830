import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { elan, mathsExam, mathsQuiz, mei, sean, zoe } from '@markbook/shared/story/marks'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  await st?.close()
  st = await school()
})
afterAll(() => st.close())

const gradeOf = async (student: { id: string }, assessment: { id: string } = mathsQuiz) =>
  (await st.as.ada.grades.list({ query: { assessmentId: assessment.id } })).find(({ student_id }) => student_id === student.id)
const put = (student: { id: string }, said: { score?: number | null; status?: string | null }, assessment: { id: string } = mathsQuiz) =>
  st.as.ada.grades.bulk.raw({ body: { assessmentId: assessment.id, grades: [{ studentId: student.id, ...said }] } })
const resultOf = async (student: { id: string }) => {
  const result = await st.as.okafor.calculations.classTerm({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })
  return result.students.find(({ student_id }) => student_id === student.id)?.subjects.find(({ subject_id }) => subject_id === maths.id)
}

describe('a code of the school', () => {
  test('replaces the score, and a score replaces the code', async () => {
    expect((await put(mei, { status: 'ABS' })).body).toMatchObject([{ score: null, status: 'abs', letter_grade: null }])
    expect(await gradeOf(mei)).toMatchObject({ score: null, status: 'abs', is_excluded: false })
    expect((await put(mei, { score: 12 })).body).toMatchObject([{ score: 12, status: null }])
    const id = (await gradeOf(mei))?.id as string
    expect(await st.as.ada.grades.update({ params: { id }, body: { status: 'ex' } })).toMatchObject({ score: null, status: 'ex' })
    expect(await st.as.ada.grades.update({ params: { id }, body: { remarks: 'Was at a match.' } })).toMatchObject({ status: 'ex' })
    expect(await st.as.ada.grades.update({ params: { id }, body: { score: 3 } })).toMatchObject({ score: 3, status: null })
  })

  test('late stands beside the score, and stays when the score is changed', async () => {
    await put(zoe, { status: 'late' })
    const before = await gradeOf(zoe)
    expect(before).toMatchObject({ status: 'late' })
    expect(before?.score).toEqual(expect.any(Number))
    expect((await put(zoe, { score: 4 })).body).toMatchObject([{ score: 4, status: 'late' }])
    expect((await put(zoe, { score: 4, status: null })).body).toMatchObject([{ score: 4, status: null }])
  })

  test('is recorded for a pupil without a mark, alone or in bulk', async () => {
    const fresh = await st.as.ada.assessments.create({
      body: { termId: michaelmas.id, subjectId: maths.id, title: 'Fresh', assessmentType: 'exam' },
    })
    const { id } = await st.as.ada.grades.create({ body: { assessmentId: fresh.id, studentId: mei.id, status: 'inc' } })
    expect(await gradeOf(mei, fresh)).toMatchObject({ id, score: null, status: 'inc' })
    const grades = [
      { studentId: elan.id, status: 'abs' },
      { studentId: zoe.id, score: 9 },
      { studentId: sean.id, score: 8, status: 'late' },
    ]
    expect((await st.as.ada.grades.bulk.raw({ body: { assessmentId: fresh.id, grades } })).body).toMatchObject([
      { score: null, status: 'abs' },
      { score: 9, status: null },
      { score: 8, status: 'late' },
    ])
  })

  test('the assessments of a subject have it where there is one, and omit the field otherwise', async () => {
    await put(mei, { status: 'abs' })
    const listed = await st.as.ada.grades.byTerm({ query: { termId: michaelmas.id, subjectId: maths.id } })
    const own = listed.find(({ id }) => id === mathsQuiz.id)?.grades ?? []
    expect(own.find(({ student_id }) => student_id === mei.id)).toMatchObject({ score: null, status: 'abs' })
    expect(own.find(({ student_id }) => student_id === zoe.id)).not.toHaveProperty('status')
  })

  test.each([
    ['an unknown code', { status: 'xyz' }, 'grades.unknown_code', 'grades.0.status'],
    ['a code with a score in its place', { status: 'abs', score: 3 }, 'grades.code_or_score', 'grades.0.score'],
    ['no code at all', { status: '' }, 'validation_failed', 'grades.0.status'],
    ['a number as a code', { status: '15' }, 'validation_failed', 'grades.0.status'],
    ['neither', { score: null, status: null }, 'validation_failed', 'grades.0.score'],
  ])('400 for %s, and nothing changes', async (_what, said, code, path) => {
    expect(await refused(st, () => put(mei, said))).toEqual({ status: 400, code })
    expect((await put(mei, said)).body).toMatchObject({ issues: [{ path }] })
  })

  test('is deleted only where it has the value that was seen', async () => {
    await put(mei, { status: 'abs' })
    const id = (await gradeOf(mei))?.id as string
    for (const query of [{ score: '12' }, { status: 'ex' }, { status: 'abs', score: '0' }])
      expect(await refused(st, () => st.as.ada.grades.remove.raw({ params: { id }, query }))).toEqual({
        status: 409,
        code: 'grades.changed_meanwhile',
      })
    await st.as.ada.grades.remove({ params: { id }, query: { status: 'abs' } })
    expect(await gradeOf(mei)).toBeUndefined()
  })

  test('is undone, which restores the score', async () => {
    const before = (await gradeOf(mei))?.score
    await put(mei, { status: 'abs' })
    const id = (await gradeOf(mei))?.id as string
    const [entry] = await st.as.ada.history.list({ query: { entity: 'grade', id, limit: 1 } })
    expect(entry?.changes).toMatchObject({ score: { before, after: null }, status: { before: null, after: 'abs' } })
    await st.as.ada.history.undo({ params: { id: entry?.id as string } })
    expect(await gradeOf(mei)).toMatchObject({ score: before, status: null })
    await put(mei, { status: 'ex' })
    await st.as.ada.grades.remove({ params: { id }, query: {} })
    const [gone] = await st.as.ada.history.list({ query: { entity: 'grade', id, limit: 1 } })
    await st.as.ada.history.undo({ params: { id: gone?.id as string } })
    expect(await gradeOf(mei)).toMatchObject({ id, score: null, status: 'ex' })
  })

  test('changes the results by its effect, and the explanation names it', async () => {
    await put(sean, { score: 1 })
    const low = await resultOf(sean)
    await put(sean, { status: 'inc' })
    const awaited = await resultOf(sean)
    expect(awaited).toMatchObject({ under_review: true })
    expect(awaited?.coursework_average).not.toBe(low?.coursework_average)
    const working = await st.as.okafor.calculations.explain({ query: { studentId: sean.id, subjectId: maths.id, termId: michaelmas.id } })
    expect(working.marks.find(({ assessment_id }) => assessment_id === mathsQuiz.id)).toMatchObject({
      score: null,
      status: 'inc',
      used: false,
      left_out: 'no_mark',
    })
    expect(working.result).toMatchObject({ under_review: true, term_composite: awaited?.term_composite ?? null })
    const missing = await st.as.okafor.calculations.missingMarks({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })
    expect(missing.find(({ assessment_id }) => assessment_id === mathsQuiz.id)?.students.map(({ id }) => id)).toContain(sean.id)
    await put(sean, { status: 'abs' }, mathsExam)
    expect(await resultOf(sean)).toMatchObject({ exam_average: null, exam_code: 'abs', is_partial: true })
  })
})

describe('the codes of the school', () => {
  const own = { code: 'np', name: 'No paper', effect: 'zero', printed: true }
  const change = (markCodes: unknown) => st.as.okafor.schools.updateMine.raw({ body: { markCodes } as never })

  test('the head adds, renames and stops printing codes; null brings the standard ones back', async () => {
    expect(await st.as.ada.schools.mine()).toMatchObject({ mark_codes: null })
    const codes = [...standardMarkCodes.map((code) => ({ ...code, printed: false })), own]
    expect((await change(codes)).status).toBe(200)
    expect(await st.as.ada.schools.mine()).toMatchObject({ mark_codes: codes })
    expect((await put(mei, { status: 'np' })).body).toMatchObject([{ score: 0, status: 'np', letter_grade: 'F' }])
    await put(mei, { score: 1 })
    expect((await change(null)).status).toBe(200)
    expect(await refused(st, () => put(mei, { status: 'np' }))).toMatchObject({ code: 'grades.unknown_code' })
  })

  test('a code in use keeps its effect, and cannot be removed', async () => {
    await change([...standardMarkCodes, own])
    await put(mei, { status: 'np' })
    for (const codes of [standardMarkCodes, null, [...standardMarkCodes, { ...own, effect: 'left_out' }]])
      expect(await refused(st, () => change(codes))).toEqual({ status: 409, code: 'schools.code_in_use' })
    expect((await change([...standardMarkCodes, { ...own, name: 'Nothing handed in' }])).status).toBe(200)
  })

  test.each([
    ['a standard code that is missing', standardMarkCodes.slice(1)],
    ['a standard code with another effect', standardMarkCodes.map((code) => ({ ...code, effect: 'zero' }))],
    ['a code twice', [...standardMarkCodes, own, { ...own, code: 'NP' }]],
    ['a number as a code', [...standardMarkCodes, { ...own, code: '1' }]],
    ['too long a code', [...standardMarkCodes, { ...own, code: 'abcdefghi' }]],
    ['an unknown effect', [...standardMarkCodes, { ...own, effect: 'half' }]],
    ['an unknown field', [...standardMarkCodes, { ...own, colour: 'red' }]],
    ['21 codes', [...standardMarkCodes, ...Array.from({ length: 17 }, (_, at) => ({ ...own, code: `c${at}` }))]],
    ['no list', 'abs'],
  ])('400 for %s', async (_what, codes) => {
    expect(await refused(st, () => change(codes))).toEqual({ status: 400, code: 'validation_failed' })
  })

  test('a teacher changes none', async () => {
    expect(await refused(st, () => st.as.ada.schools.updateMine.raw({ body: { markCodes: null } }))).toMatchObject({ status: 403 })
  })
})
