import { isPartialCell, isPartialTerm, isPartialYear, type TermCell } from '@markbook/shared/domain/partial'
import type { Words } from '../words.ts'
import type { ReportCard, ReportCardLayout, TermEntry, TermLayout, YearEntry, YearLayout } from './report-card.input.ts'

/** A column of figures: its head, the small text under the head, its width in points. `isResult`: the result of the row. */
type FigureColumn<Entry> = {
  head: string
  under: string
  width: number
  isResult?: boolean
  /** The head is a school's own word; where it is too long, it continues in place of `under`. */
  isOwnWord?: boolean
  of(entry: Entry): number | null
  /** Whether this figure, which is not the result, is partial. */
  isPartial?(entry: Entry): boolean
  /** The code that is printed where there is no figure. */
  code?(entry: Entry): string | undefined
}

/** The columns of a layout, a sentence that explains the calculation, and which results are partial. */
export type Columns<Entry> = {
  figures: FigureColumn<Entry>[]
  note: string
  /** The head of the average over the subjects. */
  average: string
  isPartial(entry: Entry): boolean
}

/** The figure of a column, or the code in its place. */
export const cellText = <Entry>({ of, code }: FigureColumn<Entry>, entry: Entry, { figure }: Words): string =>
  (of(entry) === null && code?.(entry)) || figure(of(entry))

const termColumns = ({ coursework_weight, exam_weight }: TermLayout, { say, percent }: Words): Columns<TermEntry> => ({
  figures: [
    {
      head: say('card.coursework'),
      under: percent(coursework_weight),
      width: 57,
      of: (entry) => entry.coursework_average,
      code: (entry) => entry.coursework_code,
    },
    {
      head: say('card.exam'),
      under: percent(exam_weight),
      width: 47,
      of: (entry) => entry.exam_average,
      code: (entry) => entry.exam_code,
    },
    {
      head: say('card.composite'),
      under: say('card.ofFull', { full: 100 }),
      width: 54,
      isResult: true,
      of: (entry) => entry.term_composite,
    },
  ],
  note: say('card.noteTerm', { coursework: percent(coursework_weight), exam: percent(exam_weight) }),
  average: say('card.overallAverage'),
  isPartial: (entry) => isPartialTerm(entry, { coursework_weight, exam_weight }),
})

type Weights = { coursework: number; exam: number }

const yearGrade = ({ say }: Words) => ({
  under: say('card.ofFull', { full: 100 }),
  isResult: true,
  of: (entry: YearEntry) => entry.year_grade,
})
const courseworkTotal = ({ say, plain }: Words, weight: number) => ({
  head: say('card.coursework'),
  under: say('card.ofFull', { full: plain(weight) }),
  width: 60,
  of: (entry: YearEntry) => entry.coursework_total,
})

const termsIn = ({ term_composites, partial_terms }: YearEntry): TermCell[] =>
  term_composites.map((term_composite, at) => ({ term_composite, ...(partial_terms?.[at] && { is_partial: true }) }))

/** With six terms there is still room for a subject and a remark. */
const widthOfTerm = (count: number) => (count <= 3 ? 50 : count === 4 ? 44 : 37)

type YearColumns = Pick<Columns<YearEntry>, 'figures' | 'note'>
const yearColumns: Record<YearLayout['kind'], (terms: readonly string[], weights: Weights, words: Words) => YearColumns> = {
  weighted_cumulative: (_terms, { coursework }, words) => ({
    figures: [courseworkTotal(words, coursework), { ...yearGrade(words), head: words.say('card.total'), width: 54 }],
    note: words.say('card.noteCumulative', { coursework: words.plain(coursework) }),
  }),
  weighted_continuous: (terms, weights, words) => ({
    figures: [
      ...terms.map((name, at) => ({
        head: words.term(name),
        under: words.say('card.ofTerm'),
        width: widthOfTerm(terms.length),
        isOwnWord: true,
        of: (entry: YearEntry) => entry.term_composites[at] ?? null,
        isPartial: (entry: YearEntry) =>
          termsIn(entry)
            .slice(at, at + 1)
            .some(isPartialCell),
      })),
      { head: words.say('card.exam'), under: words.say('card.endOfYear'), width: 48, of: (entry) => entry.end_of_year_exam },
      { ...yearGrade(words), head: words.say('card.yearGrade'), width: 50 },
    ],
    note: words.say('card.noteContinuous', { coursework: words.percent(weights.coursework), exam: words.percent(weights.exam) }),
  }),
  continuous_cumulative: (_terms, weights, words) => ({
    figures: [
      courseworkTotal(words, weights.coursework),
      {
        head: words.say('card.exam'),
        under: words.say('card.ofFull', { full: words.plain(weights.exam) }),
        width: 50,
        of: (entry) => entry.exam_total,
      },
      { ...yearGrade(words), head: words.say('card.total'), width: 54 },
    ],
    note: words.say('card.noteBoth', { coursework: words.plain(weights.coursework), exam: words.plain(weights.exam) }),
  }),
}

/** The columns of a layout (specification, «Grading models and report layouts»; decisions §5). */
export function columnsOf(layout: ReportCardLayout, words: Words): Columns<TermEntry> | Columns<YearEntry> {
  if (layout.kind === 'term') return termColumns(layout, words)
  const weights = { coursework: layout.coursework_weight ?? 100, exam: layout.exam_weight ?? 0 }
  return {
    ...yearColumns[layout.kind](layout.terms, weights, words),
    average: words.say('card.yearAverage'),
    isPartial: (entry: YearEntry) => isPartialYear({ ...entry, terms: termsIn(entry) }, { ...layout, calculation_model: layout.kind }),
  }
}

/** Whether a result of the card is partial, and so its average. */
export function hasPartial(layout: ReportCardLayout, words: Words, { entries }: Pick<ReportCard, 'entries'>): boolean {
  const { isPartial } = columnsOf(layout, words) as Columns<TermEntry | YearEntry>
  return entries.some((entry) => isPartial(entry))
}
