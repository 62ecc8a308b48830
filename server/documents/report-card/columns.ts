import type { ReportCardLayout, TermEntry, TermLayout, YearEntry, YearLayout } from './report-card.input.ts'

/** A column of figures: its head, what stands small under the head, its width in points. `isResult` is the figure that counts. */
type FigureColumn<Entry> = {
  head: string
  under: string
  width: number
  isResult?: boolean
  of(entry: Entry): number | null
  /** The code that stands where there is no figure. */
  code?(entry: Entry): string | undefined
}

/** What a layout shows: its figures, a sentence on how the result is calculated, and which results are of one part alone. */
export type Columns<Entry> = {
  figures: FigureColumn<Entry>[]
  note: string
  /** Head of the average over the subjects. */
  average: string
  isPartial(entry: Entry): boolean
}

/** Decisions §5: averages, totals and weights have at most two decimals; figures show both. */
export const figureText = (figure: number | null): string => (figure === null ? '–' : figure.toFixed(2))
/** The figure of a column, or the code in its place. */
export const cellText = <Entry>({ of, code }: FigureColumn<Entry>, entry: Entry): string =>
  (of(entry) === null && code?.(entry)) || figureText(of(entry))
/** A weight, or a percentage that needs no decimals: «40», «12.5». */
export const plainText = (figure: number): string => String(Number(figure.toFixed(2)))
const percent = (weight: number) => `${plainText(weight)} %`

const termColumns = ({ coursework_weight, exam_weight }: TermLayout): Columns<TermEntry> => ({
  figures: [
    {
      head: 'Coursework',
      under: percent(coursework_weight),
      width: 57,
      of: (entry) => entry.coursework_average,
      code: (entry) => entry.coursework_code,
    },
    { head: 'Exam', under: percent(exam_weight), width: 47, of: (entry) => entry.exam_average, code: (entry) => entry.exam_code },
    { head: 'Composite', under: 'of 100', width: 54, isResult: true, of: (entry) => entry.term_composite },
  ],
  note: `All figures are out of 100. In the composite, coursework counts ${percent(coursework_weight)} and the exam ${percent(exam_weight)}.`,
  average: 'Overall average',
  isPartial: (entry) =>
    (entry.coursework_average === null && entry.exam_average !== null && coursework_weight > 0) ||
    (entry.exam_average === null && entry.coursework_average !== null && exam_weight > 0),
})

type Weights = { coursework: number; exam: number }
const hasTerms = (entry: YearEntry) => entry.term_composites.some((composite) => composite !== null)
const isPartialYear =
  ({ coursework, exam }: Weights) =>
  (entry: YearEntry) =>
    (!hasTerms(entry) && entry.end_of_year_exam !== null && coursework > 0) ||
    (entry.end_of_year_exam === null && hasTerms(entry) && exam > 0)

const yearGrade = { under: 'of 100', isResult: true, of: (entry: YearEntry) => entry.year_grade }
const courseworkTotal = { head: 'Coursework', width: 60, of: (entry: YearEntry) => entry.coursework_total }

/** Six figures of terms still leave room for a subject and a remark. */
const widthOfTerm = (count: number) => (count <= 3 ? 50 : count === 4 ? 44 : 37)

type YearColumns = Omit<Columns<YearEntry>, 'average'>
const yearColumns: Record<YearLayout['kind'], (terms: readonly string[], weights: Weights) => YearColumns> = {
  weighted_cumulative: (_terms, weights) => ({
    figures: [
      { ...courseworkTotal, under: `of ${plainText(weights.coursework)}` },
      { ...yearGrade, head: 'Total', width: 54 },
    ],
    note: `The total is the mean of the term composites, out of 100. Coursework is the same, out of ${plainText(weights.coursework)}.`,
    isPartial: () => false,
  }),
  weighted_continuous: (terms, weights) => ({
    figures: [
      ...terms.map((head, at) => ({
        head,
        under: 'term',
        width: widthOfTerm(terms.length),
        of: (entry: YearEntry) => entry.term_composites[at] ?? null,
      })),
      { head: 'Exam', under: 'end of year', width: 48, of: (entry) => entry.end_of_year_exam },
      { ...yearGrade, head: 'Year grade', width: 50 },
    ],
    note: `All figures are out of 100. In the year grade, the mean of the terms counts ${percent(weights.coursework)} and the end-of-year exam ${percent(weights.exam)}.`,
    isPartial: isPartialYear(weights),
  }),
  continuous_cumulative: (_terms, weights) => ({
    figures: [
      { ...courseworkTotal, under: `of ${plainText(weights.coursework)}` },
      { head: 'Exam', under: `of ${plainText(weights.exam)}`, width: 50, of: (entry) => entry.exam_total },
      { ...yearGrade, head: 'Total', width: 54 },
    ],
    note: `Coursework is the mean of the term composites, out of ${plainText(weights.coursework)}; the exam is that of the last term, out of ${plainText(weights.exam)}. The total is their sum.`,
    isPartial: isPartialYear(weights),
  }),
}

/** The columns of a layout (specification, «Grading models and report layouts»; decisions §5). */
export function columnsOf(layout: ReportCardLayout): Columns<TermEntry> | Columns<YearEntry> {
  if (layout.kind === 'term') return termColumns(layout)
  const weights = { coursework: layout.coursework_weight ?? 100, exam: layout.exam_weight ?? 0 }
  return { ...yearColumns[layout.kind](layout.terms, weights), average: 'Year average' }
}
