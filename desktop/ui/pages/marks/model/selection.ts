import { Listeners } from '../../../api/listeners.ts'
import type { CellValue } from './cell-value.ts'
import { type CellPosition, type CellRange, type GridSize, isInRange, positionWithin, rangeBetween } from './navigation.ts'

/**
 * The open editor. `text`: what it began with, `typed`: what is in it now. `caret`: arrow keys move within the text, else they leave the cell.
 * `seen`: the mark that the user saw. `staysOpen`: opened by a finger, so that what comes next is edited too and the keyboard of the screen
 * stays.
 */
export type CellEdit = {
  readonly text: string
  typed: string
  readonly caret: boolean
  readonly seen: CellValue
  readonly staysOpen: boolean
}
export type CellMode = 'none' | 'chosen' | 'active' | 'editing'

/** The selected cells of a grid, outside of React, so that a key repaints only the cells that it changes. */
export class GridSelection {
  active: CellPosition = { row: 0, col: 0 }
  editing: CellEdit | null = null
  /** Column in which a run of Tabs began; Enter returns to it. */
  tabbedFrom: number | null = null
  /** Whether the active cell is so because it was pressed: it must stay under the pointer. */
  isPressed = false
  private anchor: CellPosition = this.active
  private isFocused = false
  private block: CellRange = rangeBetween(this.active, this.active)
  private readonly changes = new Listeners()
  readonly subscribe = this.changes.add

  /** The selected range, at least one cell. */
  range = (): CellRange => this.block
  hasSeveralCells = (): boolean => this.block.top !== this.block.bottom || this.block.left !== this.block.right

  modeOf(row: number, col: number): CellMode {
    if (row === this.active.row && col === this.active.col) return this.editing ? 'editing' : this.isFocused ? 'active' : 'chosen'
    return this.hasSeveralCells() && isInRange(this.block, row, col) ? 'chosen' : 'none'
  }

  /** What `modeOf` says of the cells of a row, as a text that is the same as long as they are. */
  inRow(row: number): string {
    const { top, bottom, left, right } = this.block
    const chosen = this.hasSeveralCells() && row >= top && row <= bottom ? `${left}-${right}` : ''
    return row === this.active.row ? `${chosen} ${this.active.col} ${this.modeOf(row, this.active.col)}` : chosen
  }

  moveTo(at: CellPosition, { extends: isExtended = false, tabbedFrom = null as number | null, isPressed = false } = {}): void {
    this.editing = null
    this.isPressed = isPressed
    this.active = at
    this.tabbedFrom = tabbedFrom
    if (!isExtended) this.anchor = at
    this.block = this.blockTo(at)
    this.changes.notify()
  }

  /**
   * Goes along where rows and columns came, went or moved; `placeOf` says where a cell is now. False where the active cell is gone: what
   * stands in its place is active then, and no editor is open.
   */
  follow(placeOf: (at: CellPosition) => CellPosition | null, size: GridSize): boolean {
    const place = placeOf(this.active)
    const tabbedFrom = this.tabbedFrom === null ? null : placeOf({ row: this.active.row, col: this.tabbedFrom })
    if (!place) this.editing = null
    this.anchor = (place && placeOf(this.anchor)) ?? place ?? positionWithin(this.active, size)
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
