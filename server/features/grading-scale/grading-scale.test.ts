import { mathsExam } from '@markbook/shared/story/marks'
import { class3B, hilltopYear, lastYear, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const passFail = {
  passMark: 40,
  bands: [
    { letter: 'P', minimum: 40, remark: 'Passed' },
    { letter: 'N', minimum: 0, remark: 'Not yet' },
  ],
}

test('a school starts with the default scale, which a member may read', async () => {
  const scale = await st.as.niamh.gradingScale.get()
  expect(scale.pass_mark).toBe(50)
  expect(scale.bands.map(({ letter, minimum }) => `${letter}${minimum}`)).toEqual(['A+90', 'A80', 'B70', 'C60', 'D50', 'F0'])
})

test('an administrator replaces it, twice, and the neighbour keeps the default', async () => {
  await st.as.okafor.gradingScale.put({ body: passFail })
  await st.as.okafor.gradingScale.put({ body: { ...passFail, passMark: 45 } })
  expect(await st.as.ada.gradingScale.get()).toEqual({ pass_mark: 45, bands: passFail.bands })
  expect((await st.as.marker.gradingScale.get()).pass_mark).toBe(50)
  expect(await st.rows('grading_scale')).toHaveLength(1)
})

test.each([
  [
    'minimums that do not fall',
    [
      { letter: 'A', minimum: 50, remark: '' },
      { letter: 'B', minimum: 50, remark: '' },
      { letter: 'C', minimum: 0, remark: '' },
    ],
  ],
  ['a last band above 0', [{ letter: 'A', minimum: 50, remark: '' }]],
  ['no bands', []],
])('400 for %s', async (_what, bands) => {
  const { status } = await st.as.okafor.gradingScale.put.raw({ body: { passMark: 50, bands } })
  expect(status).toBe(400)
})

test('403 for a teacher', async () => {
  await expect(st.as.byrne.gradingScale.put({ body: passFail })).rejects.toMatchObject({ status: 403 })
})

describe('the scale of a year', () => {
  let own: School
  beforeAll(async () => {
    own = await school()
  })
  afterAll(() => own.close())
  const letters = async (academicYearId?: string) =>
    (await own.as.niamh.gradingScale.get({ query: academicYearId ? { academicYearId } : {} })).bands.map(({ letter }) => letter).join(' ')
  const ofMathsExam = async () => {
    const listed = await own.as.ada.grades.list({ query: { assessmentId: mathsExam.id } })
    return [...new Set(listed.map(({ letter_grade }) => letter_grade))].sort()
  }
  const DEFAULT = 'A+ A B C D F'

  test('is the school’s until it has its own; the letters of its marks and results change, those of other years do not', async () => {
    expect(await letters(thisYear.id)).toBe(DEFAULT)
    const { kept_years } = await own.as.okafor.gradingScale.put({ query: { academicYearId: thisYear.id }, body: passFail })
    expect(kept_years).toBeUndefined()
    expect([await letters(thisYear.id), await letters(), await letters(lastYear.id)]).toEqual(['P N', DEFAULT, DEFAULT])
    expect(await ofMathsExam()).toEqual(['N', 'P'])
    const query = { studentGroupId: class3B.id, termId: michaelmas.id }
    const { students } = await own.as.byrne.calculations.classTerm({ query })
    expect(new Set(students.flatMap(({ letter_grade }) => letter_grade ?? []))).toEqual(new Set(['P']))
    const summary = await own.as.byrne.calculations.classSummary({ query })
    expect(summary.distribution.map(({ letter }) => letter)).toEqual(['P', 'N'])
    expect(await own.as.okafor.academicYears.get({ params: { id: thisYear.id } })).toMatchObject({
      scale_pass_mark: 40,
      scale_bands: passFail.bands,
    })
  })

  test('a pass mark without bands is refused; null for both removes the year’s scale', async () => {
    const patch = (body: object) => own.as.okafor.academicYears.update.raw({ params: { id: thisYear.id }, body })
    const before = await own.digest()
    expect((await patch({ scaleBands: null })).status).toBe(400)
    expect((await patch({ scaleBands: [] })).status).toBe(400)
    expect(await own.digest()).toBe(before)
    expect((await patch({ scaleBands: null, scalePassMark: null })).status).toBe(200)
    expect(await letters(thisYear.id)).toBe(DEFAULT)
  })

  test('a change of the school’s scale keeps past years as they were, and names them; later years change', async () => {
    const span = { startDate: '2026-09-01', endDate: '2027-06-30' }
    const next = await own.as.okafor.academicYears.create({ body: { name: '2026/27', gradingModel: 'term_based', ...span } })
    const answer = await own.as.okafor.gradingScale.put({ body: passFail })
    expect(answer).toEqual({ pass_mark: 40, bands: passFail.bands, kept_years: [lastYear.name] })
    expect([await letters(lastYear.id), await letters(thisYear.id), await letters(next.id)]).toEqual([DEFAULT, 'P N', 'P N'])
    // A second change, and an equal one, have nothing to keep.
    expect(await own.as.okafor.gradingScale.put({ body: { ...passFail, passMark: 45 } })).not.toHaveProperty('kept_years')
    expect(await letters(lastYear.id)).toBe(DEFAULT)
    const before = await own.digest()
    await own.as.okafor.gradingScale.put({ body: { ...passFail, passMark: 45 } })
    expect(await own.digest()).toBe(before)
  })

  test('404 for another school’s year, 403 for a teacher', async () => {
    const query = { academicYearId: hilltopYear.id }
    expect((await own.as.okafor.gradingScale.put.raw({ query, body: passFail })).status).toBe(404)
    expect((await own.as.okafor.gradingScale.get.raw({ query })).status).toBe(404)
    const ofOwn = { query: { academicYearId: thisYear.id }, body: passFail }
    await expect(own.as.byrne.gradingScale.put(ofOwn)).rejects.toMatchObject({ status: 403 })
  })

  test('its change can be undone', async () => {
    await own.as.okafor.gradingScale.put({
      query: { academicYearId: thisYear.id },
      body: { passMark: 10, bands: [passFail.bands[1]] as never },
    })
    const history = await own.as.okafor.history.list({ query: { entity: 'academic_year', id: thisYear.id } })
    const entry = history.find(({ changes }) => 'scale_bands' in changes)
    await own.as.okafor.history.undo({ params: { id: entry?.id ?? '' } })
    expect(await letters(thisYear.id)).toBe('P N')
  })
})
