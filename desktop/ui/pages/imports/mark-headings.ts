import { columnKey } from '@markbook/shared/spreadsheet/column-key'
import { type Column, guessColumns, isSameHeading } from './headings.ts'

/** Columns that say whose marks a row holds: one that the table lacks can be filled in here. */
export const WHO = ['student_number', 'last_name', 'first_name'] as const
type Who = (typeof WHO)[number]

/** Which column of several under one heading a person has chosen. */
export type WhoChosen = Readonly<Partial<Record<Who, number>>>

/**
 * Where the columns stand that say whose a row is. The server finds them itself by its own names; else both names count, else the number, under a
 * school's own headings. A number beside both names is left alone: it is often that of the line.
 */
function whoIn(head: readonly string[]): { isServers: boolean; places: readonly (readonly [Who, number])[] } {
  const placesIn = (columns: readonly (string | null)[], names: readonly Who[]) =>
    names.flatMap((name) => (columns.includes(name) ? [[name, columns.indexOf(name)] as const] : []))
  const keys = head.map(columnKey)
  if (keys.includes('student_id')) return { isServers: true, places: [] }
  const byKeys = placesIn(keys, WHO)
  if (keys.includes('student_number') || byKeys.length > 1) return { isServers: true, places: byKeys }
  const guessed = guessColumns(head)
  const names = placesIn(guessed, ['last_name', 'first_name'])
  return { isServers: false, places: names.length > 1 ? names : placesIn(guessed, ['student_number']) }
}

/** The columns of which the heading says what they are, and which a table has several times: only a person knows which is meant. */
export const whoChoices = (head: readonly string[]): { column: Who; heading: string; among: number[] }[] =>
  whoIn(head).places.flatMap(([column, at]) => {
    const heading = head[at] ?? ''
    const among = head.flatMap((other, place) => (isSameHeading(other, heading) ? [place] : []))
    return among.length > 1 ? [{ column, heading, among }] : []
  })

/**
 * The server's names of the columns of a table of marks that say whose a row is, at their places; an empty one for a column that would be taken for
 * the chosen one. None where the server finds them itself.
 */
export function whoColumns(head: readonly string[], chosen: WhoChosen = {}): (Column | '' | undefined)[] {
  const { isServers, places } = whoIn(head)
  const choices = whoChoices(head)
  if (isServers && choices.length === 0) return []
  const named: (Column | '' | undefined)[] = head.map(() => undefined)
  for (const { column, among } of choices) for (const at of among) if (columnKey(head[at] ?? '') === column) named[at] = ''
  for (const [column, at] of places) named[chosen[column] ?? at] = column
  return named
}
