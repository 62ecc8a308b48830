import type { ListedAssessment as Assessment } from '@markbook/shared/contract/assessments'
import type { Grade, LiveMark, LiveMarks } from '@markbook/shared/contract/grades'
import type { TermWeights } from '@markbook/shared/domain/averages'
import { type Category, type CategoryGroups, categoryGroups } from '@markbook/shared/domain/categories'
import type { GradingScale } from '@markbook/shared/domain/letters'
import { type MarkCode, standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { Listeners } from '../../../api/listeners.ts'
import { type CellValue, cellValueOf } from './cell-value.ts'
import { cellsOutsideSets, closedCells, keyOf, type Pupil } from './closed-cells.ts'
import { classMean, columnMean, type EffectiveMark, type RowFigures, rowFigures } from './figures.ts'
import type { MarkQueue } from './mark-queue.ts'
import {
  effectiveMark,
  grouped,
  hasSameValues,
  type InvalidCell,
  type InvalidEntry,
  isSameEffectiveMark,
  isSameMark,
  type MarkKey,
} from './mark-values.ts'
import { parseMark } from './parse-mark.ts'
import { isSendable, type MarkEntry, type PendingMark } from './pending-mark.ts'

/**
 * `saved`: the server's mark. `isInReview`: it has an open replication conflict. `isRecentChange`: somebody else changed it a moment ago.
 */
export type Cell = {
  readonly saved: LiveMark | null
  readonly pending: PendingMark | null
  readonly invalid: InvalidEntry | null
  readonly isInReview: boolean
  readonly isRecentChange: boolean
}
export type Layout = { readonly pupils: readonly Pupil[]; readonly columns: readonly Assessment[] }
export type Footer = { columns: readonly (number | null)[]; coursework: number | null; exam: number | null; composite: number | null }
export type RemoteChange = { assessmentId: string; studentId: string; mark: LiveMark | null }

const NO_FOOTER: Footer = { columns: [], coursework: null, exam: null, composite: null }
const EMPTY: Cell = { saved: null, pending: null, invalid: null, isInReview: false, isRecentChange: false }
/** The `part` for listeners to any cell of a pupil. */
export const rowPart = (studentId: string) => `row ${studentId}`
const isSameCell = (a: Cell, b: Cell) =>
  a.saved === b.saved &&
  a.pending === b.pending &&
  a.invalid === b.invalid &&
  a.isInReview === b.isInReview &&
  a.isRecentChange === b.isRecentChange
/** How long a change is highlighted, in ms. */
const HIGHLIGHT_FOR = 8_000
/** The delay before the footer is computed again, in ms. */
const FOOTER_AFTER = 200

/**
 * The marks of a class in a subject and term: saved, pending and invalid ones, and the figures computed from them. Outside React, so that a
 * component can subscribe to one cell, one row or the footer.
 */
export class Sheet {
  layout: Layout = { pupils: [], columns: [] }
  private laidOut: readonly unknown[] = []
  private closed: ReadonlySet<string> = new Set()
  private outsideSets: ReadonlySet<string> = new Set()
  /** False until the server has sent its marks, and while the stream is interrupted. */
  isConnected = false
  private weights: TermWeights = { exam_weight: 0, coursework_weight: 100 }
  private scale: GradingScale = { passMark: 50, bands: [] }
  private groups: CategoryGroups<Assessment> = { coursework: null, exam: null }
  /** The codes that cells may have. */
  codes: readonly MarkCode[] = standardMarkCodes
  /** True once the server has sent its marks. */
  hasLoadedOnce = false
  /** True once the grid can be rendered: with the server's marks, with stored ones, or without any where both are missing. */
  isReady = false
  /** True while there are no marks, neither the server's nor stored ones: an empty cell may have a mark on the server. */
  isUnread = true
  private saved = new Map<string, LiveMark>()
  private readonly recentChanges = new Map<string, number>()
  private gradesInReview: ReadonlySet<string> = new Set()
  private readonly cells = new Map<string, Cell>()
  /** The cells that may have changed since they were read. */
  private readonly outdated = new Set<string>()
  private readonly rows = new Map<string, readonly Cell[]>()
  private readonly figures = new Map<string, RowFigures>()
  private readonly means = new Map<string, number | null>()
  private footer: Footer | null = null
  private footerVersion = 0
  /** The version of the queue while nobody listened to it. */
  private queueVersion: number
  private readonly listeners = new Map<string, Listeners>()
  private readonly remoteChanges = new Listeners<[changes: RemoteChange[]]>()
  /** Adds a listener, which is called with the changes of other users. */
  readonly listenToRemoteChanges = this.remoteChanges.add

  constructor(
    readonly queue: MarkQueue<Grade>,
    private readonly userId: string,
    private readonly later: (ms: number, then: () => void) => void,
    /** The invalid entries of all sheets of the session. */
    private readonly invalidEntries: Map<string, InvalidEntry> = new Map(),
  ) {
    this.queueVersion = queue.version()
  }

  get pupils(): readonly Pupil[] {
    return this.layout.pupils
  }
  get columns(): readonly Assessment[] {
    return this.layout.columns
  }

  /** The position of a mark, with its pupil and assessment; both are undefined for a mark of another sheet. */
  locate({ assessmentId, studentId }: MarkKey) {
    const row = this.pupils.findIndex(({ id }) => id === studentId)
    const col = this.columns.findIndex(({ id }) => id === assessmentId)
    return { position: { row, col }, pupil: this.pupils[row], column: this.columns[col] }
  }

  /** The saved marks, including those of assessments that were deleted since. */
  marks = (): Iterable<LiveMark> => this.saved.values()

  /** Subscribes to the queue; the returned function ends that. */
  open(): () => void {
    // What was drawn before is drawn again only where the queue has changed since.
    if (this.queue.version() !== this.queueVersion) this.invalidateAll()
    const stop = this.queue.listen((assessmentId, studentIds) =>
      this.invalidate(studentIds.map((studentId) => [assessmentId, studentId] as const)),
    )
    return () => {
      this.queueVersion = this.queue.version()
      stop()
    }
  }

  /**
   * Adds a listener for a part of the sheet: the key of a cell, a row (`rowPart`), the id of a pupil (their figures), `layout`, `footer`,
   * `state` (the connection) or `queue` (unsaved marks). Returns a function that removes it.
   */
  listen = (part: string, listener: () => void): (() => void) => {
    const listeners = this.listeners.get(part) ?? new Listeners()
    this.listeners.set(part, listeners)
    return listeners.add(listener)
  }
  listenToCell = (assessmentId: string, studentId: string) => (listener: () => void) =>
    this.listen(keyOf(assessmentId, studentId), listener)
  listenToQueue = (listener: () => void) => this.listen('queue', listener)

  /** Equal arguments change nothing. */
  setLayout(
    pupils: readonly Pupil[],
    columns: readonly Assessment[],
    weights: TermWeights,
    scale: GradingScale,
    codes: readonly MarkCode[],
    categories: readonly Category[],
  ): void {
    const laidOut = [pupils, columns, weights, scale, codes, categories]
    if (laidOut.every((one, at) => one === this.laidOut[at])) return
    this.laidOut = laidOut
    this.groups = categoryGroups(columns, categories)
    this.codes = codes
    this.layout = { pupils, columns }
    this.closed = closedCells(pupils, columns)
    this.outsideSets = cellsOutsideSets(pupils, columns)
    this.weights = weights
    this.scale = scale
    this.invalidateAll()
  }

  setInReview(gradeIds: ReadonlySet<string>): void {
    const before = this.gradesInReview
    this.gradesInReview = gradeIds
    this.invalidate(
      [...this.saved.values()]
        .filter(({ id }) => before.has(id) !== gradeIds.has(id))
        .map(({ assessment_id, student_id }) => [assessment_id, student_id] as const),
    )
  }

  cell = (assessmentId: string, studentId: string): Cell => {
    const key = keyOf(assessmentId, studentId)
    const cached = this.cells.get(key)
    if (cached && !this.outdated.delete(key)) return cached
    const saved = this.saved.get(key) ?? null
    const pending = this.queue.get(assessmentId, studentId) ?? null
    const invalid = this.invalidEntries.get(key) ?? null
    const isPlain = !saved && !pending && !invalid
    const isInReview = saved !== null && this.gradesInReview.has(saved.id)
    const cell = isPlain ? EMPTY : { saved, pending, invalid, isInReview, isRecentChange: this.recentChanges.has(key) }
    // The same object for an unchanged cell, so that it is not rendered again.
    if (cached && isSameCell(cached, cell)) return cached
    this.cells.set(key, cell)
    return cell
  }

  /** The cells of a pupil in the order of the columns; the same list while none of them changes. */
  row = (studentId: string): readonly Cell[] => {
    const known = this.rows.get(studentId)
    const cells = this.columns.map(({ id }) => this.cell(id, studentId))
    if (known?.length === cells.length && cells.every((cell, at) => cell === known[at])) return known
    this.rows.set(studentId, cells)
    return cells
  }

  /**
   * Whether an assessment is for a pupil: it is of all classes, of the pupil's class, or of a teaching set of theirs. A pupil who has left
   * the set keeps a mark that they have there.
   */
  isFor = (assessmentId: string, studentId: string): boolean => {
    const key = keyOf(assessmentId, studentId)
    return !this.closed.has(key) && (!this.outsideSets.has(key) || this.saved.has(key))
  }

  /**
   * The mark that counts: the pending one, unless it needs a decision, else the saved one. Null where the assessment is not for the pupil.
   */
  effectiveMark = (assessmentId: string, studentId: string): EffectiveMark =>
    this.isFor(assessmentId, studentId)
      ? effectiveMark(this.saved.get(keyOf(assessmentId, studentId)), this.queue.get(assessmentId, studentId))
      : null

  figuresOf = (studentId: string): RowFigures => {
    const cached = this.figures.get(studentId)
    if (cached) return cached
    const marks = this.columns.map(({ id }) => this.effectiveMark(id, studentId))
    const figures = rowFigures(this.columns, marks, this.weights, this.scale, this.groups)
    this.figures.set(studentId, figures)
    return figures
  }

  getFooter = (): Footer => {
    if (this.footer) return this.footer
    if (!this.hasLoadedOnce && this.saved.size === 0) return NO_FOOTER
    const rows = this.pupils.map(({ id }) => this.figuresOf(id))
    this.footer = {
      columns: this.columns.map(({ id }) => this.meanOf(id)),
      coursework: classMean(rows.map(({ coursework_average }) => coursework_average)),
      exam: classMean(rows.map(({ exam_average }) => exam_average)),
      composite: classMean(rows.map(({ term_composite }) => term_composite)),
    }
    return this.footer
  }

  private meanOf(assessmentId: string): number | null {
    const cached = this.means.get(assessmentId)
    if (cached !== undefined) return cached
    const mean = columnMean(this.pupils.map(({ id }) => this.effectiveMark(assessmentId, id)))
    this.means.set(assessmentId, mean)
    return mean
  }

  invalidCount = (): number => this.invalidCells().length
  invalidCells = (): InvalidCell[] =>
    [...this.invalidEntries].flatMap(([key, invalid]) => {
      const [assessmentId = '', studentId = ''] = key.split('/')
      return this.columns.some(({ id }) => id === assessmentId) ? [{ assessmentId, studentId, invalid }] : []
    })

  /**
   * Enters a typed text over the value that was `seen`, which may be the user's own unsaved one. A valid mark is sent, an invalid one stays
   * in the cell, and a mark that meets somebody else's newer one becomes a conflict. An empty text deletes the mark, or only the invalid
   * entry over it.
   */
  enter(assessmentId: string, studentId: string, text: string, seen: CellValue): 'unchanged' | 'sent' | 'wrong' | 'conflict' {
    const key = keyOf(assessmentId, studentId)
    const column = this.columns.find(({ id }) => id === assessmentId)
    if (!column || !this.isFor(assessmentId, studentId)) return 'unchanged'
    const typed = parseMark(text, column.max_score, this.codes, cellValueOf(this.effectiveMark(assessmentId, studentId)))
    if (typed.kind === 'wrong') {
      this.invalidEntries.set(key, { text: text.trim(), reason: typed.reason })
      this.invalidate([[assessmentId, studentId]])
      return 'wrong'
    }
    const wasInvalid = this.discardInvalid(assessmentId, studentId)
    // The mark below the invalid entry was not visible in the field.
    if (wasInvalid && typed.kind === 'empty') return 'unchanged'
    const score = typed.kind === 'empty' ? null : typed.score
    const { pending } = this.cell(assessmentId, studentId)
    const stored = cellValueOf(this.saved.get(key))
    const mark = { assessmentId, studentId, score, seen }
    // While the server is away, the mark there may have changed.
    if (pending ? isSendable(pending) && pending.score === score : this.isConnected && score === stored) return 'unchanged'
    if (pending || stored === seen) this.put([mark])
    else this.queue.addConflict(mark, stored)
    return this.queue.get(assessmentId, studentId)?.state === 'conflict' ? 'conflict' : 'sent'
  }

  /** Sends marks. Without a connection they are first compared with the server's. */
  put(marks: readonly MarkEntry[]): void {
    const open = marks.filter(({ assessmentId, studentId }) => this.isFor(assessmentId, studentId))
    if (open.length > 0) this.queue.put(open, { isCompared: !this.isConnected })
  }

  discardInvalid(assessmentId: string, studentId: string): boolean {
    const was = this.invalidEntries.delete(keyOf(assessmentId, studentId))
    if (was) this.invalidate([[assessmentId, studentId]])
    return was
  }

  /** Shows stored marks until the server sends its own; null: there are none. */
  begin(marks: readonly LiveMark[] | null): void {
    if (this.hasLoadedOnce) return
    this.isReady = true
    this.isUnread = marks === null
    this.saved = new Map((marks ?? []).map((mark) => [keyOf(mark.assessment_id, mark.student_id), mark]))
    this.invalidateAll()
  }

  /** Applies an event of the stream. */
  receive({ is_whole, marks, gone }: LiveMarks): void {
    const isFirst = !this.hasLoadedOnce
    this.hasLoadedOnce = true
    this.isReady = true
    this.isUnread = false
    const before = this.saved
    if (is_whole) this.saved = new Map()
    const changed: [string, string][] = []
    const remote: RemoteChange[] = []
    for (const mark of marks) {
      const key = keyOf(mark.assessment_id, mark.student_id)
      const known = before.get(key)
      // An older change of this user, which arrived after the reply to a newer one.
      const isEcho = known !== undefined && mark.updated_by === this.userId && mark.updated_at < known.updated_at
      this.saved.set(key, isEcho ? known : mark)
      if (isEcho || (known && isSameMark(known, mark))) continue
      changed.push([mark.assessment_id, mark.student_id])
      if (!isFirst && mark.updated_by !== this.userId && !(known && hasSameValues(known, mark))) {
        remote.push({ assessmentId: mark.assessment_id, studentId: mark.student_id, mark })
      }
    }
    const ids = new Set(gone)
    for (const [key, mark] of is_whole ? before : this.saved) {
      if (is_whole ? this.saved.has(key) : !ids.has(mark.id)) continue
      this.saved.delete(key)
      changed.push([mark.assessment_id, mark.student_id])
    }
    this.isConnected = true
    for (const [assessmentId, rows] of grouped(marks, (mark) => mark.assessment_id)) this.queue.reconcile(assessmentId, rows)
    this.highlight(remote)
    this.invalidate(changed)
    this.notify('state')
  }

  /** Applies the reply to a request of this window. `hasParent`: the marks then wait for the parent. */
  applySaved(rows: readonly Grade[], hasParent: boolean): void {
    const assessmentIds = new Set(this.columns.map(({ id }) => id))
    const ownRows = rows.filter(({ assessment_id }) => assessmentIds.has(assessment_id))
    for (const { letter_grade: _letter, created_by: _by, ...mark } of ownRows) {
      const key = keyOf(mark.assessment_id, mark.student_id)
      const before = this.saved.get(key)
      const { is_waiting, is_above } = before && hasSameValues(before, mark) ? before : { is_waiting: hasParent, is_above: false }
      this.saved.set(key, { ...mark, is_waiting, is_above })
    }
    this.invalidate(ownRows.map(({ assessment_id, student_id }) => [assessment_id, student_id]))
  }

  /** Applies the deletion of a mark by this window. */
  applyRemoved({ assessmentId, studentId }: MarkKey): void {
    if (this.saved.delete(keyOf(assessmentId, studentId))) this.invalidate([[assessmentId, studentId]])
  }

  /** The stream was interrupted: the marks may be out of date. */
  disconnect(): void {
    if (!this.isConnected) return
    this.isConnected = false
    this.notify('state')
  }

  private highlight(changes: RemoteChange[]): void {
    if (changes.length === 0) return
    const until = performance.now() + HIGHLIGHT_FOR
    for (const { assessmentId, studentId } of changes) this.recentChanges.set(keyOf(assessmentId, studentId), until)
    this.later(HIGHLIGHT_FOR, () => {
      const expired = changes.filter(
        ({ assessmentId, studentId }) => (this.recentChanges.get(keyOf(assessmentId, studentId)) ?? until) <= until,
      )
      for (const { assessmentId, studentId } of expired) this.recentChanges.delete(keyOf(assessmentId, studentId))
      this.invalidate(expired.map(({ assessmentId, studentId }) => [assessmentId, studentId]))
    })
    this.remoteChanges.notify(changes)
  }

  /** Discards the cached cells, figures and means, and notifies their listeners. */
  private invalidate(cells: readonly (readonly [assessmentId: string, studentId: string])[]): void {
    if (cells.length === 0) return
    const pupils = new Set<string>()
    for (const [assessmentId, studentId] of cells) {
      const key = keyOf(assessmentId, studentId)
      const shown = this.outdated.has(key) ? undefined : this.cells.get(key)
      this.outdated.add(key)
      // A change of state alone does not change the figures.
      const before = shown && effectiveMark(shown.saved, shown.pending)
      if (before !== undefined && isSameEffectiveMark(before, this.effectiveMark(assessmentId, studentId))) continue
      this.figures.delete(studentId)
      this.means.delete(assessmentId)
      pupils.add(studentId)
    }
    for (const [assessmentId, studentId] of cells) this.notify(keyOf(assessmentId, studentId))
    for (const studentId of new Set(cells.map(([, id]) => id))) this.notify(rowPart(studentId))
    for (const studentId of pupils) this.notify(studentId)
    if (pupils.size > 0) this.scheduleFooter()
    this.notify('queue')
  }

  private scheduleFooter(): void {
    this.footerVersion += 1
    const version = this.footerVersion
    // After a pause in typing: the means of a thousand pupils take long.
    this.later(FOOTER_AFTER, () => {
      if (version !== this.footerVersion) return
      this.footer = null
      this.notify('footer')
    })
  }

  private invalidateAll(): void {
    for (const key of this.cells.keys()) this.outdated.add(key)
    this.figures.clear()
    this.means.clear()
    this.footer = null
    for (const part of this.listeners.keys()) this.notify(part)
  }

  private notify(part: string): void {
    this.listeners.get(part)?.notify()
  }
}
