import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { NewTerm, Term } from '@markbook/shared/contract/terms'
import { TERM_NAMES } from '@markbook/shared/domain/term-names'
import { type Days, dayOf, numberOf, partsOf } from './term-days.ts'

type Year = Pick<AcademicYear, 'name' | 'start_date' | 'end_date'>

/** A term to propose for a new year. `key`: identifies it while its name and days change. */
export type ProposedTerm = NewTerm & { key: string }
/** The changes of a proposed term; a day that was not typed follows the days of the year. */
export type TermEdit = { startDate?: string; endDate?: string; isLeftOut?: boolean }
export type TermEdits = Readonly<Record<string, TermEdit>>
export type EditedTerm = ProposedTerm & { isLeftOut: boolean }

/** A name whose year is replaced by the later one: Autumn 2025 becomes Autumn 2026. */
function nameIn(to: Year, from: Year, name: string): string {
  if (from.name !== '' && name.includes(from.name)) return name.replaceAll(from.name, to.name)
  const years = Number(to.start_date.slice(0, 4)) - Number(from.start_date.slice(0, 4))
  return name.replace(/(?<!\d)(19|20)\d\d(?!\d)/g, (year) => String(Number(year) + years))
}

/**
 * The terms of a year, moved to a later one. They move by whole weeks, so that each begins and ends on the same weekday; those that began
 * or ended with their year do so again, and none lies outside the new year. If one would have no days left, all get equal parts of the
 * year. Terms that did not overlap do not overlap afterwards.
 */
export function termsAfter(from: Year, to: Year, terms: readonly Term[]): ProposedTerm[] {
  const weeks = Math.round((numberOf(to.start_date) - numberOf(from.start_date)) / 7)
  const later = (day: string) => numberOf(day) + weeks * 7
  const [first, last] = [numberOf(to.start_date), numberOf(to.end_date)]
  const startOf = ({ start_date: day }: Term) => (day === from.start_date ? first : Math.max(first, later(day)))
  const endOf = ({ end_date: day }: Term) => (day === from.end_date ? last : Math.min(last, later(day)))
  const fits = terms.every((term) => startOf(term) < endOf(term))
  const parts = partsOf(to, terms.length)
  return terms.map((term, at) => ({
    key: term.id,
    name: nameIn(to, from, term.name),
    startDate: fits ? dayOf(startOf(term)) : (parts[at]?.startDate ?? ''),
    endDate: fits ? dayOf(endOf(term)) : (parts[at]?.endDate ?? ''),
    examWeight: term.exam_weight,
    courseworkWeight: term.coursework_weight,
    isMinistryReporting: term.is_ministry_reporting,
    sortOrder: term.sort_order,
  }))
}

/** The usual structures of a year, with the number of terms of each. */
export const structures = { three: 3, terms: 3, semesters: 2, quarters: 4 } as const
export type Structure = keyof typeof structures
export const isStructure = (value: string): value is Structure => Object.hasOwn(structures, value)

/** The names of the terms of a structure. `word`: the word of the language for one of several, by number. */
export const namesOf = (structure: Structure, word: (structure: Exclude<Structure, 'three'>, number: number) => string): string[] =>
  structure === 'three' ? [...TERM_NAMES] : Array.from({ length: structures[structure] }, (_, at) => word(structure, at + 1))

/** Terms with these names in equal parts of a year. */
export const termsInParts = (year: Pick<Year, 'start_date' | 'end_date'>, names: readonly string[]): ProposedTerm[] =>
  partsOf(year, names.length).map((days, at) => ({
    key: names[at] ?? '',
    name: names[at] ?? '',
    ...days,
    examWeight: 60,
    courseworkWeight: 40,
  }))

/** The proposed terms with their changes, by `key`. */
export const withEdits = (proposed: readonly ProposedTerm[], edits: TermEdits): EditedTerm[] =>
  proposed.map((term) => ({ isLeftOut: false, ...term, ...edits[term.key] }))

/** The terms as they are sent. */
export const termsToSend = (terms: readonly EditedTerm[]): NewTerm[] =>
  terms.flatMap(({ key: _, isLeftOut, ...term }) => (isLeftOut ? [] : [term]))

/** Which day of a term is wrong, and why; null for none. */
export function faultOf({ startDate, endDate }: Days, year: Pick<Year, 'start_date' | 'end_date'>) {
  const isOutside = (day: string) => day < year.start_date || day > year.end_date
  if (startDate === '' || isOutside(startDate)) return { field: 'startDate', word: startDate === '' ? 'required' : 'outside' } as const
  if (endDate === '' || isOutside(endDate)) return { field: 'endDate', word: endDate === '' ? 'required' : 'outside' } as const
  return endDate > startDate ? null : ({ field: 'endDate', word: 'order' } as const)
}

export const areFaultless = (terms: readonly EditedTerm[], year: Pick<Year, 'start_date' | 'end_date'>): boolean =>
  terms.every((term) => term.isLeftOut || faultOf(term, year) === null)
