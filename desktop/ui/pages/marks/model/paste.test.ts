import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMark } from './parse-mark.ts'
import { planPaste, readBlock, writeBlock } from './paste.ts'

describe('readMark', () => {
  test.each([
    ['12', 12],
    ['12.5', 12.5],
    ['12,5', 12.5],
    [' 7 ', 7],
    ['1 0', 10],
    ['0', 0],
    ['20', 20],
  ])('%j is a mark', (text, score) => {
    expect(parseMark(text, 20, [])).toEqual({ kind: 'mark', score })
  })

  test.each([
    ['20.01', 'above_maximum'],
    ['999999999999999999', 'above_maximum'],
    ['-1', 'negative'],
    ['1.234', 'too_many_decimals'],
    ['12½', 'not_a_number'],
    ['A', 'not_a_number'],
    ['1.2.3', 'not_a_number'],
    ['1e1', 'not_a_number'],
    [',5', 'not_a_number'],
  ])('%j is no mark: %s', (text, reason) => {
    expect(parseMark(text, 20, [])).toEqual({ kind: 'wrong', reason })
  })

  test('a text of spaces is empty', () => {
    expect(parseMark(' \u00a0', 20, [])).toEqual({ kind: 'empty' })
  })
})

describe('readBlock', () => {
  test('reads a column with a trailing line break', () => {
    expect(readBlock('12\r\n\r\n7,5\r\n')).toEqual([['12'], [''], ['7,5']])
  })

  test('reads quoted cells with tabs, line breaks and quotes', () => {
    expect(readBlock('"a\tb"\t"say ""no"""\n"two\nlines"\tx')).toEqual([
      ['a\tb', 'say "no"'],
      ['two\nlines', 'x'],
    ])
  })

  test('reads an unclosed quote as an ordinary character', () => {
    expect(readBlock('"12\t3')).toEqual([['"12', '3']])
  })

  test('reads what writeBlock wrote', () => {
    const text = fc.string({ maxLength: 8 }).map((each) => each.replaceAll('\r', '').trim())
    const block = fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 2, max: 4 }))
      .chain(([rows, cols]) => fc.array(fc.array(text, { minLength: cols, maxLength: cols }), { minLength: rows, maxLength: rows }))
    fc.assert(
      fc.property(block, (rows) => {
        expect(readBlock(writeBlock(rows))).toEqual(rows)
      }),
    )
  })
})

describe('planPaste', () => {
  const sheet = {
    rows: 4,
    maxScores: [20, 10],
    codes: standardMarkCodes,
    valueAt: (row: number, col: number) => (row === 0 && col === 0 ? 12 : null),
    isFor: () => true,
  }

  test('reads no more rows than any class has pupils, and counts the others', () => {
    const block = Array.from({ length: 5_002 }, () => ['1'])
    const plan = planPaste(block, { row: 0, col: 0 }, { ...sheet, rows: 6_000 })
    expect(plan).toMatchObject({ marks: 5_000, outsideRows: 2 })
  })

  test('counts marks, invalid cells, and rows and columns outside of the sheet', () => {
    const plan = planPaste(
      [
        ['12', '11'],
        ['13,5', ''],
        ['x', '9', '1'],
      ],
      { row: 0, col: 0 },
      sheet,
    )
    expect(plan).toMatchObject({ marks: 2, wrong: 2, outsideRows: 0, outsideColumns: 1 })
    expect(plan.cells[0]).toMatchObject({ row: 0, col: 0, before: 12, typed: { kind: 'mark', score: 12 } })
    expect(plan.cells.filter(({ typed }) => typed.kind === 'wrong').map(({ text }) => text)).toEqual(['11', 'x'])
  })

  test('reports a mark where the assessment is not for the pupil as invalid, with the reason', () => {
    const plan = planPaste(
      [
        ['12', '5'],
        ['13', ''],
      ],
      { row: 0, col: 0 },
      { ...sheet, isFor: (row) => row === 0 },
    )
    expect(plan).toMatchObject({ marks: 1, wrong: 1 })
    expect(plan.cells.map(({ typed }) => typed)).toEqual([
      { kind: 'mark', score: 12 },
      { kind: 'mark', score: 5 },
      { kind: 'wrong', reason: 'not_for_pupil' },
      { kind: 'empty' },
    ])
  })

  test('counts rows beyond the sheet, and leaves them out', () => {
    expect(planPaste([['1'], ['2'], ['3']], { row: 3, col: 1 }, sheet)).toMatchObject({ marks: 1, outsideRows: 2 })
  })

  test('never goes beyond the sheet', () => {
    const cells = fc.array(fc.array(fc.constantFrom('1', '', 'x', '99'), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 })
    const at = fc.record({ row: fc.integer({ min: 0, max: 3 }), col: fc.integer({ min: 0, max: 1 }) })
    fc.assert(
      fc.property(cells, at, (block, position) => {
        const plan = planPaste(block, position, sheet)
        for (const { row, col } of plan.cells) expect(row < 4 && col < 2 && row >= position.row && col >= position.col).toBe(true)
        expect(plan.outsideRows).toBe(Math.max(0, block.length - (4 - position.row)))
      }),
    )
  })
})
