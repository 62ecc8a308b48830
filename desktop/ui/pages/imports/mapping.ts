import { fold } from '@markbook/shared/domain/fold'
import { type Corrections, untouched } from './corrections.ts'
import type { CellEdit, ReadTable } from './csv.ts'
import { type Column, columns } from './headings.ts'

/** The meaning of each column of a file; null where it is not used. */
export type Mapping = readonly (Column | null)[]

const genderWords = {
  male: ['male', 'm', 'boy', 'b', 'man', 'masculin', 'garçon', 'g', 'homme', 'h', 'ذكر', 'ولد', 'صبي'],
  female: ['female', 'f', 'girl', 'woman', 'féminin', 'féminine', 'fille', 'femme', 'أنثى', 'انثى', 'بنت'],
  other: ['other', 'o', 'x', 'autre', 'non binary', 'non-binary', 'non binaire', 'غير ذلك'],
} as const
/** Folded like the texts to look up; folding separates some Arabic letters. */
const GENDERS: ReadonlyMap<string, string> = new Map(
  Object.entries(genderWords).flatMap(([gender, words]) => words.map((word) => [fold(word), gender] as const)),
)

/** A gender as the server writes it; an unknown word unchanged, which the server reports. */
export const genderOf = (text: string): string => GENDERS.get(fold(text).replace(/\.$/, '').trim()) ?? text

/** The number of columns of the widest row. */
const widthOf = ({ lines }: ReadTable): number => lines.reduce((most, { cells }) => Math.max(most, cells.length), 0)

/** The headings, one for each column of the table; empty where there is none. */
export const headOf = (table: ReadTable): string[] => Array.from({ length: widthOf(table) }, (_, at) => table.lines[0]?.cells[at] ?? '')

/** The index of a column in the table, or beyond its last column where the table does not have it; null where `path` is no column. */
export function columnAt(table: ReadTable, mapping: Mapping, path: string): number | null {
  const column = columns.find((one) => one === path)
  if (!column) return null
  const at = mapping.indexOf(column)
  return at >= 0 ? at : widthOf(table) + columns.indexOf(column)
}

/**
 * The file with the server's names as headings, empty headings for unused columns, and the corrections, also in columns that the table does
 * not have.
 */
export function fileFor(table: ReadTable, mapping: Mapping, { texts, ...without }: Corrections = untouched): File {
  const gender = columnAt(table, mapping, 'gender')
  const width = widthOf(table)
  const edits: CellEdit[] = mapping.map((name, column) => ({ row: 1, column, text: name ?? '' }))
  for (const { row, cells } of table.lines.slice(1)) {
    const text = cells[gender ?? -1] ?? ''
    if (text !== '' && genderOf(text) !== text) edits.push({ row, column: gender ?? 0, text: genderOf(text) })
  }
  for (const added of new Set(texts.map(({ column }) => column).filter((column) => column >= width)))
    edits.push({ row: 1, column: added, text: columns[added - width] ?? '' })
  for (const edit of texts) edits.push(edit.column === gender ? { ...edit, text: genderOf(edit.text) } : edit)
  return table.rewritten(edits, without)
}

/** The texts of the columns with days. */
export const dayTexts = ({ lines }: ReadTable, mapping: Mapping): string[] =>
  DAYS.flatMap((column) => {
    const at = mapping.indexOf(column)
    return at < 0 ? [] : lines.slice(1).flatMap(({ cells }) => cells[at] || [])
  })

/** Why a mapping cannot be sent: columns that are assigned twice (`twice`), or no column that identifies the pupil (`isNobody`). */
export function faultsOf(mapping: Mapping): { twice: Column[]; isNobody: boolean } {
  const named = mapping.filter((column) => column !== null)
  const twice = named.filter((column, at) => named.indexOf(column) < at)
  const has = (column: Column) => named.includes(column)
  return { twice: [...new Set(twice)], isNobody: !has('student_number') && !(has('last_name') && has('first_name')) }
}

/** The pupil of each row: «Murphy, Aoife», else the number, else an empty text. */
export function pupilsByRow({ lines }: ReadTable, mapping: Mapping): ReadonlyMap<number, string> {
  const [last, first, number] = (['last_name', 'first_name', 'student_number'] as const).map((column) => mapping.indexOf(column))
  return new Map(
    lines.slice(1).map(({ row, cells }) => {
      const name = [last, first].map((at) => cells[at ?? -1] ?? '').filter(Boolean)
      return [row, name.join(', ') || (cells[number ?? -1] ?? '')]
    }),
  )
}

/** The first three rows with their used columns, as they will be read. */
export function firstRows(table: ReadTable, mapping: Mapping): { columns: Column[]; rows: { row: number; texts: string[] }[] } {
  const used = mapping.flatMap((column, at) => (column === null ? [] : [{ column, at }]))
  const rows = table.lines.slice(1, 4).map(({ row, cells }) => ({
    row,
    texts: used.map(({ column, at }) => {
      const text = cells[at] ?? ''
      return column === 'gender' ? genderOf(text) : text
    }),
  }))
  return { columns: used.map(({ column }) => column), rows }
}

const DAYS: readonly Column[] = ['date_of_birth', 'enrollment_date']
export const isDayColumn = (column: Column): boolean => DAYS.includes(column)

/** The first texts of a column, as examples. */
export function examplesOf({ lines }: ReadTable, at: number, count = 2): string[] {
  const texts = lines.slice(1).flatMap(({ cells }) => cells[at] || [])
  return [...new Set(texts)].slice(0, count)
}
