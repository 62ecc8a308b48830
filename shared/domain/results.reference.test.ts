import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GradingScale } from './letters.ts'
import type { Assessment, AssessmentType } from './marks.ts'
import { type ClassTermInput, classTermResult, type StudentInput } from './results.ts'
import type { CalculationModel } from './year.ts'
import { type ClassYearInput, classYearResult } from './year-results.ts'

/**
 * A second implementation of decisions §5, written from the text alone and without regard to speed: fractions of bigints that are never
 * reduced, rounding through decimal digits, counting instead of sorting. It shares no function with the code under test.
 */
type Fraction = [top: bigint, bottom: bigint]

const read = (value: number): Fraction => {
  const [whole = '', places = ''] = value.toFixed(6).split('.')
  return [BigInt(whole + places), 1_000_000n]
}
const add = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]
const mul = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d]
const div = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d, b * c]
const sum = (list: Fraction[]): Fraction => list.reduce(add, [0n, 1n])
const mean = (list: Fraction[]): Fraction | null => (list.length === 0 ? null : div(sum(list), [BigInt(list.length), 1n]))
const print = (value: Fraction | null): number | null => {
  if (value === null) return null
  const thousandfold = (value[0] * 1000n) / value[1]
  const up = thousandfold % 10n >= 5n ? 1n : 0n
  return Number(thousandfold / 10n + up) / 100
}
const present = <T>(list: (T | null)[]): T[] => list.filter((item) => item !== null)

function slowAverage(assessments: Assessment[], student: StudentInput, type: AssessmentType): Fraction | null {
  const tops: Fraction[] = []
  const weights: Fraction[] = []
  for (const row of assessments) {
    const grade = student.grades.find((candidate) => candidate.assessment_id === row.id)
    if (row.assessment_type !== type || row.is_excluded || !grade || grade.score === null || grade.is_excluded) continue
    const weight = read(row.weight ?? 1)
    tops.push(div(mul(mul(weight, [100n, 1n]), read(grade.score)), read(row.max_score)))
    weights.push(weight)
  }
  const whole = sum(weights)
  return whole[0] === 0n ? null : div(sum(tops), whole)
}

function slowTerm(
  input: ClassYearInput,
  term: { id: string; exam_weight: number; coursework_weight: number },
  student: StudentInput,
  subjectId: string,
) {
  const own = input.assessments.filter(
    (row) => row.term_id === term.id && row.subject_id === subjectId && [null, input.student_group_id].includes(row.student_group_id),
  )
  const c = slowAverage(own, student, 'coursework')
  const e = slowAverage(own, student, 'exam')
  const [wc, we] = [term.coursework_weight, term.exam_weight]
  let composite: Fraction | null = null
  let is_partial = false
  if (c && e) composite = div(add(mul(c, read(wc)), mul(e, read(we))), [100n, 1n])
  else if (c) [composite, is_partial] = [wc === 0 ? null : c, we > 0]
  else if (e) [composite, is_partial] = [we === 0 ? null : e, wc > 0]
  return { coursework_average: print(c), exam_average: print(e), term_composite: print(composite), is_partial }
}

function slowYear(input: ClassYearInput, student: StudentInput, subjectId: string) {
  const terms = [...input.terms].sort((a, b) => a.sort_order - b.sort_order).map((term) => slowTerm(input, term, student, subjectId))
  const T = mean(present(terms.map((term) => term.term_composite)).map(read))
  const exam = terms.at(-1)?.exam_average ?? null
  const X = exam === null ? null : read(exam)
  const { calculation_model: model, year_coursework_weight: wc, year_exam_weight: we } = input.year
  const part = (value: Fraction | null, weight: number) => value && div(mul(value, read(weight)), [100n, 1n])
  const [ct, et] = [print(part(T, wc ?? 100)), print(part(X, we ?? 0))]
  if (model === 'weighted_cumulative') return { ct, et: null, exam, grade: print(T), partial: false }
  const partial = Boolean((T && !X && (we ?? 0) > 0) || (X && !T && (wc ?? 100) > 0))
  if (!T || !X)
    return {
      ct: model === 'weighted_continuous' ? null : ct,
      et: model === 'weighted_continuous' ? null : et,
      exam,
      grade: print(T ?? X),
      partial,
    }
  if (model === 'continuous_cumulative') return { ct, et, exam, grade: print(add(read(ct ?? 0), read(et ?? 0))), partial }
  return { ct: null, et: null, exam, grade: print(div(add(mul(T, read(wc ?? 100)), mul(X, read(we ?? 0))), [100n, 1n])), partial }
}

const subjectIds = ['art', 'biology', 'chemistry']
const hundredth = (max: number, min = 0) => fc.integer({ min: min * 100, max: max * 100 }).map((n) => n / 100)
const maxima = fc.oneof(fc.constantFrom(100, 20, 50, 60), hundredth(100_000, 1))
const weights = fc.oneof(
  fc.constant(null),
  fc.constantFrom(0, 1, 2),
  fc.integer({ min: 0, max: 10_000_000 }).map((n) => n / 10_000),
)
const termWeights = fc.oneof(fc.constantFrom(0, 100, 40), hundredth(100))
const complement = (w: number) => (10_000 - Math.round(w * 100)) / 100

const classYears: fc.Arbitrary<ClassYearInput> = fc
  .record({
    termShares: fc.array(termWeights, { minLength: 1, maxLength: 3 }),
    assessments: fc.array(
      fc.record({
        term: fc.nat(2),
        subject_id: fc.constantFrom(...subjectIds),
        assessment_type: fc.constantFrom<AssessmentType>('exam', 'coursework'),
        max_score: maxima,
        weight: weights,
        is_excluded: fc.boolean(),
        student_group_id: fc.constantFrom(null, null, null, '3B', '3A'),
      }),
      { maxLength: 24 },
    ),
    students: fc.array(
      fc.record({
        subject_ids: fc.subarray(subjectIds),
        marks: fc.array(fc.record({ part: fc.option(fc.double({ min: 0, max: 1, noNaN: true })), is_excluded: fc.boolean() }), {
          minLength: 24,
          maxLength: 24,
        }),
      }),
      { maxLength: 6 },
    ),
    model: fc.constantFrom<CalculationModel>('weighted_cumulative', 'weighted_continuous', 'continuous_cumulative'),
    yearShare: fc.option(termWeights),
  })
  .map(({ termShares, assessments, students, model, yearShare }) => {
    const rows = assessments.map(({ term, ...row }, index) => ({ ...row, id: `a${index}`, term_id: `t${term % termShares.length}` }))
    return {
      year: {
        id: 'year',
        calculation_model: model,
        year_exam_weight: yearShare,
        year_coursework_weight: yearShare === null ? null : complement(yearShare),
      },
      terms: termShares.map((share, index) => ({
        id: `t${index}`,
        name: 'michaelmas',
        sort_order: 9 - index,
        exam_weight: share,
        coursework_weight: complement(share),
      })),
      student_group_id: '3B',
      scale: {
        passMark: 50,
        bands: [
          { letter: 'P', minimum: 50, remark: 'pass' },
          { letter: 'F', minimum: 0, remark: 'fail' },
        ],
      } satisfies GradingScale,
      subjects: subjectIds.map((id, index) => ({ id, name: id, code: id, sort_order: index })),
      assessments: rows,
      students: students.map(({ subject_ids, marks }, index) => ({
        id: `s${index}`,
        first_name: 'A',
        last_name: `L${index}`,
        subject_ids,
        grades: rows.flatMap((row, at) => {
          const mark = marks[at]
          if (!mark || mark.part === null) return []
          return [{ assessment_id: row.id, score: Math.floor(mark.part * row.max_score * 100) / 100, is_excluded: mark.is_excluded }]
        }),
      })),
    }
  })

/** 1 + the number of strictly greater averages. */
const place = (own: number | null, all: (number | null)[]) => (own === null ? null : 1 + present(all).filter((other) => other > own).length)
const letter = (average: number | null) => (average === null ? null : average >= 50 ? 'P' : 'F')

const taken = (input: ClassYearInput, student: StudentInput, termIds: string[]) =>
  student.subject_ids.length > 0
    ? subjectIds.filter((id) => student.subject_ids.includes(id))
    : subjectIds.filter((id) =>
        input.assessments.some((row) => row.subject_id === id && termIds.includes(row.term_id) && row.student_group_id !== '3A'),
      )

test('class-term agrees with the reference implementation', () => {
  fc.assert(
    fc.property(classYears, (input) => {
      const [term] = input.terms
      if (!term) return
      const slow = input.students.map((student) =>
        taken(input, student, [term.id]).map((id) => ({ id, ...slowTerm(input, term, student, id) })),
      )
      const overalls = slow.map((rows) => print(mean(present(rows.map((row) => row.term_composite)).map(read))))
      const result = classTermResult({ ...input, term } satisfies ClassTermInput)
      expect(
        result.students.map(({ subjects, overall_average, letter_grade, position, total_students }) => ({
          subjects: subjects.map(({ subject_name: _n, subject_code: _c, remark: _r, ...row }) => row),
          overall_average,
          letter_grade,
          position,
          total_students,
        })),
      ).toEqual(
        slow.map((rows, index) => ({
          subjects: rows.map(({ id, ...row }) => ({ subject_id: id, ...row, letter_grade: letter(row.term_composite) })),
          overall_average: overalls[index],
          letter_grade: letter(overalls[index] ?? null),
          position: place(overalls[index] ?? null, overalls),
          total_students: input.students.length,
        })),
      )
    }),
    { numRuns: 300 },
  )
})

test('class-year agrees with the reference implementation', () => {
  fc.assert(
    fc.property(classYears, (input) => {
      const termIds = input.terms.map((term) => term.id)
      const slow = input.students.map((student) => taken(input, student, termIds).map((id) => ({ id, ...slowYear(input, student, id) })))
      const overalls = slow.map((rows) => print(mean(present(rows.map((row) => row.grade)).map(read))))
      const result = classYearResult(input)
      expect(
        result.students.map(({ subjects, year_overall, position }) => ({
          subjects: subjects.map((row) => ({
            id: row.subject_id,
            ct: row.coursework_total,
            et: row.exam_total,
            exam: row.end_of_year_exam,
            grade: row.year_grade,
            partial: row.is_partial,
          })),
          year_overall,
          position,
        })),
      ).toEqual(
        slow.map((subjects, index) => ({ subjects, year_overall: overalls[index], position: place(overalls[index] ?? null, overalls) })),
      )
    }),
    { numRuns: 300 },
  )
})
