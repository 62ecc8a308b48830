import { isKnownTerm, termInEnglish } from '@markbook/shared/domain/term-names'
import type { ReportCardFrame, ReportCardLayout } from './report-card.input.ts'

/** The words of a card, in British English. */

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** «2011-03-04» as «4 March 2011». */
export function dayText(day: string): string {
  const [year = '', month = '', date = ''] = day.slice(0, 10).split('-')
  return `${Number(date)} ${MONTHS[Number(month) - 1] ?? ''} ${year}`
}

export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** 1st, 2nd, 3rd, 4th, 11th. */
export function ordinal(place: number): string {
  const ending = place % 100 >= 11 && place % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th')
  return `${place}${ending}`
}

export const fullName = ({ first_name, last_name }: { first_name: string; last_name: string }): string =>
  `${first_name} ${last_name}`.trim()

/** The same instant is the same day on every machine. */
export const dayOf = (ms: number): string => dayText(new Date(ms).toISOString())

/** «Michaelmas term 2025/26», «Semester 1, 2025/26», «Year 2025/26». A school's own word says by itself what it is. */
export function periodText({ term, year }: { term: string; year: string }, isTerm: boolean): string {
  if (!isTerm) return `Year ${year}`
  return isKnownTerm(term) ? `${termInEnglish(term)} term ${year}` : `${term}, ${year}`
}

export const periodOf = (frame: ReportCardFrame, layout: ReportCardLayout): string => periodText(frame, layout.kind === 'term')

/** Before the number of a page: by what `markbook audit --head` knows where the history stood. */
export const historyText = (code: string | null | undefined): string => (code ? `History ${code}  ·  ` : '')
