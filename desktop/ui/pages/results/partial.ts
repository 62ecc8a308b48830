type Result = { is_partial: boolean; term_composite?: number | null; year_grade?: number | null }

/** What a subject came to: in a year the year grade, in a term the composite. */
const resultOf = ({ year_grade, term_composite }: Result): number | null =>
  year_grade === undefined ? (term_composite ?? null) : year_grade

/** Whether an average has a result in it that rests on coursework or exam alone. */
export const restsOnPartial = (average: number | null, subjects: readonly Result[]): boolean =>
  average !== null && subjects.some((own) => own.is_partial && resultOf(own) !== null)
