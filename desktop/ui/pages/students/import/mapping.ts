import { fold } from '@markbook/shared/domain/fold'
import type { CellEdit, ReadTable } from './csv.ts'
import type { Column } from './headings.ts'

/** The meaning of each column of a file; null where it is not used. */
export type Mapping = readonly (Column | null)[]

const GENDERS: Readonly<Record<string, 'male' | 'female' | 'other'>> = Object.fromEntries([
  ...['male', 'm', 'boy', 'b', 'man', 'masculin', 'garcon', 'g', 'homme', 'h'].map((word) => [word, 'male'] as const),
  ...['female', 'f', 'girl', 'woman', 'feminin', 'feminine', 'fille', 'femme'].map((word) => [word, 'female'] as const),
  ...['other', 'o', 'x', 'autre', 'non binary', 'non-binary', 'non binaire'].map((word) => [word, 'other'] as const),
])

/** A gender as the server writes it. An unknown word is kept, and the server reports it. */
export const genderOf = (text: string): string => GENDERS[fold(text).replace(/\.$/, '').trim()] ?? text

/** The width of a table: its widest row. */
const widthOf = ({ lines }: ReadTable): number => lines.reduce((most, { cells }) => Math.max(most, cells.length), 0)

export const headOf = (table: ReadTable): string[] => Array.from({ length: widthOf(table) }, (_, at) => table.lines[0]?.cells[at] ?? '')

/** The file with the server's names as headings, and empty headings for unused columns. */
export function fileFor(table: ReadTable, mapping: Mapping): File {
  const gender = mapping.indexOf('gender')
  const edits: CellEdit[] = mapping.map((name, column) => ({ row: 1, column, text: name ?? '' }))
  for (const { row, cells } of gender < 0 ? [] : table.lines.slice(1)) {
    const text = cells[gender] ?? ''
    if (text !== '' && genderOf(text) !== text) edits.push({ row, column: gender, text: genderOf(text) })
  }
  return table.rewritten(edits)
}

/** Why a mapping cannot be sent: columns that are assigned twice, and whether no column identifies the pupil. */
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

/** The first rows as they will be read, with their used columns. */
export function firstRows(table: ReadTable, mapping: Mapping, count = 3): { columns: Column[]; rows: { row: number; texts: string[] }[] } {
  const used = mapping.flatMap((column, at) => (column === null ? [] : [{ column, at }]))
  const rows = table.lines.slice(1, count + 1).map(({ row, cells }) => ({
    row,
    texts: used.map(({ column, at }) => {
      const text = cells[at] ?? ''
      return column === 'gender' ? genderOf(text) : shownText(text, column)
    }),
  }))
  return { columns: used.map(({ column }) => column), rows }
}

const DAYS: readonly (Column | null)[] = ['date_of_birth', 'enrollment_date']
const DAY_ZERO = Date.UTC(1899, 11, 30)

/** The first texts of a column, as examples. A day that a spreadsheet stores as a number is shown as a day. */
export function examplesOf({ lines }: ReadTable, at: number, column: Column | null, count = 2): string[] {
  const texts = lines.slice(1).flatMap(({ cells }) => cells[at] || [])
  return [...new Set(texts)].slice(0, count).map((text) => shownText(text, column))
}

const shownText = (text: string, column: Column | null): string =>
  DAYS.includes(column) && /^\d{4,5}$/.test(text) ? new Date(DAY_ZERO + Number(text) * 86_400_000).toISOString().slice(0, 10) : text
