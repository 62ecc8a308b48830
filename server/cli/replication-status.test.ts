import { describe, expect, test } from 'vitest'
import { linesOfSchools } from './replication-status.ts'

const schools = (count: number, ill: readonly number[]) =>
  Array.from({ length: count }, (_, at) => ({ lines: [`School ${at}`, `  Waiting: ${at}`], isWell: !ill.includes(at) }))

describe('what sync status says of several schools', () => {
  test('of a few each, those to look at last', () => {
    expect(linesOfSchools(schools(3, [0]), false)).toEqual([1, 2, 0].flatMap((at) => [`School ${at}`, `  Waiting: ${at}`]))
  })

  test('of three hundred those to look at, and how many others there are', () => {
    expect(linesOfSchools(schools(300, [7, 211]), false)).toEqual([
      '298 of 300 schools have nothing to look at. Each of them: markbook sync status --all',
      'School 7',
      '  Waiting: 7',
      'School 211',
      '  Waiting: 211',
    ])
    expect(linesOfSchools(schools(300, [7]), true)).toHaveLength(600)
  })
})
