import type { LiveMark } from '@markbook/shared/contract/grades'
import { Failure } from '@markbook/shared/failures'
import { nameInGrid } from '../../../words/names.ts'
import { BlockCommands } from './block-commands.ts'
import { type CellValue, cellValueOf } from './cell-value.ts'
import { type MarkKey, remarkOf } from './mark-values.ts'
import {
  type CellPosition,
  commandForKey,
  editorCommandForKey,
  type GridCommand,
  type GridSize,
  type KeyPress,
  positionAfterEnter,
  positionAfterMove,
  positionAfterTab,
  positionIn,
} from './navigation.ts'
import { parseMark } from './parse-mark.ts'
import { planPaste } from './paste.ts'
import { type NamedBlock, planByName } from './paste-by-name.ts'
import type { MarkEntry } from './pending-mark.ts'
import type { CellEdit, GridSelection } from './selection.ts'
import type { Layout, Sheet } from './sheet.ts'
import { type RestoreAnswer, UndoCommands, type UndoMessage } from './undo-commands.ts'
import { UndoHistory } from './undo-history.ts'
import { valueText } from './value-text.ts'

/** A message for the status line, by the key of its text. */
export type GridMessage =
  | UndoMessage
  | { key: 'notCopied' }
  /** What is typed after the last pupil is not taken. */
  | { key: 'pastEnd'; assessmentId: string; studentId: string }
  /** The layout changed while something was typed, and its cell is gone, so that it cannot be saved. */
  | { key: 'gone'; pupil: string; title: string }
  /** The active cell is gone, and what is typed before another is chosen is not taken. */
  | { key: 'chooseCell' }
  | { key: 'copied' | 'cut' | 'cleared' | 'filled'; count: number }

/** `explain` shows the figures of the pupil, from any cell of the row. */
export type CellAction = 'remark' | 'exclude' | 'history' | 'explain'

/** What the controller needs from the page. */
export type GridHost = {
  announce(message: GridMessage): void
  /** Opens a dialog or menu at a cell; in the header row the menu of the assessment. */
  openAt(dialog: CellAction | 'menu', position: CellPosition): void
  previewPaste(block: string[][], at: CellPosition): void
  /** Undoes the deletion of a mark on the server, and says why where that is refused. */
  restore(gradeId: string): Promise<RestoreAnswer>
  /** Moves the focus from the editor to the grid. */
  focusGrid(): void
}

const entryOf = ({ assessmentId, studentId, score, seen }: MarkEntry): MarkEntry => ({ assessmentId, studentId, score, seen })

/**
 * Whether an edit has no effect: a mark that was opened and not changed, or a text typed over a mark and deleted again. (A mark that was
 * opened and emptied is deleted.)
 */
const isUnchanged = ({ caret, text, typed }: CellEdit) => (caret ? typed === text : typed.trim() === '')

/** The number of figure columns after the assessments: coursework, exam, composite, letter. */
const FIGURES = 4

/** Runs the commands of keyboard and clipboard, independently of React. */
export class GridController {
  visibleRows = 10
  isReadOnly = false
  /** Set by the page before the first key arrives. */
  host!: GridHost
  readonly block = new BlockCommands(this)
  private readonly steps: UndoCommands
  /** What is said where something is typed although the active cell is gone. */
  private lost: GridMessage = { key: 'chooseCell' }
  /** The assessment that was just added, until its column is shown or a key goes elsewhere. */
  private added: string | null = null
  constructor(
    readonly sheet: Sheet,
    readonly selection: GridSelection,
    history = new UndoHistory(),
  ) {
    this.steps = new UndoCommands(this, history)
  }

  size = (): GridSize => {
    const { pupils, columns } = this.sheet
    return { rows: pupils.length, cols: columns.length + FIGURES, marks: columns.length, page: this.visibleRows }
  }

  idsAt({ row, col }: CellPosition): { studentId: string; assessmentId: string } | null {
    const studentId = this.sheet.pupils[row]?.id
    const assessmentId = this.sheet.columns[col]?.id
    return studentId && assessmentId && this.sheet.isFor(assessmentId, studentId) ? { studentId, assessmentId } : null
  }

  /** The server's mark at a position; null where there is none. */
  savedAt(position: CellPosition): LiveMark | null {
    const ids = this.idsAt(position)
    return ids && this.sheet.cell(ids.assessmentId, ids.studentId).saved
  }

  valueAt(position: CellPosition): CellValue {
    const ids = this.idsAt(position)
    return ids ? cellValueOf(this.sheet.effectiveMark(ids.assessmentId, ids.studentId)) : null
  }

  /** Runs the command of a key; false where the grid does not handle the key. */
  handleKey(event: KeyPress): boolean {
    this.added = null
    const command = commandForKey(event)
    return command !== null && this.execute(command)
  }

  /** The same while the editor is open. */
  handleEditorKey(event: KeyPress): boolean {
    const { editing, active: before } = this.selection
    const command = editorCommandForKey(event, editing?.caret ?? false)
    if (!command) return false
    if (command.kind === 'escape') {
      this.cancelEdit()
      return true
    }
    if (command.kind === 'fill') return this.block.fillWithTyped()
    const staysOpen = editing?.staysOpen ?? false
    this.commitEdit(staysOpen)
    const isHandled = this.execute(command)
    if (command.kind === 'move' && command.step === 'down') this.selection.isPastEnd = this.isLastRow(before)
    if (staysOpen) this.editNext(before)
    return isHandled
  }

  /** Opens the editor in the cell that is active now. Focuses the grid where that is the same cell as before, or has no editor. */
  private editNext(before: CellPosition): void {
    const { row, col } = this.selection.active
    const isSame = row === before.row && col === before.col
    if (isSame || !this.openEditor(null, true)) this.host.focusGrid()
  }

  /** Goes to the next pupil, with Next of an on-screen keyboard or the button for it. Enters what is typed; in the last row it ends there. */
  moveDown(): void {
    const { active: before, editing } = this.selection
    this.commitEdit(true)
    this.selection.moveTo(positionAfterMove(before, 'down', this.size()), { isPastEnd: this.isLastRow(before) })
    if (editing?.staysOpen) this.editNext(before)
    else this.host.focusGrid()
  }

  /** Goes to the next or the former assessment in the row. Enters what is typed, and opens the editor again if it was open. */
  moveAssessment(step: 1 | -1): void {
    const { active: at, editing } = this.selection
    const { marks } = this.size()
    const col = Math.max(0, Math.min(marks - 1, Math.min(at.col, marks) + step))
    if (col === at.col) return
    this.commitEdit(true)
    this.selection.moveTo({ row: Math.max(0, at.row), col })
    if (!editing || !this.openEditor(null, editing.staysOpen)) this.host.focusGrid()
  }

  private execute(command: GridCommand): boolean {
    const { active: at } = this.selection
    if (at.row < 0 && command.kind !== 'undo' && command.kind !== 'redo') return this.executeInHeader(command)
    switch (command.kind) {
      case 'move': {
        const isPastEnd = this.selection.isPastEnd && command.step === 'down'
        this.selection.moveTo(positionAfterMove(at, command.step, this.size()), { extends: command.extends, isPastEnd })
        return true
      }
      case 'tab': {
        const next = positionAfterTab(at, command.back, this.size())
        if (next) this.selection.moveTo(next, { tabbedFrom: this.selection.tabbedFrom ?? at.col })
        return next !== null
      }
      case 'enter':
        if (at.col >= this.size().marks && !command.back && this.explain(at)) return true
        this.selection.moveTo(positionAfterEnter(at, this.selection.tabbedFrom, command.back, this.size()), {
          isPastEnd: !command.back && this.isLastRow(at),
        })
        return true
      case 'type':
        return this.refusePastEnd() || this.openEditor(command.text)
      case 'edit':
        return this.openEditor(null)
      case 'clear':
        return this.block.clear()
      case 'fill':
        return false
      case 'fillDown':
        return this.block.fillDown()
      case 'escape': {
        const ids = this.idsAt(at)
        return ids !== null && this.sheet.discardInvalid(ids.assessmentId, ids.studentId)
      }
      case 'undo':
        void this.undo()
        return true
      case 'redo':
        void this.redo()
        return true
      case 'all':
        this.selection.selectRange({ row: 0, col: 0 }, { row: this.size().rows - 1, col: this.size().cols - 1 })
        return true
      case 'explain':
        return this.explain(at)
      default:
        if (this.idsAt(at)) this.host.openAt(command.kind, at)
        return true
    }
  }

  private isLastRow = ({ row }: CellPosition): boolean => row === this.sheet.pupils.length - 1

  /** Whether what is typed is one mark too many, and would replace the mark of the last pupil. */
  private refusePastEnd(): boolean {
    const ids = this.selection.isPastEnd ? this.idsAt(this.selection.active) : null
    if (!ids || this.isReadOnly) return false
    const { invalid } = this.sheet.cell(ids.assessmentId, ids.studentId)
    if (invalid || this.valueAt(this.selection.active) === null) return false
    this.host.announce({ key: 'pastEnd', ...ids })
    return true
  }

  /** Opens the explanation of the figures at a position; false where no pupil is there. */
  explain(at: CellPosition): boolean {
    if (!this.sheet.pupils[at.row]) return false
    this.host.openAt('explain', at)
    return true
  }

  /** In the header row only arrow keys and the menu of the assessment work; no menu opens where the active cell is gone. */
  private executeInHeader(command: GridCommand): boolean {
    const { active: at, isGone } = this.selection
    if (isGone && command.kind !== 'move') {
      this.host.announce(this.lost)
      return true
    }
    if (command.kind === 'move' && command.step !== 'up') {
      this.selection.moveTo(positionAfterMove(at, command.step, this.size()))
      return true
    }
    const opens = command.kind === 'enter' || command.kind === 'menu' || command.kind === 'edit'
    if (opens && this.sheet.columns[at.col]) this.host.openAt('menu', at)
    return command.kind !== 'tab'
  }

  /** Opens the editor; `text` null edits the mark. `staysOpen`: as in `CellEdit`. False where the cell cannot be edited. */
  openEditor(text: string | null, staysOpen = false): boolean {
    const { active: at } = this.selection
    const ids = this.idsAt(at)
    if (this.isReadOnly || !ids) return false
    const { invalid } = this.sheet.cell(ids.assessmentId, ids.studentId)
    // Includes the user's own unsaved mark, which may be saved while the editor is open.
    const seen = this.valueAt(at)
    const begun = text ?? invalid?.text ?? valueText(seen)
    this.selection.setEdit({ text: begun, typed: begun, caret: text === null, seen, staysOpen })
    return true
  }

  /**
   * Enters the text of the editor, if it is open, and closes it. `isFocusElsewhere`: the focus has left the grid, or the page is being
   * left.
   */
  commitEdit(isFocusElsewhere = false): void {
    const { editing, active: at } = this.selection
    const ids = this.idsAt(at)
    if (!editing || !ids) return
    const before = this.valueAt(at)
    const gradeId = this.savedAt(at)?.id ?? null
    const outcome = isUnchanged(editing) ? null : this.sheet.enter(ids.assessmentId, ids.studentId, editing.typed, editing.seen)
    if (outcome === 'sent') {
      const after = this.valueAt(at)
      this.steps.add([{ ...ids, before, after, gradeId }])
      if (after === null) this.host.announce({ key: 'cleared', count: 1 })
    } else if (outcome === 'wrong') this.steps.addRefused(ids)
    this.cancelEdit(isFocusElsewhere)
  }

  /** Closes the editor. */
  cancelEdit(isFocusElsewhere = false): void {
    // Set before the focus moves, since the blur of the editor would enter the text again.
    this.selection.editing = null
    if (!isFocusElsewhere) this.host.focusGrid()
    this.selection.setEdit(null)
  }

  /**
   * Moves the selection and the editor along with their pupil and assessment, after a change of the layout. `before`: the former layout.
   */
  follow(before: Layout): void {
    const { editing, active } = this.selection
    const isThere = this.selection.follow((at) => positionIn(this.sheet.layout, before, at), this.size())
    if (!isThere) this.lost = { key: 'chooseCell' }
    if (editing && !(isThere && this.idsAt(this.selection.active))) {
      this.cancelEdit()
      if (!isUnchanged(editing)) this.tellGone(before, active)
    }
    // Last: its position is one of the new layout, which is not moved once more.
    this.goToAdded()
  }

  /** Goes to the first cell of an assessment that was just added, as soon as its column is shown: what is typed next is for it. */
  begin(assessmentId: string): void {
    this.added = assessmentId
    this.goToAdded()
  }

  private goToAdded(): void {
    const col = this.added === null ? -1 : this.sheet.columns.findIndex(({ id }) => id === this.added)
    const row = col < 0 ? -1 : this.sheet.pupils.findIndex((_, at) => this.idsAt({ row: at, col }))
    if (row < 0) return
    this.added = null
    this.selection.moveTo({ row, col })
  }

  tellGone({ pupils, columns }: Layout, { row, col }: CellPosition): void {
    const pupil = pupils[row]
    const name = pupil ? nameInGrid(pupil) : ''
    this.lost = { key: 'gone', pupil: name, title: columns[col]?.title ?? '' }
    this.host.announce(this.lost)
  }

  /** The cells of an assessment that may have a mark and have none. */
  emptyCells(col: number): CellPosition[] {
    const positions = this.sheet.pupils.map((_, row) => ({ row, col }))
    return positions.filter((position) => this.idsAt(position) && this.valueAt(position) === null)
  }

  /** Enters a code of the school, from the menu of the cell. */
  enterCode(position: CellPosition, code: string): void {
    const maxScore = this.sheet.columns[position.col]?.max_score ?? 0
    const typed = parseMark(code, maxScore, this.sheet.codes, this.valueAt(position))
    if (typed.kind === 'mark') this.enterMarks([{ ...position, score: typed.score }])
  }

  /**
   * Enters marks of a paste or a fill as one undo step; null deletes a mark. `seen`: the value that a preview showed. Where the cell has
   * another one now, the mark becomes a conflict.
   */
  enterMarks(marks: readonly (CellPosition & { score: CellValue; seen?: CellValue })[]): void {
    const entered = marks.flatMap(({ score, seen, ...position }) => {
      const ids = this.idsAt(position)
      if (!ids) return []
      const before = this.valueAt(position)
      const { saved } = this.sheet.cell(ids.assessmentId, ids.studentId)
      this.sheet.discardInvalid(ids.assessmentId, ids.studentId)
      const change = { ...ids, score, seen: cellValueOf(saved), before, after: score, gradeId: saved?.id ?? null }
      return [{ change, isSeen: seen === undefined || seen === before }]
    })
    for (const { change } of entered.filter(({ isSeen }) => !isSeen)) this.sheet.queue.addConflict(entryOf(change), change.before)
    const changes = entered.flatMap(({ change, isSeen }) => (isSeen ? [change] : []))
    this.steps.add(changes)
    this.sheet.put(changes.map(entryOf))
  }

  /**
   * Changes the remark of a mark; an empty text deletes it. `seen`: the remark that the dialog showed. A conflict of the mark itself stays
   * open. Throws `grades.changed_meanwhile` where the remark has changed, or the mark is gone.
   */
  enterRemark(ids: MarkKey, text: string, seen: string): void {
    const cell = this.sheet.cell(ids.assessmentId, ids.studentId)
    const { saved, pending } = cell
    const score = pending ? pending.score : cellValueOf(saved)
    if (remarkOf(cell) !== seen || score === null) throw new Failure(409, 'grades.changed_meanwhile', 'Somebody else has changed it.')
    if (text === seen) return
    this.sheet.put([{ ...ids, score, remarks: text || null, seen: pending ? pending.seen : cellValueOf(saved) }])
  }

  undo = (): void | Promise<void> => this.steps.undo()
  redo = (): void | Promise<void> => this.steps.redo()

  planPaste = (block: readonly (readonly string[])[], at: CellPosition) => planPaste(block, at, this.forPaste())

  /** The same for a table with names, whose marks go to the pupils with these names. */
  planByName = (block: NamedBlock, from: number, chosen: ReadonlyMap<number, number | null>) =>
    planByName(block, from, chosen, { ...this.forPaste(), pupils: this.sheet.pupils, titles: this.sheet.columns.map(({ title }) => title) })

  private forPaste() {
    return {
      rows: this.sheet.pupils.length,
      maxScores: this.sheet.columns.map(({ max_score }) => max_score),
      codes: this.sheet.codes,
      valueAt: (row: number, col: number) => this.valueAt({ row, col }),
      isFor: (row: number, col: number) => this.idsAt({ row, col }) !== null,
    }
  }
}
