import { mathsExam, mathsHomework, mathsQuiz, pupilsOf3B } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, english, lastYear, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const quizzes = { academicYearId: thisYear.id, assessmentType: 'coursework', name: 'Quizzes', weight: 25 } as const
const make = (more: object = {}) => st.as.okafor.assessmentCategories.create({ body: { ...quizzes, ...more } })
const put = (assessment: { id: string }, categoryId: string | null, who: 'ada' | 'okafor' = 'okafor') =>
  st.as[who].assessments.update({ params: { id: assessment.id }, body: { categoryId } })
const ofMaths = async () => {
  const query = { studentGroupId: class3B.id, termId: michaelmas.id }
  const { students } = await st.as.byrne.calculations.classTerm({ query })
  return students.map(({ subjects }) => subjects.find(({ subject_id }) => subject_id === maths.id)?.coursework_average ?? null)
}

describe('a category', () => {
  test('is made by an administrator with an order of its own, read by everybody, changed and deleted', async () => {
    const first = await make()
    expect(first).toMatchObject({ name: 'Quizzes', subject_id: null, drop_lowest: 0, is_extra_credit: false, sort_order: 1 })
    await make({ name: 'Homework', subjectId: maths.id })
    const listed = await st.as.niamh.assessmentCategories.list({ query: { academicYearId: thisYear.id } })
    expect(listed.map(({ name, subject_id, sort_order }) => [name, subject_id, sort_order])).toEqual([
      ['Quizzes', null, 1],
      ['Homework', maths.id, 2],
    ])
    const changed = await st.as.okafor.assessmentCategories.update({ params: first, body: { dropLowest: 2, weight: 12.5 } })
    expect(changed).toMatchObject({ name: 'Quizzes', drop_lowest: 2, weight: 12.5 })
    await st.as.okafor.assessmentCategories.remove({ params: first })
    expect(await st.as.niamh.assessmentCategories.list({ query: { academicYearId: thisYear.id } })).toHaveLength(1)
  })

  test.each([
    ['a name of 61 letters', { name: 'x'.repeat(61) }],
    ['no name', { name: ' ' }],
    ['a weight above 100', { weight: 101 }],
    ['11 marks to drop', { dropLowest: 11 }],
    ['half a mark to drop', { dropLowest: 0.5 }],
    ['another type', { assessmentType: 'project' }],
  ])('400 for %s', async (_what, more) => {
    const before = await st.digest()
    expect((await st.as.okafor.assessmentCategories.create.raw({ body: { ...quizzes, ...more } as never })).status).toBe(400)
    expect(await st.digest()).toBe(before)
  })

  test('409 for the 21st of a year and subject; those of another subject are counted apart', async () => {
    for (let count = 0; count < 20; count += 1) await make({ name: `No. ${count}` })
    await expect(make({ name: 'No. 20' })).rejects.toMatchObject({ status: 409, code: 'assessment_categories.too_many' })
    await make({ name: 'Of maths', subjectId: maths.id })
  })

  test('409 while an assessment is in it, and nothing is deleted; deleting a year or subject deletes its categories', async () => {
    const category = await make()
    await put(mathsQuiz, category.id)
    const before = await st.digest()
    const attempt = st.as.okafor.assessmentCategories.remove({ params: category })
    await expect(attempt).rejects.toMatchObject({ status: 409, code: 'assessment_categories.in_use' })
    expect(await st.digest()).toBe(before)
    const subject = await st.as.okafor.subjects.create({ body: { name: 'Music', code: 'MU' } })
    await make({ subjectId: subject.id })
    await st.as.okafor.subjects.remove({ params: subject })
    const span = { startDate: '2026-09-01', endDate: '2027-06-30' }
    const next = await st.as.okafor.academicYears.create({ body: { name: 'Next', gradingModel: 'term_based', ...span } })
    await make({ academicYearId: next.id })
    await st.as.okafor.academicYears.remove({ params: next })
    expect(await st.rows('assessment_category')).toHaveLength(1)
  })
})

describe('an assessment in a category', () => {
  test('400 for one of another year, subject or type, 404 for one that does not exist, and nothing changes', async () => {
    const others = [
      await make({ academicYearId: lastYear.id }),
      await make({ subjectId: english.id }),
      await make({ assessmentType: 'exam' }),
    ]
    const before = await st.digest()
    for (const { id } of others) await expect(put(mathsQuiz, id)).rejects.toMatchObject({ status: 400, code: 'assessments.other_category' })
    await expect(put(mathsQuiz, '00000000-0000-7000-8000-999999999999')).rejects.toMatchObject({ status: 404 })
    expect(await st.digest()).toBe(before)
  })

  test('400 for a change of its type alone; type and category together are accepted', async () => {
    await put(mathsQuiz, (await make()).id)
    const params = { id: mathsQuiz.id }
    const attempt = st.as.okafor.assessments.update({ params, body: { assessmentType: 'exam' } })
    await expect(attempt).rejects.toMatchObject({ status: 400, code: 'assessments.other_category' })
    const { id } = await make({ assessmentType: 'exam' })
    expect(await st.as.okafor.assessments.update({ params, body: { assessmentType: 'exam', categoryId: id } })).toMatchObject({
      category_id: id,
    })
  })

  test('a teacher of the subject chooses it; a client without categories makes assessments without one', async () => {
    const { id } = await make()
    const body = {
      termId: michaelmas.id,
      subjectId: maths.id,
      title: 'Quiz 9',
      assessmentType: 'coursework',
      studentGroupId: class3B.id,
    } as const
    expect(await st.as.ada.assessments.create({ body: { ...body, categoryId: id } })).toMatchObject({ category_id: id })
    expect(await st.as.ada.assessments.create({ body })).toMatchObject({ category_id: null })
    // An old client changes only the title, and the category stays.
    await put(mathsHomework, id)
    const params = { id: mathsHomework.id }
    expect(await st.as.ada.assessments.update({ params, body: { title: 'Homework A' } })).toMatchObject({ category_id: id })
  })
})

test('results follow a category at once: cached ones are not used after a change', async () => {
  const { id } = await make({ weight: 25 })
  const plain = await ofMaths()
  await put(mathsQuiz, id)
  const quarter = await ofMaths()
  expect(quarter).not.toEqual(plain)
  await st.as.okafor.assessmentCategories.update({ params: { id }, body: { weight: 100 } })
  const whole = await ofMaths()
  expect(whole).not.toEqual(quarter)
  // The homework, without a category, has no weight left; it counts alone where there is no quiz.
  const quiz = await st.as.ada.grades.list({ query: { assessmentId: mathsQuiz.id } })
  const shares = quiz.flatMap(({ score }) => (score === null ? [] : [Math.round((score / mathsQuiz.max_score) * 10_000) / 100]))
  expect(whole.filter((average) => average !== null && !shares.includes(average)).length).toBeLessThanOrEqual(1)
  await put(mathsQuiz, null)
  expect(await ofMaths()).toEqual(plain)
})

test('after a change of a category books are behind, and the explanation shows the category', async () => {
  const { id } = await make({ weight: 100, dropLowest: 1 })
  const of = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } as const
  const { reports } = await st.as.byrne.reports.generate({ body: of })
  await put(mathsQuiz, id)
  const standing = await st.as.byrne.reports.standing({ query: of })
  expect(standing.some(({ is_behind }) => is_behind)).toBe(true)
  const studentId = reports[0]?.student_id ?? ''
  const { steps } = await st.as.byrne.calculations.explain({ query: { studentId, termId: michaelmas.id, subjectId: maths.id } })
  const [coursework] = steps
  expect(coursework).toHaveProperty('categories')
  expect(mathsExam.assessment_type).toBe('exam')
  expect(steps[1]).not.toHaveProperty('categories')
})

describe('extra credit', () => {
  test('expects no marks: in the class, the set, the overview, the reminders and the check before report cards', async () => {
    const term = { termId: michaelmas.id }
    const set = await st.as.okafor.teachingSets.create({ body: { academicYearId: thisYear.id, subjectId: maths.id, name: 'Maths upper' } })
    await st.as.okafor.teachingSets.setTeachers({ params: set, body: { teacherIds: [people.ada.id] } })
    await st.as.okafor.teachingSets.setStudents({ params: set, body: { studentIds: pupilsOf3B.map(({ id }) => id) } })
    const figures = async () => {
      const board = (await st.as.okafor.overview.read({ query: { ...term, reportType: 'term' } })).find(
        (row) => row.class.id === class3B.id,
      )
      const reminders = await st.as.okafor.overview.reminders({ query: { ...term, reportType: 'term' } })
      const missing = await st.as.byrne.calculations.missingMarks({ query: { ...term, studentGroupId: class3B.id } })
      return {
        ofClass: await st.as.ada.classes.progress({ query: term }),
        ofSet: (await st.as.ada.teachingSets.progress({ query: term })).map(({ expected, recorded }) => [expected, recorded]),
        onBoard: board?.subjects.find(({ subject }) => subject.id === maths.id),
        reminder: reminders.people.find(({ person }) => person.id === people.ada.id)?.text,
        missing: missing.map(({ title, students }) => [title, students.length]),
      }
    }
    const before = await figures()
    expect(before.ofSet).toEqual([[18, 17]])
    const paper = { ...term, subjectId: maths.id, title: 'Puzzle', assessmentType: 'coursework', maxScore: 10 } as const
    const puzzle = await st.as.ada.assessments.create({ body: { ...paper, studentGroupId: class3B.id } })
    expect((await figures()).ofSet).toEqual([[24, 17]])
    expect((await figures()).missing).toContainEqual(['Puzzle', 6])
    const bonus = await make({ name: 'Bonus', weight: 5, isExtraCredit: true })
    await put(puzzle, bonus.id)
    expect(await figures()).toEqual(before)
    const grades = pupilsOf3B.slice(0, 3).map(({ id }) => ({ studentId: id, score: 9 }))
    await st.as.ada.grades.bulk({ body: { assessmentId: puzzle.id, grades } })
    expect(await figures()).toEqual(before)
    await st.as.okafor.assessmentCategories.update({ params: bonus, body: { isExtraCredit: false } })
    expect((await figures()).missing).toContainEqual(['Puzzle', 3])
    expect((await figures()).ofSet).toEqual([[24, 20]])
  })
})
