import { type Block, blockOf, isInside, type Place } from './moves.ts'

/** What is being typed into a cell. `caret`: arrows move in the text; else they leave it, as after typing over a mark. */
export type Editing = { text: string; caret: boolean; seen: number | null }
export type Mode = 'none' | 'chosen' | 'active' | 'editing'

/** Where the keyboard is in a grid; beside React, so that a key repaints the cells that it concerns and nothing else. */
export class Cursor {
  at: Place = { row: 0, col: 0 }
  editing: Editing | null = null
  /** Where a run of Tabs began; Enter goes back to that column. */
  tabbedFrom: number | null = null
  private anchor: Place = this.at
  private isFocused = false
  private block: Block = blockOf(this.at, this.at)
  private readonly listeners = new Set<() => void>()

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** The chosen block, one cell at least. */
  chosen = (): Block => this.block
  isBlock = (): boolean => this.block.top !== this.block.bottom || this.block.left !== this.block.right

  modeOf(row: number, col: number): Mode {
    if (row === this.at.row && col === this.at.col) return this.editing ? 'editing' : this.isFocused ? 'active' : 'chosen'
    return this.isBlock() && isInside(this.block, row, col) ? 'chosen' : 'none'
  }

  go(at: Place, { extends: isExtended = false, tabbedFrom = null as number | null } = {}): void {
    this.editing = null
    this.at = at
    this.tabbedFrom = tabbedFrom
    if (!isExtended) this.anchor = at
    this.block = at.row < 0 ? { top: 0, bottom: -1, left: at.col, right: at.col } : blockOf(this.anchor, at)
    this.tell()
  }

  choose(from: Place, to: Place): void {
    this.anchor = from
    this.go(to, { extends: true })
  }

  edit(editing: Editing | null): void {
    this.editing = editing
    this.tell()
  }

  focus(isFocused: boolean): void {
    if (this.isFocused === isFocused) return
    this.isFocused = isFocused
    this.tell()
  }

  /** The grid became smaller. */
  fit(rows: number, cols: number): void {
    if (this.at.row < rows && this.at.col < cols) return
    this.go({ row: Math.min(this.at.row, rows - 1), col: Math.max(0, Math.min(this.at.col, cols - 1)) })
  }

  private tell(): void {
    for (const listener of this.listeners) listener()
  }
}
