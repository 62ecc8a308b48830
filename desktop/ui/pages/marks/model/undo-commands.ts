import { type CellValue, cellValueOf } from './cell-value.ts'
import { type MarkKey, remarkOf } from './mark-values.ts'
import { isInRange } from './navigation.ts'
import { mayBeOnServer } from './pending-mark.ts'
import type { GridSelection } from './selection.ts'
import type { Sheet } from './sheet.ts'
import type { UndoChange, UndoHistory, UndoStep } from './undo-history.ts'

/** What became of a deletion that was to be undone. `changed`: there is a mark again; `later`: the server does not answer. */
export type RestoreAnswer = 'done' | 'changed' | 'later' | 'refused'

/** A message about undo or redo; for one mark with its value now, null for none. */
export type UndoMessage =
  | { key: 'undo.none' | 'undo.changed' | 'undo.later' | 'redo.none' }
  | { key: 'undo.done' | 'redo.done'; count: number }
  | ({ key: 'undo.doneOne' | 'redo.doneOne'; score: CellValue } & MarkKey)

/** The part of `GridController` that is used here. */
type Controller = {
  readonly sheet: Sheet
  readonly selection: GridSelection
  readonly host: {
    announce(message: UndoMessage): void
    /** Undoes the deletion of a mark on the server, and says why where that is refused. */
    restore(gradeId: string): Promise<RestoreAnswer>
  }
}

/** Undoes and redoes the steps of a grid. */
export class UndoCommands {
  /** The cells with texts that were refused since the last step, the newest last. */
  private refused: MarkKey[] = []
  /** The undo or redo that is running, and those that follow it. */
  private turn: Promise<void> | null = null
  constructor(
    private readonly grid: Controller,
    private readonly history: UndoHistory,
  ) {}

  /** Notes a step that was entered. */
  add(changes: readonly UndoChange[]): void {
    const effective = changes.filter(({ before, after }) => before !== after)
    if (effective.length === 0) return
    this.refused = []
    this.history.add(effective)
  }

  /** Notes a cell whose text was refused: undo takes that away first. */
  addRefused(ids: MarkKey): void {
    this.refused.push(ids)
  }

  /**
   * Undoes the last step: a refused text is removed, changed marks get their former value, new marks are deleted, and deleted marks come
   * back with their remarks. What the server does not have yet leaves the queue, and all else waits there like an entry; only a deletion
   * that the server has is undone by it, and stays to be undone while it does not answer. Leaves out marks that were changed since.
   */
  undo(): void | Promise<void> {
    return this.inTurn(() => this.undoNewest())
  }

  /** Enters the last undone step again, except where a mark was changed since. */
  redo(): void | Promise<void> {
    return this.inTurn(() => this.redoNewest())
  }

  /** After the deletion that the server is undoing: no older step is undone before it. */
  private inTurn(run: () => void | Promise<void>): void | Promise<void> {
    const turn = this.turn ? this.turn.then(run) : run()
    if (!turn) return
    this.turn = turn
    return turn.finally(() => {
      if (this.turn === turn) this.turn = null
    })
  }

  private undoNewest(): void | Promise<void> {
    if (this.undoRefused()) return
    const step = this.history.newestDone()
    if (!step) return this.grid.host.announce({ key: 'undo.none' })
    this.show(step)
    // An earlier try may have reached the server, though its reply was lost.
    const isBack = (change: UndoChange) => this.presentValue(change) === change.before
    const untouched = step.filter((change) => !isBack(change) && this.presentValue(change) === change.after && !this.hasMore(change))
    const deletions = untouched.filter((change) => this.isDeletedOnServer(change))
    const own = untouched.filter((change) => !deletions.includes(change))
    const back = [...step.filter(isBack), ...own]
    this.enterAgain(own.map((change) => ({ ...change, score: change.before, isRestored: change.after === null })))
    if (deletions.length === 0) return this.tellUndone(step, back)
    return Promise.all(deletions.map((change) => this.restore(change))).then((answers) => {
      const answered = (answer: RestoreAnswer) => deletions.filter((_, at) => answers[at] === answer)
      this.tellUndone(step, [...back, ...answered('done')], answered('later'), answered('refused').length)
    })
  }

  /** `refused`: the number of changes for which the page has shown a reason. */
  private tellUndone(step: UndoStep, undone: UndoStep, later: UndoStep = [], refused = 0): void {
    this.history.noteUndone(step, undone, later)
    const [only] = step.length === 1 ? undone : []
    if (only) this.grid.host.announce({ key: 'undo.doneOne', ...only, score: only.before })
    else if (undone.length > 0) this.grid.host.announce({ key: 'undo.done', count: undone.length })
    if (later.length > 0) this.grid.host.announce({ key: 'undo.later' })
    else if (undone.length + refused < step.length) this.grid.host.announce({ key: 'undo.changed' })
  }

  /** Whether a mark that the step entered has got more than its value since, which deleting it would take away. */
  private hasMore({ assessmentId, studentId, before }: UndoChange): boolean {
    const { saved } = this.grid.sheet.cell(assessmentId, studentId)
    return before === null && saved !== null && (saved.is_excluded || Boolean(saved.remarks))
  }

  /** Whether a deletion has reached the server, or may have for a mark that has more than the queue could enter again. */
  private isDeletedOnServer({ assessmentId, studentId, after, gradeId }: UndoChange): boolean {
    const { saved, pending } = this.grid.sheet.cell(assessmentId, studentId)
    if (after !== null) return false
    return pending ? mayBeOnServer(pending) && saved?.is_excluded === true : saved === null && gradeId !== null
  }

  private async restore({ assessmentId, studentId, gradeId }: UndoChange): Promise<RestoreAnswer> {
    return gradeId === null || this.grid.sheet.cell(assessmentId, studentId).pending ? 'later' : this.grid.host.restore(gradeId)
  }

  /** Enters values of earlier steps. An entry that the server cannot have is dropped where that shows the value again. */
  private enterAgain(marks: readonly (MarkKey & { score: CellValue; isRestored?: boolean })[]): void {
    const entries = marks.map(({ assessmentId, studentId, score, isRestored }) => {
      const cell = this.grid.sheet.cell(assessmentId, studentId)
      const { saved, pending } = cell
      const seen = cellValueOf(saved)
      const isEnough = pending !== null && seen === score && (score === null || pending.remarks === undefined)
      const isDropped = pending !== null && (pending.state === 'refused' || (isEnough && !mayBeOnServer(pending)))
      const remarks = isRestored ? remarkOf(cell) || null : undefined
      return { dropped: isDropped ? [pending] : [], put: isDropped ? [] : [{ assessmentId, studentId, score, seen, remarks }] }
    })
    this.grid.sheet.queue.resolve(
      entries.flatMap(({ dropped }) => dropped),
      'theirs',
    )
    this.grid.sheet.put(entries.flatMap(({ put }) => put))
  }

  /** Selects the cells that a step changes, unless they are selected, and scrolls to them. */
  private show(step: readonly MarkKey[]): void {
    const positions = step.map((change) => this.grid.sheet.locate(change).position).filter(({ row, col }) => row >= 0 && col >= 0)
    if (positions.length === 0 || this.grid.selection.editing) return
    const block = this.grid.selection.range()
    if (positions.every(({ row, col }) => isInRange(block, row, col))) {
      this.grid.selection.moveTo({ ...this.grid.selection.active }, { extends: true })
      return
    }
    const [rows, cols] = [positions.map(({ row }) => row), positions.map(({ col }) => col)]
    this.grid.selection.selectRange({ row: Math.max(...rows), col: Math.max(...cols) }, { row: Math.min(...rows), col: Math.min(...cols) })
  }

  /** Removes the newest refused text that is still in its cell, so that the mark under it is shown again; false where there is none. */
  private undoRefused(): boolean {
    for (let ids = this.refused.pop(); ids; ids = this.refused.pop()) {
      if (!this.grid.sheet.discardInvalid(ids.assessmentId, ids.studentId)) continue
      this.show([ids])
      this.grid.host.announce({
        key: 'undo.doneOne',
        ...ids,
        score: cellValueOf(this.grid.sheet.effectiveMark(ids.assessmentId, ids.studentId)),
      })
      return true
    }
    return false
  }

  private redoNewest(): void {
    const changes = this.history.takeUndone()
    if (!changes) {
      this.grid.host.announce({ key: 'redo.none' })
      return
    }
    this.show(changes)
    const again = changes
      .filter((change) => this.presentValue(change) === change.before)
      .map((change) => ({ ...change, gradeId: this.grid.sheet.cell(change.assessmentId, change.studentId).saved?.id ?? change.gradeId }))
    this.enterAgain(again.map((change) => ({ ...change, score: change.after })))
    this.history.noteDone(again)
    const [only] = changes.length === 1 ? again : []
    if (only) this.grid.host.announce({ key: 'redo.doneOne', ...only, score: only.after })
    else if (again.length > 0) this.grid.host.announce({ key: 'redo.done', count: again.length })
    if (again.length < changes.length) this.grid.host.announce({ key: 'undo.changed' })
  }

  /** The value in a cell: the mark that counts, or an entry that the server has refused. */
  private presentValue({ assessmentId, studentId }: UndoChange): CellValue {
    const { pending } = this.grid.sheet.cell(assessmentId, studentId)
    return pending?.state === 'refused' ? pending.score : cellValueOf(this.grid.sheet.effectiveMark(assessmentId, studentId))
  }
}
