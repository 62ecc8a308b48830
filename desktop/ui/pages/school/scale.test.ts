import { GradingScaleInput } from '@markbook/shared/contract/grading-scale'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Band, faultOf, toBody } from './scale.ts'

const band = (letter: string, minimum: string, remark = 'Good'): Band => ({ key: 0, letter, minimum, remark })

describe('a typed grading scale', () => {
  test.each([
    ['a whole scale', [band('A', '80'), band('B', '50'), band('C', '0')], '50', null],
    ['a decimal comma', [band('A', '79,5'), band('B', '0')], '49,5', null],
    ['no number', [band('A', 'eighty'), band('B', '0')], '50', { word: 'faultNumber', at: 1 }],
    ['a line that does not fall', [band('A', '50'), band('B', '50'), band('C', '0')], '50', { word: 'faultOrder', at: 2 }],
    ['a letter twice', [band('A', '50'), band('A', '0')], '50', { word: 'faultLetter', at: 2 }],
    ['no remark', [band('A', '50', ' '), band('B', '0')], '50', { word: 'faultRemark', at: 1 }],
    ['an end above 0', [band('A', '50'), band('B', '10')], '50', { word: 'faultLast', at: 2 }],
    ['a pass mark above 100', [band('A', '0')], '101', { word: 'faultPass', at: 0 }],
  ])('%s', (_, bands, passMark, fault) => {
    expect(faultOf(bands, passMark)).toEqual(fault)
  })

  test('without a fault is accepted by the contract', () => {
    const minimum = fc.integer({ min: 0, max: 100 })
    fc.assert(
      fc.property(fc.uniqueArray(minimum, { minLength: 1, maxLength: 8 }), minimum, (minima, pass) => {
        const bands = minima.map((from, at) => band(`L${at}`, String(from)))
        const isTaken = GradingScaleInput.safeParse(toBody(bands, String(pass))).success
        expect(faultOf(bands, String(pass)) === null).toBe(isTaken)
      }),
    )
  })
})
