import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { key } from './key.fixtures.ts'
import {
  commandForKey,
  editorCommandForKey,
  type GridSize,
  inReadingDirection,
  isInRange,
  keepsCellPositions,
  type Movement,
  positionAfterEnter,
  positionAfterMove,
  positionAfterTab,
  rangeBetween,
} from './navigation.ts'
import { GridSelection } from './selection.ts'

const size: GridSize = { rows: 40, cols: 16, marks: 12, page: 10 }
const steps: readonly Movement[] = ['up', 'down', 'left', 'right', 'home', 'end', 'top', 'bottom', 'first', 'last', 'pageUp', 'pageDown']

describe('movement', () => {
  test('never leaves the grid', () => {
    const sizes = fc.record({
      rows: fc.integer({ min: 1, max: 1_000 }),
      marks: fc.integer({ min: 1, max: 30 }),
      page: fc.integer({ min: 1, max: 30 }),
    })
    fc.assert(
      fc.property(sizes, fc.array(fc.constantFrom(...steps), { maxLength: 60 }), ({ rows, marks, page }, walk) => {
        let at = { row: 0, col: 0 }
        for (const step of walk) at = positionAfterMove(at, step, { rows, marks, page, cols: marks + 4 })
        expect(at.row).toBeGreaterThanOrEqual(-1)
        expect(at.row).toBeLessThan(rows)
        expect(at.col).toBeGreaterThanOrEqual(0)
        expect(at.col).toBeLessThan(marks + 4)
      }),
    )
  })

  test('opposite movements cancel out away from the edges', () => {
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
          expect(positionAfterMove(positionAfterMove(at, there, size), back, size)).toEqual(at)
        },
      ),
    )
  })

  test('the header is above the first row', () => {
    expect(positionAfterMove({ row: 0, col: 3 }, 'up', size)).toEqual({ row: -1, col: 3 })
    expect(positionAfterMove({ row: -1, col: 3 }, 'down', size)).toEqual({ row: 0, col: 3 })
    expect(positionAfterMove({ row: 4, col: 3 }, 'pageUp', size)).toEqual({ row: 0, col: 3 })
  })

  test('Tab moves along the marks of a row, and leaves the grid at its end', () => {
    expect(positionAfterTab({ row: 3, col: 10 }, false, size)).toEqual({ row: 3, col: 11 })
    expect(positionAfterTab({ row: 3, col: 11 }, false, size)).toBeNull()
    expect(positionAfterTab({ row: 3, col: 0 }, true, size)).toBeNull()
    expect(positionAfterTab({ row: 3, col: 15 }, true, size)).toEqual({ row: 3, col: 11 })
  })

  test('Enter after several Tabs goes to the next row, in the column of the first Tab', () => {
    expect(positionAfterEnter({ row: 3, col: 5 }, 2, false, size)).toEqual({ row: 4, col: 2 })
    expect(positionAfterEnter({ row: 3, col: 5 }, null, false, size)).toEqual({ row: 4, col: 5 })
    expect(positionAfterEnter({ row: 39, col: 5 }, null, false, size)).toEqual({ row: 39, col: 5 })
    expect(positionAfterEnter({ row: 3, col: 5 }, null, true, size)).toEqual({ row: 2, col: 5 })
  })
})

test('positions stay the same only if no row or column came before or went', () => {
  const lines = (...ids: string[]) => ids.map((id) => ({ id }))
  const before = { pupils: lines('a', 'b'), columns: lines('x') }
  expect(keepsCellPositions({ pupils: lines('a', 'b', 'c'), columns: lines('x', 'y') }, before)).toBe(true)
  expect(keepsCellPositions({ pupils: lines('a', 'c', 'b'), columns: lines('x') }, before)).toBe(false)
  expect(keepsCellPositions({ pupils: lines('a'), columns: lines('x') }, before)).toBe(false)
  expect(keepsCellPositions({ ...before, columns: lines('y', 'x') }, before)).toBe(false)
})

describe('keys', () => {
  test('every printable character opens the editor, F2 edits, Delete clears', () => {
    expect(commandForKey(key('7'))).toEqual({ kind: 'type', text: '7' })
    expect(commandForKey(key(','))).toEqual({ kind: 'type', text: ',' })
    expect(commandForKey(key('F2'))).toEqual({ kind: 'edit' })
    expect(commandForKey(key('Delete'))).toEqual({ kind: 'clear' })
    for (const text of ['q', 'É', '-', '%', '٣']) expect(commandForKey(key(text))).toEqual({ kind: 'type', text })
    for (const own of [' ', 'F5', 'Dead']) expect(commandForKey(key(own))).toBeNull()
  })

  test('Ctrl+Z and Cmd+Z undo; keys of the browser are not handled', () => {
    expect(commandForKey(key('z', { ctrlKey: true }))).toEqual({ kind: 'undo' })
    expect(commandForKey(key('z', { metaKey: true }))).toEqual({ kind: 'undo' })
    for (const own of ['c', 'v', 'f', 'p', 'r', '5']) expect(commandForKey(key(own, { ctrlKey: true }))).toBeNull()
  })

  test('Alt opens remark, exclusion and history', () => {
    expect(['r', 'X', 'h', 'f'].map((each) => commandForKey(key(each, { altKey: true }))?.kind)).toEqual([
      'remark',
      'exclude',
      'history',
      undefined,
    ])
  })

  test('Shift with an arrow extends the range', () => {
    expect(commandForKey(key('ArrowDown', { shiftKey: true }))).toEqual({ kind: 'move', step: 'down', extends: true })
    expect(commandForKey(key('End', { ctrlKey: true }))).toEqual({ kind: 'move', step: 'last', extends: false })
  })

  test('Ctrl with an arrow goes to the end of the column or row', () => {
    const at = { row: 3, col: 1 }
    const moved = (name: string) => {
      const command = commandForKey(key(name, { ctrlKey: true, shiftKey: true }))
      return command?.kind === 'move' && command.extends ? positionAfterMove(at, command.step, size) : null
    }
    expect(moved('ArrowDown')).toEqual({ row: 39, col: 1 })
    expect(moved('ArrowUp')).toEqual({ row: 0, col: 1 })
    expect(moved('ArrowRight')).toEqual({ row: 3, col: 15 })
    expect(moved('ArrowLeft')).toEqual({ row: 3, col: 0 })
  })

  test('on a keyboard of another script shortcuts are at the places of Latin letters, and other keys type its letters', () => {
    const kindOf = (press: Parameters<typeof inReadingDirection>[0]) => commandForKey(inReadingDirection(press, false))
    expect(kindOf(key('ئ', { code: 'KeyZ', ctrlKey: true }))).toEqual({ kind: 'undo' })
    expect(kindOf(key('я', { code: 'KeyZ', ctrlKey: true, shiftKey: true }))).toEqual({ kind: 'redo' })
    expect(kindOf(key('®', { code: 'KeyR', altKey: true }))).toEqual({ kind: 'remark' })
    expect(kindOf(key('ئ', { code: 'KeyZ' }))).toEqual({ kind: 'type', text: 'ئ' })
    // On layouts with Z at another place the letter decides.
    expect(kindOf(key('w', { code: 'KeyZ', ctrlKey: true }))).toBeNull()
  })

  test('arrows leave the cell while a mark is typed over, and move the caret while it is edited', () => {
    expect(editorCommandForKey(key('ArrowLeft'), false)).toEqual({ kind: 'move', step: 'left', extends: false })
    expect(editorCommandForKey(key('ArrowLeft'), true)).toBeNull()
    expect(editorCommandForKey(key('ArrowDown'), true)).toEqual({ kind: 'move', step: 'down', extends: false })
    expect(editorCommandForKey(key('5'), false)).toBeNull()
  })

  test('grid keys for a mark and for a page also work in the editor; keys of the browser do not reach the grid', () => {
    expect(editorCommandForKey(key('r', { altKey: true }), false)).toEqual({ kind: 'remark' })
    expect(editorCommandForKey(key('PageDown'), true)).toEqual({ kind: 'move', step: 'pageDown', extends: false })
    expect(editorCommandForKey(key('ArrowLeft', { altKey: true }), false)).toBeNull()
  })

  test('Enter during a composition belongs to the composed text', () => {
    expect(editorCommandForKey(key('Enter', { isComposing: true }), true)).toBeNull()
    expect(editorCommandForKey(key('Enter'), true)).toEqual({ kind: 'enter', back: false })
  })
})

test('in right-to-left pages only the left and right arrows are exchanged', () => {
  const moved = (name: string, isRightToLeft: boolean) => commandForKey(inReadingDirection(key(name, { shiftKey: true }), isRightToLeft))
  expect(moved('ArrowLeft', true)).toEqual({ kind: 'move', step: 'right', extends: true })
  expect(moved('ArrowRight', true)).toEqual({ kind: 'move', step: 'left', extends: true })
  expect(moved('ArrowLeft', false)).toEqual({ kind: 'move', step: 'left', extends: true })
  for (const same of ['ArrowUp', 'Home', 'Enter', '7']) expect(moved(same, true)).toEqual(moved(same, false))
})

describe('the selection', () => {
  test('a range contains both corners and every cell between them, in any order', () => {
    const position = fc.record({ row: fc.integer({ min: 0, max: 30 }), col: fc.integer({ min: 0, max: 12 }) })
    fc.assert(
      fc.property(position, position, position, (from, to, other) => {
        const selection = new GridSelection()
        selection.selectRange(from, to)
        const block = rangeBetween(from, to)
        expect(selection.range()).toEqual(block)
        const isChosen = selection.modeOf(other.row, other.col) !== 'none'
        expect(isChosen).toBe(isInRange(block, other.row, other.col))
      }),
    )
  })

  test('notifies listeners of every move; a move without Shift ends the range', () => {
    const selection = new GridSelection()
    let told = 0
    const stop = selection.subscribe(() => {
      told += 1
    })
    selection.moveTo({ row: 2, col: 2 })
    selection.moveTo({ row: 4, col: 3 }, { extends: true })
    expect(selection.hasSeveralCells()).toBe(true)
    selection.moveTo({ row: 5, col: 3 })
    expect(selection.hasSeveralCells()).toBe(false)
    stop()
    selection.moveTo({ row: 0, col: 0 })
    expect(told).toBe(3)
  })
})
