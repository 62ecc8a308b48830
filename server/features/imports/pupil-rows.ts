import { importFailures } from '@markbook/shared/contract/imports'
import { StudentInput } from '@markbook/shared/contract/students'
import type { Issue } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { type DayForm, dayReader, type ReadDay } from '@markbook/shared/spreadsheet/days'
import { findColumns, type Sheet, type SheetRow } from '@markbook/shared/spreadsheet/table'
import type { Row } from '@markbook/shared/tables/tables'
import type { z } from 'zod'
import { fault } from './faults.ts'

const TEXT_COLUMNS = {
  first_name: StudentInput.shape.firstName,
  last_name: StudentInput.shape.lastName,
  student_number: StudentInput.shape.studentNumber,
}
const DAY_COLUMNS = ['date_of_birth', 'enrollment_date'] as const
export const PUPIL_COLUMNS = ['first_name', 'last_name', 'gender', ...DAY_COLUMNS, 'student_number', 'class'] as const
type Column = (typeof PUPIL_COLUMNS)[number]

type Gender = Row<'student'>['gender']
const GENDERS: Readonly<Record<string, Gender>> = { male: 'male', m: 'male', female: 'female', f: 'female', other: 'other', o: 'other' }

/** The fields of a pupil in a row; absent where the cell is empty. */
export type PupilFields = { [C in keyof typeof TEXT_COLUMNS | (typeof DAY_COLUMNS)[number]]?: string } & { gender?: Gender }
export type PupilRow = { row: number; fields: PupilFields; className: string | undefined; issues: Issue[] }
export type PupilTable = { rows: PupilRow[]; unread: string[] }

/** Throws imports.missing_columns where no column identifies the pupils. */
export function demandWho(columns: ReadonlyMap<string, unknown>): void {
  if (columns.has('student_number') || (columns.has('last_name') && columns.has('first_name'))) return
  throw importFailures.missingColumns({ message: 'The table needs the columns last_name and first_name, or student_number.' })
}

/** A text is at fault where it is too long or has invisible characters. */
function textFault(column: string, schema: z.ZodType, text: string): Issue | undefined {
  if (schema.safeParse(text).success) return undefined
  const max = column === 'student_number' ? limits.text.studentNumber : limits.text.name
  return [...text].length > max ? fault(column, 'too_long', { max }) : fault(column, 'unreadable')
}

type Read = { cell: (column: Column) => string; day: (text: string) => ReadDay; row: number }

function pupilRow({ cell, day, row }: Read): PupilRow {
  const fields: PupilFields = {}
  const issues: Issue[] = []
  for (const [column, schema] of Object.entries(TEXT_COLUMNS) as [keyof typeof TEXT_COLUMNS, z.ZodType][]) {
    if (cell(column) === '') continue
    const found = textFault(column, schema, cell(column))
    if (found) issues.push(found)
    else fields[column] = cell(column)
  }
  const gender = GENDERS[cell('gender').toLowerCase()]
  if (gender) fields.gender = gender
  else if (cell('gender') !== '') issues.push(fault('gender', 'gender', { text: cell('gender') }))
  for (const column of DAY_COLUMNS) {
    if (cell(column) === '') continue
    const read = day(cell(column))
    if (read.ok) fields[column] = read.value
    else issues.push(fault(column, read.code, { text: cell(column) }))
  }
  return { row, fields, className: cell('class') || undefined, issues }
}

/**
 * The pupils of a table, and the headings of unknown columns. Throws imports.missing_columns where no column identifies the pupils,
 * imports.duplicate_column for a repeated one. `days`: the notation of days that the table leaves ambiguous.
 */
export function pupilTable(sheet: Sheet, days?: DayForm): PupilTable {
  const columns = findColumns(sheet, PUPIL_COLUMNS)
  demandWho(columns)
  const cellOf = ({ cells }: SheetRow, column: Column): string => {
    const at = columns.get(column)
    return at === undefined ? '' : (cells[at] ?? '')
  }
  const written = sheet.rows.flatMap((row) => DAY_COLUMNS.map((column) => cellOf(row, column)))
  const day = dayReader(written, days)
  const known = new Set(columns.values())
  return {
    rows: sheet.rows.map((row) => pupilRow({ cell: (column) => cellOf(row, column), day, row: row.row })),
    unread: sheet.head.filter((head, at) => head !== '' && !known.has(at)),
  }
}
