import type { CellValue } from './cell-value.ts'
import type { MarkKey } from './mark-values.ts'
import type { CellPosition, GridSize } from './navigation.ts'
import { type PastePlan, readBlock, repeated, writeBlock } from './paste.ts'
import type { GridSelection } from './selection.ts'
import type { Sheet } from './sheet.ts'
import { valueText } from './value-text.ts'

type EnteredMark = CellPosition & { score: CellValue; seen?: CellValue }
/** The part of `GridController` that is used here. */
type Controller = {
  readonly sheet: Sheet
  readonly selection: GridSelection
  readonly isReadOnly: boolean
  readonly host: {
    announce(message: { key: 'notCopied' } | { key: 'copied' | 'cut' | 'cleared' | 'filled'; count: number }): void
    previewPaste(block: string[][], at: CellPosition): void
  }
  size(): GridSize
  idsAt(position: CellPosition): MarkKey | null
  valueAt(position: CellPosition): CellValue
  openEditor(text: string | null): boolean
  commitEdit(): void
  cancelEdit(): void
  enterMarks(marks: readonly EnteredMark[]): void
  planPaste(block: readonly (readonly string[])[], at: CellPosition): PastePlan
}

/** Copies, cuts, clears, fills and pastes over the selected cells. */
export class BlockCommands {
  constructor(private readonly grid: Controller) {}

  /** The selected cells as tab-separated text, as shown: an invalid entry instead of the mark below it. */
  copy(): string {
    const { top, bottom, left, right } = this.grid.selection.range()
    const rows: string[][] = []
    for (let row = top; row <= bottom; row += 1) {
      const cells: string[] = []
      for (let col = left; col <= right; col += 1) cells.push(this.textAt({ row, col }))
      rows.push(cells)
    }
    return writeBlock(rows)
  }

  tellCopied(isCopied: boolean): void {
    const { top, bottom, left, right } = this.grid.selection.range()
    this.grid.host.announce(isCopied ? { key: 'copied', count: (bottom - top + 1) * (right - left + 1) } : { key: 'notCopied' })
  }

  /** Copies, and then removes the copied marks and invalid entries. A mark below an invalid entry was not copied, and stays. */
  cut(): string {
    const text = this.copy()
    const cells = this.grid.isReadOnly ? [] : this.selectedCells()
    const marked = cells.filter((position) => !this.invalidAt(position) && this.grid.valueAt(position) !== null)
    for (const position of cells) this.discardInvalid(position)
    this.grid.enterMarks(marked.map((position) => ({ ...position, score: null })))
    if (marked.length > 0) this.grid.host.announce({ key: 'cut', count: marked.length })
    else this.tellCopied(true)
    return text
  }

  /**
   * Removes the marks of the selected cells. If some have invalid entries, it removes only these, and the marks below them are shown again.
   */
  clear(): boolean {
    if (this.grid.isReadOnly) return true
    const invalid = this.selectedCells().filter((position) => this.discardInvalid(position))
    const marked = invalid.length > 0 ? [] : this.selectedCells().filter((position) => this.grid.valueAt(position) !== null)
    this.grid.enterMarks(marked.map((position) => ({ ...position, score: null })))
    if (marked.length > 0) this.grid.host.announce({ key: 'cleared', count: marked.length })
    return true
  }

  /**
   * Enters the text of the editor into every selected cell. With one cell selected, or an empty text, it is entered only where it is typed.
   * False where no editor is open.
   */
  fillWithTyped(): boolean {
    const { editing, active, hasSeveralCells } = this.grid.selection
    if (!editing) return false
    if (!hasSeveralCells() || editing.typed.trim() === '') this.grid.commitEdit()
    else {
      this.grid.cancelEdit()
      this.fillWith(editing.typed, { ...active, seen: editing.seen })
    }
    return true
  }

  /** Enters the marks of the first selected row into the rows below it; with one row selected, those of the row above into it. */
  fillDown(): boolean {
    const { at, rows, cols } = this.selectedMarks()
    const from = rows > 1 ? at.row : at.row - 1
    if (this.grid.isReadOnly || from < 0) return true
    const below = this.selectedCells().filter(({ row, col }) => row > from && col < at.col + cols)
    this.fill(
      below.flatMap((to) => {
        const source = { row: from, col: to.col }
        const score = this.invalidAt(source) ? null : this.grid.valueAt(source)
        return score === null ? [] : [{ ...to, score }]
      }),
    )
    return true
  }

  /** The cell where a pasted block begins. */
  start = (): CellPosition => this.selectedMarks().at

  /** A pasted block, repeated as often as it fits into the selected cells. */
  read(text: string): string[][] {
    const { rows, cols } = this.selectedMarks()
    return repeated(readBlock(text), rows, cols)
  }

  /** A single cell is entered like typed text, in every selected cell. A larger block is previewed, from the first selected cell on. */
  paste(text: string): void {
    const { grid } = this
    if (grid.isReadOnly || grid.selection.active.row < 0) return
    const at = this.start()
    if (!grid.sheet.pupils[at.row] || !grid.sheet.columns[at.col]) return
    const block = readBlock(text)
    const [first = ''] = block[0] ?? []
    if (block.length > 1 || (block[0]?.length ?? 0) > 1) grid.host.previewPaste(this.read(text), at)
    else if (grid.selection.hasSeveralCells()) this.fillWith(first)
    else if (grid.openEditor(first)) grid.commitEdit()
  }

  /**
   * Enters one text into every selected cell, as one undo step. Shows a preview of all cells where it is no mark in one of them. `typedIn`:
   * the cell with the editor, whose value was seen when it was opened.
   */
  private fillWith(text: string, typedIn?: CellPosition & { seen: CellValue }): void {
    const { at, rows, cols } = this.selectedMarks()
    const block = repeated([[text]], rows, cols)
    const { cells } = this.grid.planPaste(block, at)
    if (cells.some(({ typed }) => typed.kind === 'wrong' && typed.reason !== 'not_for_pupil')) {
      this.grid.host.previewPaste(block, at)
      return
    }
    const seenIn = (row: number, col: number) => (typedIn?.row === row && typedIn.col === col ? { seen: typedIn.seen } : {})
    this.fill(
      cells.flatMap(({ row, col, typed }) => (typed.kind === 'mark' ? [{ row, col, score: typed.score, ...seenIn(row, col) }] : [])),
    )
  }

  /** Enters marks. Leaves out cells whose assessment is not for the pupil; an invalid entry over an equal mark is removed. */
  private fill(marks: readonly EnteredMark[]): void {
    const possible = marks.filter((mark) => this.grid.idsAt(mark))
    const filled = possible.filter((mark) => mark.score !== this.grid.valueAt(mark) || this.invalidAt(mark) !== null)
    for (const mark of filled) this.discardInvalid(mark)
    this.grid.enterMarks(filled.filter((mark) => mark.score !== this.grid.valueAt(mark)))
    if (filled.length > 0) this.grid.host.announce({ key: 'filled', count: filled.length })
  }

  /** The selected cells, without the columns of figures. */
  private selectedMarks(): { at: CellPosition; rows: number; cols: number } {
    const { top, bottom, left, right } = this.grid.selection.range()
    const last = Math.min(right, this.grid.size().marks - 1)
    return { at: { row: top, col: left }, rows: bottom - top + 1, cols: Math.max(1, last - left + 1) }
  }

  private selectedCells(): CellPosition[] {
    const { top, bottom, left, right } = this.grid.selection.range()
    const cells: CellPosition[] = []
    for (let row = top; row <= bottom; row += 1) for (let col = left; col <= right; col += 1) cells.push({ row, col })
    return cells
  }

  /** The text of an invalid entry; null where there is none. */
  private invalidAt(position: CellPosition): string | null {
    const ids = this.grid.idsAt(position)
    return (ids && this.grid.sheet.cell(ids.assessmentId, ids.studentId).invalid?.text) ?? null
  }

  private discardInvalid(position: CellPosition): boolean {
    const ids = this.grid.idsAt(position)
    return ids !== null && this.grid.sheet.discardInvalid(ids.assessmentId, ids.studentId)
  }

  private textAt(position: CellPosition): string {
    const { sheet } = this.grid
    const figure = position.col - sheet.columns.length
    if (figure < 0) return this.invalidAt(position) ?? valueText(this.grid.valueAt(position))
    const { coursework_average, exam_average, term_composite, letter } = sheet.figuresOf(sheet.pupils[position.row]?.id ?? '')
    return figure === 3 ? (letter ?? '') : valueText([coursework_average, exam_average, term_composite][figure] ?? null)
  }
}
