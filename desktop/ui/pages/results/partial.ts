type Result = { is_partial: boolean; term_composite?: number | null; year_grade?: number | null }

/** What a subject came to: in a year the year grade, in a term the composite. */
const resultOf = ({ year_grade, term_composite }: Result): number | null =>
  year_grade === undefined ? (term_composite ?? null) : year_grade

/** Whether there is a result, and it rests on coursework or exam alone. Where the one that is there has no weight, there is none. */
export const isPartialResult = (own: Result): boolean => own.is_partial && resultOf(own) !== null

/** Whether an average has a result in it that rests on coursework or exam alone. */
export const restsOnPartial = (average: number | null, subjects: readonly Result[]): boolean =>
  average !== null && subjects.some(isPartialResult)
