import type { Cursor } from './cursor.ts'
import { entered, leaving, type Meaning, meaningOf, moved, type Place, type Size, tabbed } from './moves.ts'
import { planPaste, readBlock, writeBlock } from './paste.ts'
import type { Sheet } from './sheet.ts'
import { UndoStack } from './undo.ts'

type Key = { key: string; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean; altKey: boolean }
/** What the grid says in a line of its own. */
export type Said =
  | { word: 'cannotClear' | 'noMark' | 'undoNone' | 'undoChanged' }
  | { word: 'copied' | 'undone'; count: number }
  /** One mark, and what stands there again: null for none. */
  | { word: 'undoneOne'; assessmentId: string; studentId: string; score: number | null }

/** What the grid asks of the page around it. */
export type Around = {
  say(said: Said): void
  ask(dialog: 'remark' | 'exclude' | 'history' | 'menu' | 'column', place: Place): void
  paste(block: string[][], at: Place): void
  /** Takes back that a mark was recorded at all; false where it was changed since. */
  takeBack(gradeId: string): Promise<boolean>
  /** Gives the keyboard back to the grid after a field of it had it. */
  focus(): void
  /** A number as it is written here, for what is copied. */
  written(score: number): string
}

/** Figures beside the marks: coursework, exam, term, letter. */
export const FIGURES = 4

/** What keys do in the grid, whoever draws it. */
export class GridControl {
  private readonly undoStack = new UndoStack()
  /** Rows in sight. */
  page = 10
  isReadOnly = false
  constructor(
    readonly sheet: Sheet,
    readonly cursor: Cursor,
    private readonly around: Around,
  ) {}

  size = (): Size => {
    const { pupils, columns } = this.sheet
    return { rows: pupils.length, cols: columns.length + FIGURES, marks: columns.length, page: this.page }
  }

  idsAt({ row, col }: Place): { studentId: string; assessmentId: string } | null {
    const studentId = this.sheet.pupils[row]?.id
    const assessmentId = this.sheet.columns[col]?.id
    return studentId && assessmentId ? { studentId, assessmentId } : null
  }

  scoreAt(place: Place): number | null {
    const ids = this.idsAt(place)
    return ids ? (this.sheet.standing(ids.assessmentId, ids.studentId)?.score ?? null) : null
  }

  /** True where the key was the grid's. */
  key(event: Key): boolean {
    const meaning = meaningOf(event)
    return meaning !== null && this.carryOut(meaning)
  }

  /** The same while something is typed: `text` is what stands in the field. */
  keyInField(event: Key, text: string): boolean {
    const meaning = leaving(event, this.cursor.editing?.caret ?? false)
    if (!meaning) return false
    if (meaning.does === 'escape') this.abandon()
    else {
      this.take(text)
      return this.carryOut(meaning)
    }
    return true
  }

  private carryOut(meaning: Meaning): boolean {
    const { at } = this.cursor
    if (at.row < 0 && meaning.does !== 'undo') return this.inHead(meaning)
    switch (meaning.does) {
      case 'move':
        this.cursor.go(moved(at, meaning.step, this.size()), { extends: meaning.extends })
        return true
      case 'tab': {
        const next = tabbed(at, meaning.back, this.size())
        if (next) this.cursor.go(next, { tabbedFrom: this.cursor.tabbedFrom ?? at.col })
        return next !== null
      }
      case 'enter':
        this.cursor.go(entered(at, this.cursor.tabbedFrom, meaning.back, this.size()))
        return true
      case 'type':
        return this.edit(meaning.text)
      case 'edit':
        return this.edit(null)
      case 'clear':
        return this.clear()
      case 'noMark':
        if (this.idsAt(at) && !this.isReadOnly) this.around.say({ word: 'noMark' })
        return false
      case 'escape': {
        const ids = this.idsAt(at)
        return ids !== null && this.sheet.forgetMistake(ids.assessmentId, ids.studentId)
      }
      case 'undo':
        void this.undo()
        return true
      case 'all':
        this.cursor.choose({ row: 0, col: 0 }, { row: this.size().rows - 1, col: this.size().cols - 1 })
        return true
      default:
        if (this.idsAt(at)) this.around.ask(meaning.does, at)
        return true
    }
  }

  /** Among the heads of the columns: arrows, and the menu of one. */
  private inHead(meaning: Meaning): boolean {
    const { at } = this.cursor
    if (meaning.does === 'move' && meaning.step !== 'up') {
      this.cursor.go(moved(at, meaning.step, this.size()))
      return true
    }
    const opens = meaning.does === 'enter' || meaning.does === 'menu' || meaning.does === 'edit'
    if (opens && this.sheet.columns[at.col]) this.around.ask('column', at)
    return meaning.does !== 'tab'
  }

  /** Opens the field of the cell; `text` null to change what is there. */
  edit(text: string | null): boolean {
    const { at } = this.cursor
    const ids = this.idsAt(at)
    if (this.isReadOnly || !ids) return false
    const { saved, mistake } = this.sheet.cell(ids.assessmentId, ids.studentId)
    const score = this.scoreAt(at)
    const known = mistake?.text ?? (score === null ? '' : this.around.written(score))
    this.cursor.edit({ text: text ?? known, caret: text === null, seen: saved?.score ?? null })
    return true
  }

  /** What was typed counts. `isLeft`: the keyboard is somewhere else already, and stays there. */
  take(text: string, isLeft = false): void {
    const { editing, at } = this.cursor
    const ids = this.idsAt(at)
    if (!editing || !ids) return
    if (editing.caret && text === editing.text) {
      this.abandon(isLeft)
      return
    }
    const before = this.scoreAt(at)
    // Before the keyboard is given back: the field that loses it would be taken a second time.
    this.cursor.editing = null
    const outcome = this.sheet.enter(ids.assessmentId, ids.studentId, text, editing.seen)
    if (outcome === 'sent') this.undoStack.push([{ ...ids, before, after: this.scoreAt(at) as number }])
    if (outcome === 'empty' && before !== null) this.around.say({ word: 'cannotClear' })
    if (!isLeft) this.around.focus()
    this.cursor.edit(null)
  }

  /** What was typed does not count. */
  abandon(isLeft = false): void {
    this.cursor.editing = null
    if (!isLeft) this.around.focus()
    this.cursor.edit(null)
  }

  private clear(): boolean {
    const ids = this.idsAt(this.cursor.at)
    if (!ids || this.isReadOnly) return true
    if (this.sheet.forgetMistake(ids.assessmentId, ids.studentId)) return true
    if (this.scoreAt(this.cursor.at) !== null) this.around.say({ word: 'cannotClear' })
    return true
  }

  /** Marks from elsewhere: a paste, a fill. One step to take back. */
  enterAll(marks: readonly (Place & { score: number })[]): void {
    const known = marks.flatMap(({ score, ...place }) => {
      const ids = this.idsAt(place)
      if (!ids) return []
      const before = this.scoreAt(place)
      const seen = this.sheet.cell(ids.assessmentId, ids.studentId).saved?.score ?? null
      this.sheet.forgetMistake(ids.assessmentId, ids.studentId)
      return [{ ...ids, score, seen, before, after: score }]
    })
    this.undoStack.push(known)
    this.sheet.queue.put(known.map(({ before: _before, after: _after, ...mark }) => mark))
  }

  /** The last save is taken back: the former marks are written again, and what was recorded for the first time goes. */
  async undo(): Promise<void> {
    const steps = this.undoStack.pop()
    if (!steps) {
      this.around.say({ word: 'undoNone' })
      return
    }
    const present = (assessmentId: string, studentId: string) => this.sheet.standing(assessmentId, studentId)?.score ?? null
    const untouched = steps.filter(({ assessmentId, studentId, after }) => present(assessmentId, studentId) === after)
    const back = untouched.flatMap(({ assessmentId, studentId, before }) => {
      const seen = this.sheet.cell(assessmentId, studentId).saved?.score ?? null
      return before === null ? [] : [{ assessmentId, studentId, score: before, seen }]
    })
    if (back.length > 0) this.sheet.queue.put(back)
    const first = untouched.filter(({ before }) => before === null)
    const gone = await Promise.all(first.map(({ assessmentId, studentId }) => this.takeBack(assessmentId, studentId)))
    const done = back.length + gone.filter(Boolean).length
    const [only] = steps.length === 1 ? untouched : []
    if (done > 0) this.around.say(only ? { word: 'undoneOne', ...only, score: only.before } : { word: 'undone', count: done })
    if (done < steps.length) this.around.say({ word: 'undoChanged' })
  }

  private async takeBack(assessmentId: string, studentId: string): Promise<boolean> {
    const { saved, pending } = this.sheet.cell(assessmentId, studentId)
    if (pending) {
      // Not saved yet: then it need never be.
      this.sheet.queue.decide([pending], 'theirs')
      if (!this.sheet.cell(assessmentId, studentId).pending) return true
    }
    return saved !== null && this.around.takeBack(saved.id)
  }

  /** The chosen block as a spreadsheet reads it. */
  copied(): string {
    const { top, bottom, left, right } = this.cursor.chosen()
    const rows: string[][] = []
    for (let row = top; row <= bottom; row += 1) {
      const cells: string[] = []
      for (let col = left; col <= right; col += 1) cells.push(this.textAt({ row, col }))
      rows.push(cells)
    }
    this.around.say({ word: 'copied', count: rows.length * (right - left + 1) })
    return writeBlock(rows)
  }

  private textAt(place: Place): string {
    const written = (value: number | null) => (value === null ? '' : this.around.written(value))
    const figure = place.col - this.sheet.columns.length
    if (figure < 0) return written(this.scoreAt(place))
    const { coursework_average, exam_average, term_composite, letter } = this.sheet.figuresOf(this.sheet.pupils[place.row]?.id ?? '')
    return figure === 3 ? (letter ?? '') : written([coursework_average, exam_average, term_composite][figure] ?? null)
  }

  /** One cell is as if it were typed; more are shown first. */
  pasted(text: string): void {
    const { at } = this.cursor
    if (this.isReadOnly || !this.idsAt(at)) return
    const block = readBlock(text)
    if (block.length > 1 || (block[0]?.length ?? 0) > 1) this.around.paste(block, at)
    else if (this.edit(block[0]?.[0] ?? '')) this.take(block[0]?.[0] ?? '')
  }

  planOf = (block: readonly (readonly string[])[], at: Place) =>
    planPaste(block, at, {
      rows: this.sheet.pupils.length,
      maxScores: this.sheet.columns.map(({ max_score }) => max_score),
      scoreAt: (row, col) => this.scoreAt({ row, col }),
    })
}
