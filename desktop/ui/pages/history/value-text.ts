import i18next from 'i18next'
import { day, enumerated, moment, weekdayName } from '../../words/format.ts'
import { termLabel } from '../../words/term-label.ts'
import { languageName } from '../../words/words.ts'

/** The keys of the words for the values of a column. Both a report book and a request to join have a `status`. */
const WORDS: Readonly<Record<string, string | readonly string[]>> = {
  status: ['reports:status', 'people:joinStatus'],
  assessment_type: 'assessments',
  grading_model: 'years',
  calculation_model: 'years',
  school_type: 'school',
  role: 'people',
  gender: 'students',
  personal_data_for: 'school:personal',
  report_type: 'history:reportType',
}
const DAYS = new Set(['day', 'start_date', 'end_date', 'assessment_date', 'date_of_birth', 'enrollment_date'])
/** Columns whose value has many parts. */
const WHOLES = new Set(['snapshot', 'sent_snapshot', 'bands', 'scale_bands', 'mark_codes'])

/** A value of a column in the words of the pages; unchanged where there are none. */
export function valueText(column: string, value: string): string {
  if (WHOLES.has(column)) return wholeText(value)
  // Of whatever row: nothing but a term is named by one of these words in lower case.
  if (column === 'name') return termLabel(value)
  if (column === 'approved_at') return moment(value)
  if (column === 'school_days') return weekdaysText(value)
  if (column === 'document_language') return languageName(value)
  if (DAYS.has(column) && /^\d{4}-\d\d-\d\d$/.test(value)) return day(value)
  const key = [WORDS[column] ?? []]
    .flat()
    .map((words) => `${words}${words.includes(':') ? '.' : ':'}${value}`)
    .find((one) => i18next.exists(one))
  return key ? i18next.t(key as 'reports:status.draft') : value
}

/** Letters with their minimums, or codes. For the results of a report book only that they were stored, since they would fill a page. */
function wholeText(text: string): string {
  const parts = listIn<Part>(text)
  const named = parts.flatMap(({ letter, minimum, code }) => (letter === undefined ? (code ?? []) : `${letter} ${minimum}`))
  return named.length > 0 ? named.join(', ') : i18next.t('history:whole')
}

const weekdaysText = (text: string): string => enumerated(listIn<number>(text).map(weekdayName))

type Part = { letter?: string; minimum?: number; code?: string }

function listIn<T>(text: string): readonly T[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? (value as T[]) : []
  } catch {
    return []
  }
}
