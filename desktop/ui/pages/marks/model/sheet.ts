import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Grade, LiveMark, LiveMarks } from '@markbook/shared/contract/grades'
import type { GradingScale } from '@markbook/shared/domain/letters'
import { classMean, columnMean, type RowFigures, rowFigures, type Standing } from './figures.ts'
import type { MarkQueue } from './mark-queue.ts'
import { byAssessment, type Mistake, type Mistyped, mistypedAmong, sameMark, sameStanding, sameValues, standingOf } from './mark-values.ts'
import { goesOut, type Pending } from './pending.ts'
import { readMark } from './typed-mark.ts'

export type Pupil = { id: string; first_name: string; last_name: string }
export type Weights = { exam_weight: number; coursework_weight: number }
/** One cell as it is shown. `saved`: what the server has. `isNews`: somebody else has just changed it. */
export type Cell = {
  readonly saved: LiveMark | null
  readonly pending: Pending | null
  readonly mistake: Mistake | null
  readonly isReviewed: boolean
  readonly isNews: boolean
}
export type Layout = { readonly pupils: readonly Pupil[]; readonly columns: readonly Assessment[] }
export type Footer = { columns: readonly (number | null)[]; coursework: number | null; exam: number | null; composite: number | null }
export type News = { assessmentId: string; studentId: string; mark: LiveMark | null }

const NO_FOOTER: Footer = { columns: [], coursework: null, exam: null, composite: null }
const EMPTY: Cell = { saved: null, pending: null, mistake: null, isReviewed: false, isNews: false }
const keyOf = (assessmentId: string, studentId: string) => `${assessmentId}/${studentId}`
/** How long a mark of somebody else stands out, ms. */
const NEWS_LASTS = 8_000
/** How long the footer waits for another mark, ms. */
const FOOTER_AFTER = 200

/**
 * The marks of a class in a subject and term as the page shows them: what the server has, what is on its way, what was mistyped, and the
 * figures that follow. Beside React: whoever shows a cell, a row or the footer hears of its own changes only.
 */
export class Sheet {
  layout: Layout = { pupils: [], columns: [] }
  /** False until the server has told its marks, and again while it cannot be heard. */
  isLoaded = false
  private weights: Weights = { exam_weight: 0, coursework_weight: 100 }
  private scale: GradingScale = { passMark: 50, bands: [] }
  private isBegun = false
  private saved = new Map<string, LiveMark>()
  private readonly news = new Map<string, number>()
  private reviewed: ReadonlySet<string> = new Set()
  private readonly cells = new Map<string, Cell>()
  private readonly figures = new Map<string, RowFigures>()
  private readonly means = new Map<string, number | null>()
  private footer: Footer | null = null
  private footerTurn = 0
  private readonly ears = new Map<string, Set<() => void>>()
  private readonly newsEars = new Set<(news: News[]) => void>()

  constructor(
    readonly queue: MarkQueue<Grade>,
    private readonly userId: string,
    private readonly later: (ms: number, then: () => void) => void,
    /** What was mistyped, here and on other sheets: it outlives this one. */
    private readonly mistakes: Map<string, Mistake> = new Map(),
  ) {}

  get pupils(): readonly Pupil[] {
    return this.layout.pupils
  }
  get columns(): readonly Assessment[] {
    return this.layout.columns
  }

  /** What the server has, of earlier assessments too. */
  marks = (): Iterable<LiveMark> => this.saved.values()

  /** Shows what is on its way, until the returned function is called. */
  open(): () => void {
    this.forgetAll()
    return this.queue.listen((assessmentId, studentIds) => this.touch(studentIds.map((studentId) => [assessmentId, studentId] as const)))
  }

  /** `at`: a cell's key, a pupil's id, `layout`, `footer`, `state` (whether the server is heard) or `queue` (what is not saved). */
  listen = (at: string, ear: () => void): (() => void) => {
    const ears = this.ears.get(at) ?? new Set()
    this.ears.set(at, ears.add(ear))
    return () => void ears.delete(ear)
  }
  listenToCell = (assessmentId: string, studentId: string) => (ear: () => void) => this.listen(keyOf(assessmentId, studentId), ear)
  /** Hears what others change. */
  listenToNews = (ear: (news: News[]) => void): (() => void) => {
    this.newsEars.add(ear)
    return () => void this.newsEars.delete(ear)
  }

  lay(pupils: readonly Pupil[], columns: readonly Assessment[], weights: Weights, scale: GradingScale): void {
    this.layout = { pupils, columns }
    this.weights = weights
    this.scale = scale
    this.forgetAll()
  }

  review(gradeIds: ReadonlySet<string>): void {
    this.reviewed = gradeIds
    this.forgetAll()
  }

  cell = (assessmentId: string, studentId: string): Cell => {
    const key = keyOf(assessmentId, studentId)
    const known = this.cells.get(key)
    if (known) return known
    const saved = this.saved.get(key) ?? null
    const pending = this.queue.of(assessmentId, studentId) ?? null
    const mistake = this.mistakes.get(key) ?? null
    const isPlain = !saved && !pending && !mistake
    const isReviewed = saved !== null && this.reviewed.has(saved.id)
    const cell = isPlain ? EMPTY : { saved, pending, mistake, isReviewed, isNews: this.news.has(key) }
    this.cells.set(key, cell)
    return cell
  }

  /** The mark that stands in the sheet: what was typed, where that is not in question, else what the server has. */
  standing = (assessmentId: string, studentId: string): Standing =>
    standingOf(this.saved.get(keyOf(assessmentId, studentId)), this.queue.of(assessmentId, studentId))

  figuresOf = (studentId: string): RowFigures => {
    const known = this.figures.get(studentId)
    if (known) return known
    const marks = this.columns.map(({ id }) => this.standing(id, studentId))
    const figures = rowFigures(this.columns, marks, this.weights, this.scale)
    this.figures.set(studentId, figures)
    return figures
  }

  footerNow = (): Footer => {
    if (this.footer) return this.footer
    if (!this.isBegun) return NO_FOOTER
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
    const known = this.means.get(assessmentId)
    if (known !== undefined) return known
    const mean = columnMean(this.pupils.map(({ id }) => this.standing(assessmentId, id)))
    this.means.set(assessmentId, mean)
    return mean
  }

  mistakesThere = (): number => this.mistyped().length
  /** What was mistyped in this sheet, and where. */
  mistyped = (): Mistyped[] => mistypedAmong(this.mistakes, new Set(this.columns.map(({ id }) => id)))

  /**
   * Takes what was typed over a mark that was `seen`: it goes to the server, or stays as a mistake, or meets what somebody else has saved
   * there in the meantime. Answers what became of it; `empty` where the field was emptied, which changes nothing.
   */
  enter(assessmentId: string, studentId: string, text: string, seen: number | null): 'kept' | 'sent' | 'wrong' | 'contested' | 'empty' {
    const key = keyOf(assessmentId, studentId)
    const column = this.columns.find(({ id }) => id === assessmentId)
    if (!column) return 'kept'
    const typed = readMark(text, column.max_score)
    if (typed.kind === 'wrong') {
      this.mistakes.set(key, { text: text.trim(), reason: typed.reason })
      this.touch([[assessmentId, studentId]])
      return 'wrong'
    }
    if (this.mistakes.delete(key)) this.touch([[assessmentId, studentId]])
    if (typed.kind === 'empty') return 'empty'
    const { pending } = this.cell(assessmentId, studentId)
    const there = this.saved.get(key)?.score ?? null
    const mark = { assessmentId, studentId, score: typed.score, seen }
    if (pending ? goesOut(pending) && pending.score === typed.score : typed.score === there) return 'kept'
    if (!pending && there !== seen) {
      this.queue.contest(mark, there)
      return 'contested'
    }
    this.queue.put([mark])
    return 'sent'
  }

  /** Gives up what was mistyped. */
  forgetMistake(assessmentId: string, studentId: string): boolean {
    const was = this.mistakes.delete(keyOf(assessmentId, studentId))
    if (was) this.touch([[assessmentId, studentId]])
    return was
  }

  /** What the server tells. */
  hear({ is_whole, marks, gone }: LiveMarks): void {
    const isFirst = !this.isBegun
    this.isBegun = true
    const before = this.saved
    if (is_whole) this.saved = new Map()
    const changed: [string, string][] = []
    const news: News[] = []
    for (const mark of marks) {
      const key = keyOf(mark.assessment_id, mark.student_id)
      const known = before.get(key)
      // Our own earlier word, which was under way while our next one was answered.
      const isEcho = known !== undefined && mark.updated_by === this.userId && mark.updated_at < known.updated_at
      this.saved.set(key, isEcho ? known : mark)
      if (isEcho || (known && sameMark(known, mark))) continue
      changed.push([mark.assessment_id, mark.student_id])
      if (!isFirst && mark.updated_by !== this.userId && !(known && sameValues(known, mark))) {
        news.push({ assessmentId: mark.assessment_id, studentId: mark.student_id, mark })
      }
    }
    const ids = new Set(gone)
    for (const [key, mark] of is_whole ? before : this.saved) {
      if (is_whole ? this.saved.has(key) : !ids.has(mark.id)) continue
      this.saved.delete(key)
      changed.push([mark.assessment_id, mark.student_id])
    }
    this.isLoaded = true
    for (const [assessmentId, rows] of byAssessment(marks)) this.queue.noticed(assessmentId, rows)
    this.standOut(news)
    this.touch(changed)
    this.tell('state')
  }

  /** What our own saving was answered. `hasParent`: then it has still to go on from this server. */
  arrived(rows: readonly Grade[], hasParent: boolean): void {
    const own = new Set(this.columns.map(({ id }) => id))
    const known = rows.filter(({ assessment_id }) => own.has(assessment_id))
    for (const { letter_grade: _letter, created_by: _by, ...mark } of known) {
      const key = keyOf(mark.assessment_id, mark.student_id)
      const before = this.saved.get(key)
      const { is_waiting, is_above } = before && sameValues(before, mark) ? before : { is_waiting: hasParent, is_above: false }
      this.saved.set(key, { ...mark, is_waiting, is_above })
    }
    this.touch(known.map(({ assessment_id, student_id }) => [assessment_id, student_id]))
  }

  /** The server cannot be heard: what it has may be out of date. */
  unheard(): void {
    if (!this.isLoaded) return
    this.isLoaded = false
    this.tell('state')
  }

  private standOut(news: News[]): void {
    if (news.length === 0) return
    const until = performance.now() + NEWS_LASTS
    for (const { assessmentId, studentId } of news) this.news.set(keyOf(assessmentId, studentId), until)
    this.later(NEWS_LASTS, () => {
      const over = news.filter(({ assessmentId, studentId }) => (this.news.get(keyOf(assessmentId, studentId)) ?? until) <= until)
      for (const { assessmentId, studentId } of over) this.news.delete(keyOf(assessmentId, studentId))
      this.touch(over.map(({ assessmentId, studentId }) => [assessmentId, studentId]))
    })
    for (const ear of this.newsEars) ear(news)
  }

  /** These cells have changed: they, their pupils' figures, and, in a moment, the footer. */
  private touch(cells: readonly (readonly [assessmentId: string, studentId: string])[]): void {
    if (cells.length === 0) return
    const pupils = new Set<string>()
    for (const [assessmentId, studentId] of cells) {
      const shown = this.cells.get(keyOf(assessmentId, studentId))
      this.cells.delete(keyOf(assessmentId, studentId))
      // What is only on its way, or has arrived, counts as before.
      const before = shown && standingOf(shown.saved, shown.pending)
      if (before !== undefined && sameStanding(before, this.standing(assessmentId, studentId))) continue
      this.figures.delete(studentId)
      this.means.delete(assessmentId)
      pupils.add(studentId)
    }
    for (const [assessmentId, studentId] of cells) this.tell(keyOf(assessmentId, studentId))
    for (const studentId of pupils) this.tell(studentId)
    if (pupils.size > 0) this.tellFooter()
    this.tell('queue')
  }

  private tellFooter(): void {
    this.footerTurn += 1
    const turn = this.footerTurn
    // Once the keys pause: of a thousand pupils the means take long.
    this.later(FOOTER_AFTER, () => {
      if (turn !== this.footerTurn) return
      this.footer = null
      this.tell('footer')
    })
  }

  private forgetAll(): void {
    this.cells.clear()
    this.figures.clear()
    this.means.clear()
    this.footer = null
    for (const at of this.ears.keys()) this.tell(at)
  }

  private tell(at: string): void {
    for (const ear of this.ears.get(at) ?? []) ear()
  }
}
