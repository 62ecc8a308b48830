import type { ImportReport } from '@markbook/shared/contract/imports'
import type { Corrections } from './corrections.ts'
import type { ReadTable } from './csv.ts'

type ReportRow = ImportReport['rows'][number]
export type Issue = ReportRow['issues'][number]

/** A table to import, and how to read its report. */
export type Source = {
  /** The file as it was read. */
  file: File
  /** Null where only the server can read it: then it cannot be corrected here. */
  table: ReadTable | null
  /** The name of the pupil in each row. */
  pupils: ReadonlyMap<number, string>
  fileWith: (corrections: Corrections) => File
  /** Sends the table. A dry run reports every row and changes nothing; otherwise it writes everything or nothing. */
  send: (form: FormData, dryRun: boolean) => Promise<ImportReport>
  /** The columns of the table for the server's name `path`: several with the same heading, none where none can be corrected. */
  columnsOf: (path: string) => readonly number[]
  headingOf: (path: string) => string
  headingAt: (column: number) => string
}

/** A cell that can be edited. `issue`: what is wrong with it; null where nothing is (any more). */
export type Field = { column: number; issue: Issue | null; text: string }
export type Listed = {
  row: number
  /** `awaitsClass`: the row will be taken once its class is made, which is offered above. */
  state: ReportRow['action'] | 'leftOut' | 'awaitsClass'
  /** Faults that no cell of the table can correct. */
  issues: Issue[]
  fields: Field[]
  /** For a fault in the headings, its columns. */
  columns: number[]
}

const HEADING_ROW = 1
/** A row that is taken, but has a note that a person should see first. */
const isNoted = ({ row, action, issues }: ReportRow): boolean =>
  row !== HEADING_ROW && (action === 'update' || action === 'unchanged') && issues.length > 0
/** Whether nothing but a missing class is wrong with a row. */
const awaitsClass = ({ action, issues }: ReportRow): boolean => action === 'error' && issues.every(({ code }) => code === 'no_class')
/** The student number corrects these faults. */
const NUMBER_MENDS = new Set(['two_alike', 'birth_missing', 'several_here'])

/**
 * The rows that a person must see: faults, notes, and corrected and left out rows, in the order of the table; then new and changed rows.
 * Unchanged rows without a note are not listed.
 */
export function listedRows(report: ImportReport, corrections: Corrections, source: Source): Listed[] {
  const edited = new Set(corrections.texts.map(({ row }) => row))
  const cells = new Map((source.table?.lines ?? []).map((line) => [line.row, line.cells]))
  const textOf = (row: number, column: number) =>
    corrections.texts.find((edit) => edit.row === row && edit.column === column)?.text ?? cells.get(row)?.[column] ?? ''

  const columnsOf = (path: string) => source.columnsOf(path).filter((column) => !corrections.columns.has(column))

  const listed = (one: ReportRow): Listed => {
    const { row, action, issues } = one
    const fields = new Map<number, Field>()
    const put = (path: string, issue: Issue | null) => {
      const column = source.table && row !== HEADING_ROW ? (columnsOf(path)[0] ?? null) : null
      if (column !== null && !fields.get(column)?.issue) fields.set(column, { column, issue, text: textOf(row, column) })
      return column !== null
    }
    const others = issues.filter((issue) => !put(issue.path, issue))
    for (const { code } of issues) if (code && NUMBER_MENDS.has(code)) put('student_number', null)
    for (const edit of corrections.texts) {
      if (edit.row === row && !fields.has(edit.column)) fields.set(edit.column, { column: edit.column, issue: null, text: edit.text })
    }
    const ofHeading = row === HEADING_ROW && source.table ? issues.flatMap(({ path }) => columnsOf(path)) : []
    return {
      row,
      state: awaitsClass(one) ? 'awaitsClass' : action,
      issues: others,
      fields: [...fields.values()],
      columns: [...new Set(ofHeading)],
    }
  }
  const leftOut = [...corrections.rows].map((row): Listed => ({ row, state: 'leftOut', issues: [], fields: [], columns: [] }))
  // The report may be older than the corrections.
  const rows = report.rows.filter(({ row }) => !corrections.rows.has(row))
  const [first, then] = [
    rows.filter((one) => one.action === 'error' || edited.has(one.row) || isNoted(one)),
    rows.filter((one) => (one.action === 'create' || one.action === 'update') && !edited.has(one.row) && !isNoted(one)),
  ]
  return [...[...first.map(listed), ...leftOut].sort((a, b) => a.row - b.row), ...then.map(listed)]
}

/** The number of rows that will be taken once their classes are made. */
export const rowsAwaitingClasses = ({ rows }: Pick<ImportReport, 'rows'>): number => rows.filter(awaitsClass).length

/** The faulty rows that can be left out. */
export const faultyRows = ({ rows }: ImportReport): number[] =>
  rows.filter((one) => one.action === 'error' && one.row !== HEADING_ROW && !awaitsClass(one)).map(({ row }) => row)
