import { Listeners } from '../../../api/listeners.ts'
import type { CellValue } from './cell-value.ts'
import { type CellPosition, type CellRange, type GridSize, isInRange, positionWithin, rangeBetween } from './navigation.ts'

/**
 * The open editor. `text`: its first text, `typed`: its text now. `caret`: arrow keys move within the text; otherwise they leave the cell.
 * `seen`: the mark that the user saw. `staysOpen`: it was opened by touch, so that the next cell gets an editor too and the on-screen
 * keyboard stays open.
 */
export type CellEdit = {
  readonly text: string
  typed: string
  readonly caret: boolean
  readonly seen: CellValue
  readonly staysOpen: boolean
}
export type CellMode = 'none' | 'chosen' | 'active' | 'editing'

/** The selected cells of a grid, outside React, so that a key renders only the cells that it changes. */
export class GridSelection {
  active: CellPosition = { row: 0, col: 0 }
  editing: CellEdit | null = null
  /** The column of the first of several Tabs, to which Enter returns; null after other moves. */
  tabbedFrom: number | null = null
  /** A step down stayed in the last row: what is typed next is one mark too many. */
  isPastEnd = false
  /** The active cell is gone: until another is chosen, what is typed is for none. */
  isGone = false
  /** The active cell was pressed, and must stay under the pointer. */
  isPressed = false
  private anchor: CellPosition = this.active
  private isFocused = false
  private block: CellRange = rangeBetween(this.active, this.active)
  private readonly changes = new Listeners()
  readonly subscribe = this.changes.add

  /** The selected range; without rows (`bottom` -1) while the active cell is in the header. */
  range = (): CellRange => this.block
  hasSeveralCells = (): boolean => this.block.top !== this.block.bottom || this.block.left !== this.block.right

  modeOf(row: number, col: number): CellMode {
    if (row === this.active.row && col === this.active.col) return this.editing ? 'editing' : this.isFocused ? 'active' : 'chosen'
    return this.hasSeveralCells() && isInRange(this.block, row, col) ? 'chosen' : 'none'
  }

  /** The modes of the cells in a row (`modeOf`), as a text that changes only with them. */
  inRow(row: number): string {
    const { top, bottom, left, right } = this.block
    const chosen = this.hasSeveralCells() && row >= top && row <= bottom ? `${left}-${right}` : ''
    return row === this.active.row ? `${chosen} ${this.active.col} ${this.modeOf(row, this.active.col)}` : chosen
  }

  moveTo(
    at: CellPosition,
    { extends: isExtended = false, tabbedFrom = null as number | null, isPressed = false, isPastEnd = false } = {},
  ): void {
    this.editing = null
    this.isPastEnd = isPastEnd
    this.isGone = false
    this.isPressed = isPressed
    this.active = at
    this.tabbedFrom = tabbedFrom
    if (!isExtended) this.anchor = at
    this.block = this.blockTo(at)
    this.changes.notify()
  }

  /**
   * Adapts to a change of rows and columns; `placeOf` returns the new position of a cell. False where the active cell is gone: then the
   * editor is closed, and the head of a column is active. Another cell in its place would get what is still being typed.
   */
  follow(placeOf: (at: CellPosition) => CellPosition | null, size: GridSize): boolean {
    const place = placeOf(this.active)
    const tabbedFrom = this.tabbedFrom === null ? null : placeOf({ row: this.active.row, col: this.tabbedFrom })
    if (!place) {
      this.editing = null
      this.isPastEnd = false
      this.isGone = size.marks > 0
    }
    const { row, col } = positionWithin(this.active, size)
    const otherwise = size.marks > 0 ? { row: -1, col: Math.min(col, size.marks - 1) } : { row, col }
    this.anchor = (place && placeOf(this.anchor)) ?? place ?? otherwise
    this.active = place ?? this.anchor
    this.tabbedFrom = tabbedFrom?.col ?? null
    this.block = this.blockTo(this.active)
    this.changes.notify()
    return place !== null
  }

  private blockTo = (at: CellPosition): CellRange =>
    at.row < 0 ? { top: 0, bottom: -1, left: at.col, right: at.col } : rangeBetween(this.anchor, at)

  selectRange(from: CellPosition, to: CellPosition): void {
    this.anchor = from
    this.moveTo(to, { extends: true })
  }

  setEdit(editing: CellEdit | null): void {
    this.editing = editing
    this.changes.notify()
  }

  setFocused(isFocused: boolean): void {
    if (this.isFocused === isFocused) return
    this.isFocused = isFocused
    this.changes.notify()
  }
}
