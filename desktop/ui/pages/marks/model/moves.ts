/** A place in the grid: `row` of a pupil (-1 the heads of the columns), `col` of an assessment, then of the figures beside them. */
export type Place = { row: number; col: number }
/** `marks`: columns in which marks are typed; the others, up to `cols`, are for reading. `page`: rows in sight. */
export type Size = { rows: number; cols: number; marks: number; page: number }
export type Step = 'up' | 'down' | 'left' | 'right' | 'home' | 'end' | 'first' | 'last' | 'pageUp' | 'pageDown'

const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value))

/** Where a step leads; never out of the grid. */
export function moved({ row, col }: Place, step: Step, { rows, cols, page }: Size): Place {
  const to = (nextRow: number, nextCol: number): Place => ({ row: within(nextRow, -1, rows - 1), col: within(nextCol, 0, cols - 1) })
  switch (step) {
    case 'up':
      return to(row - 1, col)
    case 'down':
      return to(row + 1, col)
    case 'left':
      return to(row, col - 1)
    case 'right':
      return to(row, col + 1)
    case 'home':
      return to(row, 0)
    case 'end':
      return to(row, cols - 1)
    case 'first':
      return to(0, 0)
    case 'last':
      return to(rows - 1, cols - 1)
    case 'pageUp':
      return to(Math.max(0, row - page), col)
    case 'pageDown':
      return to(row + page, col)
  }
}

/** Tab goes from mark to mark in a row; null where the row ends, and the key leaves the grid. */
export function tabbed({ row, col }: Place, back: boolean, { marks }: Size): Place | null {
  const next = back ? Math.min(col, marks) - 1 : col + 1
  return next < 0 || next >= marks ? null : { row, col: next }
}

/** Enter goes down; after a run of Tabs to the column where that began, as on paper. Stays in the last row. */
export const entered = ({ row, col }: Place, tabbedFrom: number | null, back: boolean, size: Size): Place =>
  moved({ row, col: tabbedFrom ?? col }, back && row > 0 ? 'up' : back ? 'home' : 'down', size)

/** What lies between two corners, both included. */
export type Block = { top: number; bottom: number; left: number; right: number }
export const blockOf = (a: Place, b: Place): Block => ({
  top: Math.max(0, Math.min(a.row, b.row)),
  bottom: Math.max(a.row, b.row),
  left: Math.min(a.col, b.col),
  right: Math.max(a.col, b.col),
})
export const isInside = ({ top, bottom, left, right }: Block, row: number, col: number): boolean =>
  row >= top && row <= bottom && col >= left && col <= right

type Key = { key: string; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean; altKey: boolean }
/** What a key means while nothing is being typed. */
export type Meaning =
  | { does: 'move'; step: Step; extends: boolean }
  | { does: 'tab'; back: boolean }
  | { does: 'enter'; back: boolean }
  | { does: 'type'; text: string }
  | { does: 'edit' | 'clear' | 'undo' | 'remark' | 'exclude' | 'history' | 'menu' | 'all' | 'escape' | 'noMark' }

const STEPS: Readonly<Record<string, Step>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'home',
  End: 'end',
  PageUp: 'pageUp',
  PageDown: 'pageDown',
}
const WITH_ALT = { r: 'remark', x: 'exclude', h: 'history' } as const

/** Null: the key is not the grid's. */
export function meaningOf({ key, ctrlKey, metaKey, shiftKey, altKey }: Key): Meaning | null {
  const command = ctrlKey || metaKey
  const lower = key.toLowerCase()
  if (altKey) return !command && lower in WITH_ALT ? { does: WITH_ALT[lower as keyof typeof WITH_ALT] } : null
  const step = STEPS[key]
  if (step && command) {
    const far = ({ home: 'first', end: 'last', up: 'first', down: 'last', left: 'home', right: 'end' } as const)[step as 'home']
    return far ? { does: 'move', step: far, extends: shiftKey } : null
  }
  if (step) return { does: 'move', step, extends: shiftKey }
  if (command) return lower === 'z' && !shiftKey ? { does: 'undo' } : lower === 'a' ? { does: 'all' } : null
  return plainMeaningOf(key, shiftKey)
}

function plainMeaningOf(key: string, shiftKey: boolean): Meaning | null {
  switch (key) {
    case 'Tab':
      return { does: 'tab', back: shiftKey }
    case 'Enter':
      return { does: 'enter', back: shiftKey }
    case 'F2':
      return { does: 'edit' }
    case 'Delete':
    case 'Backspace':
      return { does: 'clear' }
    case 'Escape':
      return { does: 'escape' }
    case 'ContextMenu':
      return { does: 'menu' }
    case 'F10':
      return shiftKey ? { does: 'menu' } : null
    default:
      if (/^[0-9.,]$/.test(key)) return { does: 'type', text: key }
      // Letters and signs begin no mark: that is said, instead of nothing happening. A space scrolls, as everywhere.
      return /^[\p{L}\p{P}\p{S}]$/u.test(key) ? { does: 'noMark' } : null
  }
}

/** While a mark is typed: where a key leads once it was taken. Null: the key is the field's own. `caret`: arrows move in what is typed. */
export function leaving({ key, shiftKey }: Key, caret: boolean): Meaning | null {
  if (key === 'Enter') return { does: 'enter', back: shiftKey }
  if (key === 'Tab') return { does: 'tab', back: shiftKey }
  if (key === 'Escape') return { does: 'escape' }
  const step = STEPS[key]
  if (step === 'up' || step === 'down') return { does: 'move', step, extends: false }
  return !caret && !shiftKey && (step === 'left' || step === 'right') ? { does: 'move', step, extends: false } : null
}
