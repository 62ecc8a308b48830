import { class3A, class3B, lastYear, maths, thisYear } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
let year: string
let starts = 2026
beforeAll(async () => {
  st = await school()
})
beforeEach(async () => {
  const span = { startDate: `${starts}-09-01`, endDate: `${starts + 1}-06-30` }
  year = (await st.as.okafor.academicYears.create({ body: { name: `${starts}/${starts + 1}`, gradingModel: 'term_based', ...span } })).id
  starts += 1
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const as4B = { fromClassId: class3B.id, name: '4B' }
const as4A = { fromClassId: class3A.id, name: '4A' }

describe('what a year takes over beside its classes', () => {
  const bands = [
    { letter: 'P', minimum: 50, remark: 'Passed' },
    { letter: 'F', minimum: 0, remark: 'Failed' },
  ]
  const take = (body: object, dryRun: 'true' | 'false' = 'false') =>
    st.as.okafor.academicYears.rollOver.raw({ params: { id: year }, query: { dryRun }, body: { classes: [], ...body } as never })
  const categoriesOf = async (academicYearId: string) =>
    (await st.as.okafor.assessmentCategories.list({ query: { academicYearId } })).map(({ id: _, academic_year_id: __, ...row }) => row)
  const make = (more: object) =>
    st.as.okafor.assessmentCategories.create({
      body: { academicYearId: thisYear.id, assessmentType: 'coursework', name: 'Quizzes', weight: 25, ...more } as never,
    })
  const fromThis = { categoriesFromYearId: thisYear.id }
  let music: { id: string }
  beforeAll(async () => {
    music = await st.as.okafor.subjects.create({ body: { name: 'Music', code: 'MU' } })
    await make({ dropLowest: 1 })
    await make({ name: 'Papers', assessmentType: 'exam', subjectId: maths.id, weight: 70 })
    await make({ name: 'Bonus', isExtraCredit: true })
    await make({ name: 'Concerts', subjectId: music.id })
    await st.as.okafor.subjects.update({ params: music, body: { isActive: false } })
    await st.as.okafor.gradingScale.put({ query: { academicYearId: thisYear.id }, body: { passMark: 55, bands } })
  })

  test('the categories in their order, but for those of inactive subjects; a second time those that are missing', async () => {
    expect(await take(fromThis)).toMatchObject({ status: 200, body: { categories: 3, scale: false, issues: [] } })
    const copied = (await categoriesOf(year)).map(({ created_at: _, updated_at: __, ...row }) => row)
    expect(copied).toMatchObject([
      {
        name: 'Quizzes',
        subject_id: null,
        assessment_type: 'coursework',
        weight: 25,
        drop_lowest: 1,
        is_extra_credit: false,
        sort_order: 1,
      },
      { name: 'Papers', subject_id: maths.id, assessment_type: 'exam', weight: 70, sort_order: 2 },
      { name: 'Bonus', is_extra_credit: true, sort_order: 3 },
    ])
    const before = await st.digest()
    expect(await take(fromThis)).toMatchObject({ status: 200, body: { categories: 0 } })
    expect(await st.digest()).toBe(before)
    const [first] = await st.as.okafor.assessmentCategories.list({ query: { academicYearId: year } })
    await st.as.okafor.assessmentCategories.remove({ params: { id: first?.id ?? '' } })
    expect(await take(fromThis)).toMatchObject({ body: { categories: 1 } })
    expect((await categoriesOf(year)).map(({ name, sort_order }) => [name, sort_order])).toEqual([
      ['Papers', 2],
      ['Bonus', 3],
      ['Quizzes', 4],
    ])
  })

  test('the scale of the year, where this one has none of its own; nothing where that year goes by the school’s', async () => {
    expect(await take({ scaleFromYearId: lastYear.id })).toMatchObject({ status: 200, body: { scale: false } })
    expect(await take({ scaleFromYearId: thisYear.id }, 'true')).toMatchObject({ status: 200, body: { scale: true } })
    const scaleNow = () => st.as.okafor.gradingScale.get({ query: { academicYearId: year } })
    expect(await scaleNow()).not.toMatchObject({ pass_mark: 55 })
    await take({ scaleFromYearId: thisYear.id })
    expect(await scaleNow()).toEqual({ pass_mark: 55, bands })
    await st.as.okafor.gradingScale.put({ query: { academicYearId: year }, body: { passMark: 30, bands } })
    expect(await take({ scaleFromYearId: thisYear.id })).toMatchObject({ body: { scale: false } })
    expect(await scaleNow()).toMatchObject({ pass_mark: 30 })
  })

  test('both go with the classes, and not at all where a class cannot be opened', async () => {
    const all = { classes: [as4B, { ...as4A, name: '4B' }], ...fromThis, scaleFromYearId: thisYear.id }
    expect(await refused(st, () => take(all))).toEqual({ status: 409, code: 'academic_years.roll_over_issues' })
    expect(await take({ ...all, classes: [as4B] })).toMatchObject({ status: 200, body: { categories: 3, scale: true } })
  })

  test('409 from this year itself, and where there would be more than 20 of a subject', async () => {
    const own = await take({ categoriesFromYearId: year, scaleFromYearId: year })
    expect(own).toMatchObject({ status: 409, body: { issues: [{ path: 'categoriesFromYearId' }, { path: 'scaleFromYearId' }] } })
    for (let count = 0; count < 19; count += 1) await make({ academicYearId: year, name: `No. ${count}` })
    const { body } = await take(fromThis, 'true')
    expect(body).toMatchObject({ issues: [{ message: 'There would be more than 20 categories of a subject.' }] })
    expect(await refused(st, () => take(fromThis))).toEqual({ status: 409, code: 'academic_years.roll_over_issues' })
  })

  test('404 for a year that is nowhere', async () => {
    expect(await refused(st, () => take({ categoriesFromYearId: absent }))).toMatchObject({ status: 404 })
    expect(await refused(st, () => take({ scaleFromYearId: absent }))).toMatchObject({ status: 404 })
  })
})
