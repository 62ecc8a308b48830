import { columnKey } from '@markbook/shared/spreadsheet/column-key'
import { type Column, guessColumns } from './headings.ts'

/** Columns that say whose marks a row holds: one that the table lacks can be filled in here. */
export const WHO = ['student_number', 'last_name', 'first_name'] as const

/**
 * The server's names of the columns of a table of marks that say whose a row is, at their places: both names, else the number, under a school's
 * own headings. None where the server finds them itself. A number beside both names is left alone: it is often that of the line.
 */
export function whoColumns(head: readonly string[]): (Column | undefined)[] {
  const keys = head.map(columnKey)
  const has = (columns: readonly string[], ...wanted: readonly string[]) => wanted.every((name) => columns.includes(name))
  if (['student_id', 'student_number'].some((name) => keys.includes(name)) || has(keys, 'last_name', 'first_name')) return []
  const guessed = guessColumns(head)
  const names = guessed.flatMap((column) => column ?? [])
  const used: readonly Column[] = has(names, 'last_name', 'first_name') ? ['last_name', 'first_name'] : ['student_number']
  return guessed.map((column) => used.find((name) => name === column))
}
