import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { defaultGradingScale } from '../domain/letters.ts'
import { contract } from './contract.ts'

const id = (digit: number) => `0190a1b2-c3d4-7e5f-8a9b-00000000000${digit}`
const issues = (schema: z.ZodType, value: unknown): string[] =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)

describe('POST /api/terms', () => {
  const body = contract.terms.create.body
  const term = {
    academicYearId: id(1),
    name: 'hilary',
    startDate: '2026-01-12',
    endDate: '2026-03-27',
    examWeight: 60,
    courseworkWeight: 40,
  }
  test.each([
    [60, 40],
    [33.33, 66.67],
    [60.1, 39.9],
    [100, 0],
  ])('takes the weights %d and %d', (examWeight, courseworkWeight) => {
    expect(issues(body, { ...term, examWeight, courseworkWeight })).toEqual([])
  })
  test.each([
    [60, 30],
    [60, 40.01],
    [0, 0],
    [100, 100],
  ])('refuses the weights %d and %d', (examWeight, courseworkWeight) => {
    expect(issues(body, { ...term, examWeight, courseworkWeight })).toEqual([
      'examWeight: must give 100 together with the coursework weight',
    ])
  })
  test('needs both weights', () => {
    const { examWeight: _exam, courseworkWeight: _coursework, ...rest } = term
    expect(issues(body, rest)).toEqual(['examWeight: is required', 'courseworkWeight: is required'])
  })
  test('ends after it starts', () => {
    expect(issues(body, { ...term, endDate: term.startDate })).toEqual(['endDate: must be after the first day'])
  })
})

describe('POST /api/academic-years', () => {
  const body = contract.academicYears.create.body
  const year = { name: '2026/27', startDate: '2026-09-01', endDate: '2027-07-15', gradingModel: 'term_based' }
  const paths = (more: object) => issues(body, { ...year, ...more }).map((issue) => issue.split(':')[0])
  test.each([
    { gradingModel: 'term_based' },
    { gradingModel: 'term_based', calculationModel: 'weighted_cumulative' },
    { gradingModel: 'year_based', yearExamWeight: 40, yearCourseworkWeight: 60 },
    { gradingModel: 'year_based', calculationModel: 'continuous_cumulative', yearExamWeight: 40, yearCourseworkWeight: 60 },
  ])('takes %j', (more) => {
    expect(paths(more)).toEqual([])
  })
  test.each([
    [{ calculationModel: 'weighted_continuous' }, ['calculationModel']],
    [{ gradingModel: 'year_based' }, ['yearExamWeight', 'yearCourseworkWeight']],
    [{ gradingModel: 'year_based', yearExamWeight: 40 }, ['yearCourseworkWeight']],
    [{ gradingModel: 'year_based', yearExamWeight: 40, yearCourseworkWeight: 40 }, ['yearExamWeight']],
    [{ endDate: '2026-09-01' }, ['endDate']],
  ])('refuses %j at %j', (more, where) => {
    expect(paths(more)).toEqual(where)
  })
})

describe('POST /api/grades/bulk', () => {
  const body = contract.grades.bulk.body
  const grade = (digit: number, score: number) => ({ studentId: id(digit), score })
  test('names a student once', () => {
    const grades = [grade(1, 5), grade(2, 5), grade(1, 6)]
    expect(issues(body, { assessmentId: id(9), grades })).toEqual(['grades.2.studentId: must not name the same student twice'])
  })
  test('holds 1 to 1,000 grades', () => {
    const grades = Array.from({ length: 1_001 }, (_, at) => ({
      studentId: `0190a1b2-c3d4-7e5f-8a9b-${String(at).padStart(12, '0')}`,
      score: 1,
    }))
    expect(issues(body, { assessmentId: id(9), grades: grades.slice(1) })).toEqual([])
    expect(issues(body, { assessmentId: id(9), grades })).toEqual(['grades: must hold at most 1000 grades'])
    expect(issues(body, { assessmentId: id(9), grades: [] })).toEqual(['grades: must hold at least one grade'])
  })
})

describe('PUT /api/grading-scale', () => {
  const body = contract.gradingScale.put.body
  const band = (letter: string, minimum: number) => ({ letter, minimum, remark: 'Said of it' })
  const falling = 'bands: must go from the highest minimum to the lowest, without repeating one'
  const fromZero = 'bands: must end with a band from 0, so that every result has a letter'
  test.each([
    [[band('A', 50), band('F', 0)], []],
    [[band('F', 0)], []],
    [[band('A', 50), band('B', 50), band('F', 0)], [falling]],
    [[band('A', 50), band('B', 60), band('F', 0)], [falling]],
    [
      [band('F', 0), band('A', 50)],
      [falling, fromZero],
    ],
    [[band('A', 50)], [fromZero]],
    [[band('A', 50), band('A', 0)], ['bands: must not use a letter twice']],
    [Array.from({ length: 21 }, (_, at) => band(`L${at}`, 20 - at)), ['bands: must hold at most 20 bands']],
  ])('bands %#', (bands, expected) => {
    expect(issues(body, { passMark: 50, bands })).toEqual(expected)
  })

  test('the default scale is one', () => {
    expect(issues(body, defaultGradingScale)).toEqual([])
  })

  test.each([-1, 100.01])('a pass mark of %s is refused', (passMark) => {
    expect(issues(body, { passMark, bands: [band('F', 0)] })).toHaveLength(1)
  })

  test.each([
    [band(' ', 0), 'bands.0.letter'],
    [band('A', 100.01), 'bands.0.minimum'],
    [band('A', -1), 'bands.0.minimum'],
  ])('band %#', (wrong, path) => {
    expect(issues(body, { passMark: 50, bands: [wrong] }).filter((issue) => issue.startsWith(`${path}: `))).toHaveLength(1)
  })
})

describe('POST /api/grades/import', () => {
  const query = contract.imports.grades.query
  const sheet = { studentGroupId: id(1), termId: id(2), subjectId: id(3) }
  test.each([{ assessmentId: id(1) }, sheet])('accepts %j, by default as a real run', (asked) => {
    expect(query.parse(asked)).toEqual({ ...asked, dryRun: false })
  })
  test.each([{}, { ...sheet, assessmentId: id(4) }, { studentGroupId: id(1), termId: id(2) }])('refuses %j', (asked) => {
    expect(issues(query, asked)).toHaveLength(1)
  })
})

test('a join request may come without a body', () => {
  expect(contract.schools.requestToJoin.body.parse(undefined)).toEqual({})
})

test('max_score of a new assessment defaults to 100; a change has no default', () => {
  const assessment = { termId: id(1), subjectId: id(2), title: 'Quiz', assessmentType: 'coursework' }
  expect(contract.assessments.create.body.parse(assessment).maxScore).toBe(100)
  expect(contract.assessments.update.body.parse({ title: 'Quiz 1' })).toEqual({ title: 'Quiz 1' })
})

test('a change of an assessment accepts neither term nor subject', () => {
  expect(issues(contract.assessments.update.body, { termId: id(1), subjectId: id(2) })).toEqual([': does not take termId, subjectId'])
})

test('null clears an optional value and is refused for a required one', () => {
  const body = contract.students.update.body
  expect(body.parse({ studentNumber: null, dateOfBirth: null })).toEqual({ studentNumber: null, dateOfBirth: null })
  expect(issues(body, { firstName: null })).toEqual(['firstName: must be text of at most 200 characters'])
})

test.each(['1234567', '123456789', '1234567a', '１２３４５６７８', 12345678, '1234-5678'])(
  'the code %j is neither 8 digits nor printed',
  (token) => {
    expect(issues(contract.auth.verifyOtp.body, { email: 'ada@example.org', token })).toEqual([
      'token: must be the 8 digits of the code, or the 16 letters and digits of a printed one',
    ])
  },
)

test.each(['ABCD-EFGH-JKLM-NP23', 'abcd-efgh-jklm-np23', 'abcdefghjklmnp23', ' ABCD EFGH\nJKLM NP23 ', 'ABCD–EFGH–JKLM–NP23'])(
  'the printed code %j is one code, however it was typed',
  (token) => {
    expect(contract.auth.verifyOtp.body.parse({ email: 'ada@example.org', token }).token).toBe('ABCDEFGHJKLMNP23')
  },
)

test('in a printed code the digits that it never has are the letters that look like them', () => {
  const parsed = contract.auth.verifyOtp.body.parse({ email: 'ada@example.org', token: '3OHS-8I0L-a2b3-0181' })
  expect(parsed.token).toBe('3OHSBIOLA2B3OIBI')
})

test.each(['ABCD-EFGH-JKLM-NP2', 'ABCD-EFGH-JKLM-NP234', 'ABCD-EFGH-JKLM-NP09', 'ÀBCDEFGHJKLMNP23', 'ABCD_EFGH_JKLM_NP23'])(
  '%j is no printed code',
  (token) => {
    expect(issues(contract.auth.verifyOtp.body, { email: 'ada@example.org', token })).toHaveLength(1)
  },
)

test('only digits confirm an app', () => {
  expect(issues(contract.outage.confirmTotp.body, { token: 'ABCDEFGHJKLMNP23' })).toEqual(['token: must be the 8 digits of the code'])
})

test('a code that was copied with the spaces of the mail is the same code', () => {
  expect(contract.auth.verifyOtp.body.parse({ email: 'ada@example.org', token: ' 1234 5678\n' }).token).toBe('12345678')
})
