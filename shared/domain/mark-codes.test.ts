import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRecorded, type MarkCode, type MarkValue, markAfter, readMarkText, standardMarkCodes } from './mark-codes.ts'

const codes: readonly MarkCode[] = [...standardMarkCodes, { code: 'np', name: 'No paper', effect: 'zero', printed: true }]

describe('a mark after somebody entered something', () => {
  test.each<[string, MarkValue | null, Parameters<typeof markAfter>[1], ReturnType<typeof markAfter>]>([
    ['a score', null, { score: 12 }, { score: 12, status: null }],
    ['a code in place of a score', { score: 12, status: null }, { status: 'abs' }, { score: null, status: 'abs' }],
    ['a score in place of a code', { score: null, status: 'abs' }, { score: 12 }, { score: 12, status: null }],
    ['a code that counts as zero', { score: 12, status: null }, { status: 'np' }, { score: 0, status: 'np' }],
    ['a score in place of that', { score: 0, status: 'np' }, { score: 7 }, { score: 7, status: null }],
    ['late, beside the score that is there', { score: 12, status: null }, { status: 'late' }, { score: 12, status: 'late' }],
    ['late, without a score', null, { status: 'late' }, { score: null, status: 'late' }],
    ['late with a score', null, { score: 9, status: 'late' }, { score: 9, status: 'late' }],
    ['another score, which leaves late', { score: 9, status: 'late' }, { score: 8 }, { score: 8, status: 'late' }],
    ['late taken away', { score: 9, status: 'late' }, { status: null }, { score: 9, status: null }],
    ['a remark alone', { score: null, status: 'ex' }, {}, { score: null, status: 'ex' }],
    ['one code for another', { score: null, status: 'abs' }, { score: null, status: 'ex' }, { score: null, status: 'ex' }],
    ['a code that the school has no more, and stays', { score: null, status: 'old' }, { status: 'old' }, { score: null, status: 'old' }],
    ['both as they are, after a conflict', { score: 20, status: 'abs' }, { score: 20, status: 'abs' }, { score: 20, status: 'abs' }],
    [
      'a code that the school has no more, said whole',
      { score: null, status: 'old' },
      { score: null, status: 'old' },
      { score: null, status: 'old' },
    ],
    ['an unknown code', null, { status: 'xyz' }, 'unknown_code'],
    ['a score with a code in its place', null, { score: 3, status: 'abs' }, 'code_or_score'],
    ['another score than zero with a code for zero', null, { score: 3, status: 'np' }, 'code_or_score'],
    ['nothing', null, { score: null }, 'needs_score'],
    ['no score where a code is in its place', { score: 12, status: 'abs' }, { score: null }, { score: null, status: 'abs' }],
    ['no score', { score: 12, status: 'late' }, { score: null }, 'needs_score'],
    ['the code taken away without a score', { score: null, status: 'abs' }, { status: null }, 'needs_score'],
  ])('%s', (_what, before, entered, after) => expect(markAfter(before, entered, codes)).toEqual(after))

  test('any entry leaves a code and a score that agree; entering it again changes nothing', () => {
    const value = fc.record({
      score: fc.option(fc.integer({ min: 0, max: 20 })),
      status: fc.option(fc.constantFrom(...codes.map(({ code }) => code))),
    })
    const entered = fc.record({ score: value.map(({ score }) => score), status: value.map(({ status }) => status) }, { requiredKeys: [] })
    const starts = fc.constantFrom<MarkValue | null>(
      null,
      { score: 5, status: null },
      { score: null, status: 'abs' },
      { score: 5, status: 'late' },
    )
    fc.assert(
      fc.property(starts, entered, (before, said) => {
        const after = markAfter(before, said, codes)
        if (typeof after === 'string') return
        const effect = codes.find(({ code }) => code === after.status)?.effect
        if (effect === 'left_out' || effect === 'under_review') expect(after.score).toBeNull()
        if (effect === 'zero') expect(after.score).toBe(0)
        if (after.status === null && before) expect(after.score).not.toBeNull()
        expect(markAfter(after, said, codes)).toEqual(after)
      }),
    )
  })
})

test('two concurrent entries always write a common field, or a code beside a score', () => {
  // A conflict is detected where both write the same merge unit (`score`, `status`). Only a code beside a score is merged without one.
  const entries = [{ score: 5 }, { score: 6 }, { status: 'abs' }, { status: 'ex' }, { status: 'np' }, { status: 'late' }]
  const starts: (MarkValue | null)[] = [
    null,
    { score: 3, status: null },
    { score: 0, status: null },
    { score: 0, status: 'np' },
    { score: null, status: 'abs' },
    { score: 4, status: 'late' },
  ]
  const written = (before: MarkValue | null, after: MarkValue) =>
    (['score', 'status'] as const).filter((unit) => before?.[unit] !== after[unit])
  for (const before of starts)
    for (const one of entries)
      for (const other of entries) {
        const [a, b] = [markAfter(before, one, codes) as MarkValue, markAfter(before, other, codes) as MarkValue]
        const [writtenA, writtenB] = [written(before, a), written(before, b)]
        if (writtenA.length === 0 || writtenB.length === 0 || (a.score === b.score && a.status === b.status)) continue
        const meet = writtenA.some((unit) => writtenB.includes(unit))
        const isBeside = one.status === 'late' || other.status === 'late' || before?.score === 0
        expect(meet || isBeside, JSON.stringify({ before, one, other })).toBe(true)
      }
})

describe('a typed text', () => {
  test.each<[string, string, string | null]>([
    ['abs', '', 'abs'],
    [' ABS ', '', 'abs'],
    ['15', '15', null],
    ['15,5 late', '15,5', 'late'],
    ['Late 15', '15', 'late'],
    ['ill', 'ill', null],
    ['abs ex', 'abs ex', null],
    ['', '', null],
  ])('«%s»', (text, score, code) => {
    const read = readMarkText(text, codes)
    expect([read.score, read.code?.code ?? null]).toEqual([score, code])
  })
})

test('a score is complete, and so is a code, except those of a mark still to come', () => {
  expect(isRecorded({ score: 0 }, codes)).toBe(true)
  expect(isRecorded({ score: 9, status: 'late' }, codes)).toBe(true)
  expect(isRecorded({ score: null, status: 'abs' }, codes)).toBe(true)
  expect(isRecorded({ score: null, status: 'inc' }, codes)).toBe(false)
  expect(isRecorded({ score: null, status: 'late' }, codes)).toBe(false)
  expect(isRecorded({ score: null }, codes)).toBe(false)
})
