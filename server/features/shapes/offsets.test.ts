import { describe, expect, test } from 'vitest'
import { behind, offsetToPosition, positionToOffset, START } from './offsets.ts'

describe('an offset', () => {
  test('is parsed into the position of which it was made', () => {
    for (const position of [
      START,
      behind(41),
      { next: 7, upTo: '019a0000-0000-7000-8000-00000000ffff' },
      { next: 7, upTo: '00000000-0000-0000-0000-000000000001' },
    ])
      expect(offsetToPosition(positionToOffset(position))).toEqual(position)
  })

  test('is two decimal numbers, of which the second rises with the id', () => {
    expect(positionToOffset(behind(41))).toBe('42_0')
    expect(positionToOffset({ next: 7, upTo: 'ffffffff-ffff-ffff-ffff-ffffffffffff' })).toBe(`7_${2n ** 128n - 1n}`)
  })

  test('`0_inf`, the start of the log of other servers, is the start of ours', () => {
    expect(offsetToPosition('0_inf')).toEqual(START)
    expect(offsetToPosition('0_0')).toEqual(START)
  })

  test.each(['', '5', '-1', 'now', '5_', '_5', '5_-1', '5_1x', '5.5_1', `5_${2n ** 128n}`, `${'9'.repeat(16)}_0`])('%s is none', (text) => {
    expect(offsetToPosition(text)).toBeNull()
  })
})
