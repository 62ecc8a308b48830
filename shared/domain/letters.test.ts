import { describe, expect, test } from 'vitest'
import { defaultGradingScale, gradingScaleIssues, isGradingScale, isPass, letterFor, letterForScore } from './letters.ts'

const scale = defaultGradingScale

describe('letterFor', () => {
  test.each([
    { average: 100, letter: 'A+', remark: 'Outstanding' },
    { average: 90, letter: 'A+', remark: 'Outstanding' },
    { average: 89.99, letter: 'A', remark: 'Excellent' },
    { average: 80, letter: 'A', remark: 'Excellent' },
    { average: 79.99, letter: 'B', remark: 'Very good' },
    { average: 70, letter: 'B', remark: 'Very good' },
    { average: 60, letter: 'C', remark: 'Good' },
    { average: 59.99, letter: 'D', remark: 'Pass' },
    { average: 50, letter: 'D', remark: 'Pass' },
    { average: 49.99, letter: 'F', remark: 'Fail' },
    { average: 0, letter: 'F', remark: 'Fail' },
  ])('$average is $letter', ({ average, letter, remark }) => {
    expect(letterFor(scale, average)).toEqual({ letter, remark })
  })

  test('no average, no letter', () => {
    expect(letterFor(scale, null)).toBeNull()
  })

  test('a minimum with decimals is met by the same decimals', () => {
    const odd = {
      passMark: 33.33,
      bands: [
        { letter: 'P', minimum: 66.67, remark: '' },
        { letter: 'N', minimum: 0, remark: '' },
      ],
    }
    expect(letterFor(odd, 66.67)?.letter).toBe('P')
    expect(letterFor(odd, 66.66)?.letter).toBe('N')
    expect([isPass(odd, 33.33), isPass(odd, 33.32)]).toEqual([true, false])
  })
})

test.each([
  { score: 18, max: 20, letter: 'A+', why: '90' },
  { score: 44.9975, max: 50, letter: 'A+', why: '89.995 is printed 90' },
  { score: 2, max: 3, letter: 'C', why: '66.67' },
  { score: 0, max: 20, letter: 'F', why: '0' },
])('a grade of $score out of $max is $letter: $why', ({ score, max, letter }) => {
  expect(letterForScore(scale, score, max)?.letter).toBe(letter)
})

describe('a grading scale', () => {
  const band = (letter: string, minimum: number) => ({ letter, minimum, remark: '' })

  test('the default is one; its pass mark is 50', () => {
    expect(gradingScaleIssues(scale)).toEqual([])
    expect(scale.passMark).toBe(50)
  })

  test.each([
    { why: 'one band', bands: [band('P', 0)], paths: [] },
    { why: 'no band', bands: [], paths: ['bands'] },
    { why: 'minimums that stand still', bands: [band('A', 50), band('B', 50), band('C', 0)], paths: ['bands.1.minimum'] },
    { why: 'minimums that rise', bands: [band('A', 50), band('B', 60), band('C', 0)], paths: ['bands.1.minimum'] },
    { why: 'a last minimum over 0', bands: [band('A', 50), band('B', 1)], paths: ['bands.1.minimum'] },
    { why: 'two zeros', bands: [band('A', 0), band('B', 0)], paths: ['bands.1.minimum'] },
    { why: 'a letter twice', bands: [band('A', 50), band(' A', 0)], paths: ['bands.1.letter'] },
    { why: 'a blank letter', bands: [band('A', 50), band(' ', 0)], paths: ['bands.1.letter'] },
    { why: 'a minimum over 100', bands: [band('A', 101), band('B', 0)], paths: ['bands.0.minimum'] },
    {
      why: 'a minimum that is no number',
      bands: [band('A', 50), band('B', Number.NaN), band('C', 0)],
      paths: ['bands.1.minimum', 'bands.2.minimum'],
    },
    { why: 'a negative last minimum', bands: [band('A', 50), band('B', -1)], paths: ['bands.1.minimum', 'bands.1.minimum'] },
  ])('$why: $paths', ({ bands, paths }) => {
    expect(gradingScaleIssues({ passMark: 50, bands }).map((issue) => issue.path)).toEqual(paths)
    expect(isGradingScale({ passMark: 50, bands })).toBe(paths.length === 0)
  })

  test.each([-1, 100.01, Number.NaN])('a pass mark of %s is refused', (passMark) => {
    expect(gradingScaleIssues({ ...scale, passMark }).map((issue) => issue.path)).toEqual(['passMark'])
  })
})
