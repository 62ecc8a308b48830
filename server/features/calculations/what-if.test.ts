import type { Explanation } from '@markbook/shared/contract/calculations'
import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { type ResultRules, type TriedMark, whatIf, whatIfYear } from '@markbook/shared/domain/what-if'
import { pupilsOf3B } from '@markbook/shared/story/marks'
import { english, hilary, maths, michaelmas, thisYear, trinity } from '@markbook/shared/story/school-year'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

const pupils = pupilsOf3B.slice(0, 3)

let st: School
beforeAll(async () => {
  st = await school()
  const head = st.as.okafor
  const category = { academicYearId: thisYear.id, subjectId: english.id, assessmentType: 'coursework' as const }
  const essays = await head.assessmentCategories.create({ body: { ...category, name: 'Essays', weight: 60, dropLowest: 1 } })
  const extra = await head.assessmentCategories.create({ body: { ...category, name: 'Extra', weight: 5, isExtraCredit: true } })
  for (const term of [hilary, trinity])
    for (const subject of [maths, english])
      for (const [title, assessmentType, categoryId] of [
        ['One', 'coursework', essays.id],
        ['Two', 'coursework', essays.id],
        ['Three', 'coursework', extra.id],
        ['Four', 'coursework', null],
        ['Exam', 'exam', null],
      ] as const) {
        const own = subject === english && categoryId !== null && { categoryId }
        const weight = title === 'Two' ? 2.5 : null
        const { id } = await head.assessments.create({
          body: { termId: term.id, subjectId: subject.id, title, assessmentType, maxScore: 20, weight, ...own },
        })
        // Two essays each, of which the lower one is dropped.
        if (subject === english && (title === 'One' || title === 'Two'))
          await head.grades.bulk({ body: { assessmentId: id, grades: pupils.map((each, at) => ({ studentId: each.id, score: 9 + at })) } })
      }
}, 60_000)
afterAll(() => st.close())

const entered = fc.oneof(
  { weight: 4, arbitrary: fc.record({ score: fc.integer({ min: 0, max: 1000 }).map((hundredths) => hundredths / 100) }) },
  { weight: 1, arbitrary: fc.constantFrom({ status: 'abs' }, { status: 'inc' }, { status: 'late', score: 7 }) },
)
const tries = fc.record({
  student: fc.constantFrom(...pupils),
  term: fc.constantFrom(michaelmas, hilary, trinity),
  subject: fc.constantFrom(maths, english),
  at: fc.nat(4),
  does: fc.oneof(
    { weight: 5, arbitrary: entered.map((mark) => ({ mark })) },
    { weight: 1, arbitrary: fc.constant({ mark: null }) },
    { weight: 2, arbitrary: fc.boolean().map((is_excluded) => ({ is_excluded })) },
  ),
})
type Try = typeof tries extends fc.Arbitrary<infer T> ? T : never

/** Enters the trial marks as a teacher does; false where nothing changes. */
async function enter(studentId: string, { assessment_id: assessmentId, grade_id }: Explanation['marks'][number], tried: TriedMark) {
  const { grades } = st.as.okafor
  if (tried.mark) await grades.bulk({ body: { assessmentId, grades: [{ studentId, ...tried.mark }] } })
  else if (grade_id === undefined) return false
  else if (tried.mark === null) await grades.remove({ params: { id: grade_id } })
  else await grades.exclude({ params: { id: grade_id }, body: { isExcluded: tried.is_excluded === true } })
  return true
}

const withoutIds = ({ marks, ...rest }: Explanation) => ({
  ...rest,
  marks: marks.map(({ grade_id: _id, exclusion_reason: _why, text: _text, ...mark }) => mark),
})

test('a trial result equals the server’s once the marks are entered, for term and year', async () => {
  const head = st.as.okafor
  const scale = await head.gradingScale.get({ query: { academicYearId: thisYear.id } })
  const rules: ResultRules = {
    scale: { passMark: scale.pass_mark, bands: scale.bands },
    codes: (await head.schools.mine()).mark_codes ?? standardMarkCodes,
    categories: await head.assessmentCategories.list({ query: { academicYearId: thisYear.id } }),
  }
  const year = await head.academicYears.get({ params: { id: thisYear.id } })
  const seen = { entered: 0, dropped: 0, years: 0 }
  const run = async ({ student, term, subject, at, does }: Try) => {
    const query = { studentId: student.id, termId: term.id, subjectId: subject.id }
    const ofYear = { query: { studentId: student.id, academicYearId: thisYear.id } }
    const before = await head.calculations.explain({ query })
    expect(whatIf(before, rules, new Map())).toEqual(before)
    const yearBefore = await head.calculations.studentYear(ofYear)
    const mark = before.marks[at]
    if (!mark) return
    const tried = whatIf(before, rules, new Map([[mark.assessment_id, does]]))
    const triedYear = whatIfYear(yearBefore, year, rules.scale, term.id, tried.result)
    if (!(await enter(student.id, mark, does))) return
    const after = await head.calculations.explain({ query })
    expect(withoutIds(tried)).toEqual(withoutIds(after))
    const yearAfter = await head.calculations.studentYear(ofYear)
    const { under_review: _review, ...own } = yearAfter.subjects.find(({ subject_id }) => subject_id === subject.id) ?? {}
    expect(triedYear).toEqual({ ...own, year_overall: yearAfter.year_overall })
    seen.entered += 1
    if (after.marks.some(({ left_out }) => left_out === 'dropped')) seen.dropped += 1
    if (yearAfter.year_overall !== yearBefore.year_overall) seen.years += 1
  }
  await fc.assert(fc.asyncProperty(tries, run), { numRuns: 60, endOnFailure: true })
  // Otherwise the test would have compared too little.
  expect(seen.entered).toBeGreaterThan(20)
  expect(seen.years).toBeGreaterThan(5)
  expect(seen.dropped).toBeGreaterThan(0)
}, 120_000)
