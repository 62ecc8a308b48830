import { keyOfShortcut } from '../../../components/shortcut-key.ts'

/** `row`: the index of a pupil, -1 for the header; `col`: that of an assessment, or after those of a figure. */
export type CellPosition = { row: number; col: number }
/** `marks`: the number of editable columns, which come first of the `cols`; `page`: the number of visible rows. */
export type GridSize = { rows: number; cols: number; marks: number; page: number }

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value))

type Lines = { readonly pupils: readonly { id: string }[]; readonly columns: readonly { id: string }[] }

/** The position of a cell after a change of rows or columns; null where its pupil or assessment is gone. */
export function positionIn(after: Lines, before: Lines, at: CellPosition): CellPosition | null {
  const indexOf = (lines: readonly { id: string }[], id: string | undefined) => lines.findIndex((line) => line.id === id)
  const row = at.row < 0 ? at.row : indexOf(after.pupils, before.pupils[at.row]?.id)
  const marks = before.columns.length
  const isFigure = marks > 0 && at.col >= marks
  const col = isFigure ? after.columns.length + at.col - marks : indexOf(after.columns, before.columns[at.col]?.id)
  if (col < 0 || (row < 0 && at.row >= 0)) return null
  return row === at.row && col === at.col ? at : { row, col }
}

/** Whether every cell has the position that it had; rows or columns may have been added at the end. */
export const keepsCellPositions = (after: Lines, before: Lines): boolean =>
  before.pupils.every(({ id }, at) => after.pupils[at]?.id === id) && before.columns.every(({ id }, at) => after.columns[at]?.id === id)

/** Row and column after each movement; may be outside the grid. */
const movements = {
  up: ({ row, col }: CellPosition) => [row - 1, col],
  down: ({ row, col }: CellPosition) => [row + 1, col],
  left: ({ row, col }: CellPosition) => [row, col - 1],
  right: ({ row, col }: CellPosition) => [row, col + 1],
  home: ({ row }: CellPosition) => [row, 0],
  end: ({ row }: CellPosition, { cols }: GridSize) => [row, cols - 1],
  top: ({ col }: CellPosition) => [0, col],
  bottom: ({ col }: CellPosition, { rows }: GridSize) => [rows - 1, col],
  first: () => [0, 0],
  last: (_at: CellPosition, { rows, cols }: GridSize) => [rows - 1, cols - 1],
  pageUp: ({ row, col }: CellPosition, { page }: GridSize) => [Math.max(0, row - page), col],
  pageDown: ({ row, col }: CellPosition, { page }: GridSize) => [row + page, col],
} satisfies Record<string, (at: CellPosition, size: GridSize) => [row: number, col: number]>
export type Movement = keyof typeof movements

/** The position after a movement, within the grid. */
export function positionAfterMove(at: CellPosition, step: Movement, size: GridSize): CellPosition {
  const [row, col] = movements[step](at, size)
  return positionWithin({ row, col }, size)
}

/** The position after Tab, along the marks of a row; null at its end, where the focus leaves the grid. */
export function positionAfterTab({ row, col }: CellPosition, back: boolean, { marks }: GridSize): CellPosition | null {
  const next = back ? Math.min(col, marks) - 1 : col + 1
  return next < 0 || next >= marks ? null : { row, col: next }
}

/** The position after Enter: down; after several Tabs in the column of the first one. Stays in the last row. */
export const positionAfterEnter = ({ row, col }: CellPosition, tabbedFrom: number | null, back: boolean, size: GridSize): CellPosition =>
  positionAfterMove({ row, col: tabbedFrom ?? col }, back && row > 0 ? 'up' : back ? 'home' : 'down', size)

/** The nearest position within the grid. */
export const positionWithin = ({ row, col }: CellPosition, { rows, cols }: GridSize): CellPosition => ({
  row: clamp(row, -1, rows - 1),
  col: clamp(col, 0, cols - 1),
})

/** A rectangle of cells; all four are included. */
export type CellRange = { top: number; bottom: number; left: number; right: number }
export const rangeBetween = (a: CellPosition, b: CellPosition): CellRange => ({
  top: Math.max(0, Math.min(a.row, b.row)),
  bottom: Math.max(a.row, b.row),
  left: Math.min(a.col, b.col),
  right: Math.max(a.col, b.col),
})
export const isInRange = ({ top, bottom, left, right }: CellRange, row: number, col: number): boolean =>
  row >= top && row <= bottom && col >= left && col <= right

/** `isComposing`: the key belongs to a text that an input method composes, as for Chinese. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing'>
/** The command of a key in the grid. */
export type GridCommand =
  | { kind: 'move'; step: Movement; extends: boolean }
  | { kind: 'tab'; back: boolean }
  | { kind: 'enter'; back: boolean }
  | { kind: 'type'; text: string }
  | {
      kind:
        | 'edit'
        | 'clear'
        | 'fill'
        | 'fillDown'
        | 'undo'
        | 'redo'
        | 'remark'
        | 'exclude'
        | 'history'
        | 'explain'
        | 'menu'
        | 'all'
        | 'escape'
    }

const MOVEMENTS: Readonly<Record<string, Movement>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'home',
  End: 'end',
  PageUp: 'pageUp',
  PageDown: 'pageDown',
}
const WITH_ALT: Readonly<Record<string, 'remark' | 'exclude' | 'history' | 'explain'>> = {
  r: 'remark',
  x: 'exclude',
  h: 'history',
  e: 'explain',
}
const PLAIN: Readonly<Record<string, 'edit' | 'clear' | 'escape' | 'menu'>> = {
  F2: 'edit',
  Delete: 'clear',
  Backspace: 'clear',
  Escape: 'escape',
  ContextMenu: 'menu',
}
const WITH_CONTROL: Partial<Record<Movement, Movement>> = {
  home: 'first',
  end: 'last',
  up: 'top',
  down: 'bottom',
  left: 'home',
  right: 'end',
}

const SIDEWAYS: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }

/** Exchanges the left and right arrows in right-to-left pages, where the first column is at the right. */
export function inReadingDirection(event: KeyPress & { code: string }, isRightToLeft: boolean): KeyPress {
  const { ctrlKey, metaKey, shiftKey, altKey, isComposing } = event
  const key = keyOfShortcut(event)
  return { key: (isRightToLeft && SIDEWAYS[key]) || key, ctrlKey, metaKey, shiftKey, altKey, isComposing }
}

/** The command of a key; null where the grid does not handle the key. */
export function commandForKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyPress): GridCommand | null {
  const command = ctrlKey || metaKey
  const lower = key.toLowerCase()
  if (altKey) return !command && WITH_ALT[lower] ? { kind: WITH_ALT[lower] } : null
  const step = MOVEMENTS[key]
  if (step && command) {
    const far = WITH_CONTROL[step]
    return far ? { kind: 'move', step: far, extends: shiftKey } : null
  }
  if (step) return { kind: 'move', step, extends: shiftKey }
  if (command) return commandWithControl(lower, shiftKey)
  return commandForPlainKey(key, shiftKey)
}

function commandWithControl(lower: string, shiftKey: boolean): GridCommand | null {
  if (lower === 'z') return { kind: shiftKey ? 'redo' : 'undo' }
  if (lower === 'y' && !shiftKey) return { kind: 'redo' }
  if (lower === 'd' && !shiftKey) return { kind: 'fillDown' }
  return lower === 'a' ? { kind: 'all' } : null
}

function commandForPlainKey(key: string, shiftKey: boolean): GridCommand | null {
  if (key === 'Tab' || key === 'Enter') return { kind: key === 'Tab' ? 'tab' : 'enter', back: shiftKey }
  if (key === 'F10') return shiftKey ? { kind: 'menu' } : null
  if (PLAIN[key]) return { kind: PLAIN[key] }
  // Every printable character, so that `-5` is refused as a whole and not taken for 5. A space scrolls, as in other pages.
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(key) ? { kind: 'type', text: key } : null
}

/** The command of a key in the editor; null where the field handles it. `caret`: arrow keys move within the text. */
export function editorCommandForKey(press: KeyPress, caret: boolean): GridCommand | null {
  const { key, shiftKey } = press
  if (press.isComposing) return null
  if (key === 'Enter' && (press.ctrlKey || press.metaKey)) return { kind: 'fill' }
  if (key === 'Enter' || key === 'Tab' || key === 'Escape') return commandForPlainKey(key, shiftKey)
  // Alt opens remark and history of the mark being typed; Alt with an arrow is left to the browser.
  if (press.altKey) return commandForKey(press)
  const step = MOVEMENTS[key]
  if (step === 'up' || step === 'down' || step === 'pageUp' || step === 'pageDown') return { kind: 'move', step, extends: false }
  return !caret && !shiftKey && (step === 'left' || step === 'right') ? { kind: 'move', step, extends: false } : null
}
