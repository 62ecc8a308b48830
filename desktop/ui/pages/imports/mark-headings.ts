import { columnKey } from '@markbook/shared/spreadsheet/column-key'
import { type Column, guessColumns, isSameHeading } from './headings.ts'

/** The columns that identify the pupil of a row; a missing one can be filled in here. */
export const WHO = ['student_number', 'last_name', 'first_name'] as const
type Who = (typeof WHO)[number]

/** The column that the person chose among several with one heading. */
export type WhoChosen = Readonly<Partial<Record<Who, number>>>

/**
 * The places of the columns that identify the pupil. The server finds its own names itself. Else both names are used, or without them the
 * number, by a school's headings. A number beside both names is ignored, since it is often the number of the line.
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

/** Whether no heading identifies the pupils, so that the server would refuse the table. */
export function isNobodyIn(head: readonly string[]): boolean {
  const { isServers, places } = whoIn(head)
  return !isServers && places.length === 0
}

/** The identifying columns whose heading occurs several times: a person must choose. */
export const whoChoices = (head: readonly string[]): { column: Who; heading: string; among: number[] }[] =>
  whoIn(head).places.flatMap(([column, at]) => {
    const heading = head[at] ?? ''
    const among = head.flatMap((other, place) => (isSameHeading(other, heading) ? [place] : []))
    return among.length > 1 ? [{ column, heading, among }] : []
  })

/**
 * The server's names for the identifying columns, at their places; empty for a column that would be taken for the chosen one. No entries
 * where the server finds them itself.
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
