import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Cursor } from './cursor.ts'
import { blockOf, entered, isInside, leaving, meaningOf, moved, type Size, type Step, tabbed } from './moves.ts'

const key = (name: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>> = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
})
const size: Size = { rows: 40, cols: 16, marks: 12, page: 10 }
const steps: readonly Step[] = ['up', 'down', 'left', 'right', 'home', 'end', 'first', 'last', 'pageUp', 'pageDown']

describe('movement', () => {
  test('never leaves the grid, wherever it begins and however long it is', () => {
    const sizes = fc.record({
      rows: fc.integer({ min: 1, max: 1_000 }),
      marks: fc.integer({ min: 1, max: 30 }),
      page: fc.integer({ min: 1, max: 30 }),
    })
    fc.assert(
      fc.property(sizes, fc.array(fc.constantFrom(...steps), { maxLength: 60 }), ({ rows, marks, page }, walk) => {
        let at = { row: 0, col: 0 }
        for (const step of walk) at = moved(at, step, { rows, marks, page, cols: marks + 4 })
        expect(at.row).toBeGreaterThanOrEqual(-1)
        expect(at.row).toBeLessThan(rows)
        expect(at.col).toBeGreaterThanOrEqual(0)
        expect(at.col).toBeLessThan(marks + 4)
      }),
    )
  })

  test('a step and its opposite lead back, away from the edges', () => {
    const inside = fc.record({ row: fc.integer({ min: 1, max: 38 }), col: fc.integer({ min: 1, max: 14 }) })
    fc.assert(
      fc.property(
        inside,
        fc.constantFrom(
          ...([
            ['up', 'down'],
            ['left', 'right'],
          ] as const),
        ),
        (at, [there, back]) => {
          expect(moved(moved(at, there, size), back, size)).toEqual(at)
        },
      ),
    )
  })

  test('above the first row are the heads of the columns', () => {
    expect(moved({ row: 0, col: 3 }, 'up', size)).toEqual({ row: -1, col: 3 })
    expect(moved({ row: -1, col: 3 }, 'down', size)).toEqual({ row: 0, col: 3 })
    expect(moved({ row: 4, col: 3 }, 'pageUp', size)).toEqual({ row: 0, col: 3 })
  })

  test('Tab goes from mark to mark, and out of the grid where the row ends', () => {
    expect(tabbed({ row: 3, col: 10 }, false, size)).toEqual({ row: 3, col: 11 })
    expect(tabbed({ row: 3, col: 11 }, false, size)).toBeNull()
    expect(tabbed({ row: 3, col: 0 }, true, size)).toBeNull()
    expect(tabbed({ row: 3, col: 15 }, true, size)).toEqual({ row: 3, col: 11 })
  })

  test('Enter after a run of Tabs goes to the next row, where the run began', () => {
    expect(entered({ row: 3, col: 5 }, 2, false, size)).toEqual({ row: 4, col: 2 })
    expect(entered({ row: 3, col: 5 }, null, false, size)).toEqual({ row: 4, col: 5 })
    expect(entered({ row: 39, col: 5 }, null, false, size)).toEqual({ row: 39, col: 5 })
    expect(entered({ row: 3, col: 5 }, null, true, size)).toEqual({ row: 2, col: 5 })
  })
})

describe('keys', () => {
  test('a digit types, F2 changes, Delete asks to clear', () => {
    expect(meaningOf(key('7'))).toEqual({ does: 'type', text: '7' })
    expect(meaningOf(key(','))).toEqual({ does: 'type', text: ',' })
    expect(meaningOf(key('F2'))).toEqual({ does: 'edit' })
    expect(meaningOf(key('Delete'))).toEqual({ does: 'clear' })
    for (const none of ['q', 'É', '-', '%']) expect(meaningOf(key(none))).toEqual({ does: 'noMark' })
    for (const own of [' ', 'F5', 'Dead']) expect(meaningOf(key(own))).toBeNull()
  })

  test('Ctrl+Z takes back, on a Mac too; the browser keeps its own', () => {
    expect(meaningOf(key('z', { ctrlKey: true }))).toEqual({ does: 'undo' })
    expect(meaningOf(key('z', { metaKey: true }))).toEqual({ does: 'undo' })
    for (const own of ['c', 'v', 'f', 'p', 'r', '5']) expect(meaningOf(key(own, { ctrlKey: true }))).toBeNull()
  })

  test('Alt opens remark, exclusion and history', () => {
    expect(['r', 'X', 'h', 'f'].map((each) => meaningOf(key(each, { altKey: true }))?.does)).toEqual([
      'remark',
      'exclude',
      'history',
      undefined,
    ])
  })

  test('Shift with an arrow chooses a block', () => {
    expect(meaningOf(key('ArrowDown', { shiftKey: true }))).toEqual({ does: 'move', step: 'down', extends: true })
    expect(meaningOf(key('End', { ctrlKey: true }))).toEqual({ does: 'move', step: 'last', extends: false })
  })

  test('while a mark is typed over another, arrows leave the cell; while it is changed, they move in it', () => {
    expect(leaving(key('ArrowLeft'), false)).toEqual({ does: 'move', step: 'left', extends: false })
    expect(leaving(key('ArrowLeft'), true)).toBeNull()
    expect(leaving(key('ArrowDown'), true)).toEqual({ does: 'move', step: 'down', extends: false })
    expect(leaving(key('5'), false)).toBeNull()
  })
})

describe('the cursor', () => {
  test('a block has its corners wherever it was begun, and every cell between them', () => {
    const place = fc.record({ row: fc.integer({ min: 0, max: 30 }), col: fc.integer({ min: 0, max: 12 }) })
    fc.assert(
      fc.property(place, place, place, (from, to, other) => {
        const cursor = new Cursor()
        cursor.choose(from, to)
        const block = blockOf(from, to)
        expect(cursor.chosen()).toEqual(block)
        const isChosen = cursor.modeOf(other.row, other.col) !== 'none'
        expect(isChosen).toBe(isInside(block, other.row, other.col))
      }),
    )
  })

  test('tells its listeners of every move, and forgets the block with the next', () => {
    const cursor = new Cursor()
    let told = 0
    const stop = cursor.subscribe(() => {
      told += 1
    })
    cursor.go({ row: 2, col: 2 })
    cursor.go({ row: 4, col: 3 }, { extends: true })
    expect(cursor.isBlock()).toBe(true)
    cursor.go({ row: 5, col: 3 })
    expect(cursor.isBlock()).toBe(false)
    stop()
    cursor.go({ row: 0, col: 0 })
    expect(told).toBe(3)
  })

  test('stays in a grid that became smaller', () => {
    const cursor = new Cursor()
    cursor.go({ row: 30, col: 9 })
    cursor.fit(20, 4)
    expect(cursor.at).toEqual({ row: 19, col: 3 })
  })
})
