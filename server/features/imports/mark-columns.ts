import { importFailures } from '@markbook/shared/contract/imports'
import type { Issue } from '@markbook/shared/failures'
import { columnKey } from '@markbook/shared/spreadsheet/column-key'
import { findColumns, type Sheet } from '@markbook/shared/spreadsheet/table'
import type { Row } from '@markbook/shared/tables/tables'
import { assessmentHeads, type MarksheetColumn, readMarksheet } from '../../documents/marksheet.ts'
import { fault } from './faults.ts'
import { type Heading, unreadColumns } from './import-report.ts'
import { demandWho } from './pupil-rows.ts'

/** `studentsOfSet`: for an assessment of a teaching set, its students. */
type Assessment = Row<'assessment'> & { studentsOfSet?: ReadonlySet<string> }

/** The columns that identify a row's student; '' and null where the row has none. */
export type StudentCells = { student_id: string | null; student_number: string; last_name: string; first_name: string }
/** One mark as written. `column` and `remarksColumn`: the headings at which issues are reported. */
export type WrittenMark = { assessment: Assessment; column: string; score: string; remarks: string }
export type MarkRow = { row: number; who: StudentCells; marks: WrittenMark[] }
export type MarkTable = { rows: MarkRow[]; heading: Heading }

const WHO_COLUMNS = ['student_id', 'student_number', 'last_name', 'first_name'] as const
const MARK_COLUMNS = ['score', 'remarks'] as const

/** For each assessment, the index in `cells` of its score, and of its remarks, if any. */
type Columns = { scores: { at: number; head: string; assessment: Assessment }[]; remarks: number | undefined; heading: Heading }

/** Finds an assessment by the id hidden under the heading, else by a heading in the form of the mark sheet, else by a unique title. */
function assessmentFinder(assessments: readonly Assessment[]) {
  const heads = assessmentHeads(assessments)
  const byHead = new Map(assessments.map((assessment, at) => [columnKey(heads[at] as string), assessment]))
  const byId = new Map(assessments.map((assessment) => [assessment.id, assessment]))
  return ({ assessmentId, head }: MarksheetColumn): Assessment | undefined => {
    if (assessmentId !== null) return byId.get(assessmentId)
    const titled = assessments.filter(({ title }) => columnKey(title) === columnKey(head))
    return byHead.get(columnKey(head)) ?? (titled.length === 1 ? titled[0] : undefined)
  }
}

/** The columns of a whole mark sheet: one for each assessment of the class, subject and term. */
export function sheetColumns(columns: readonly MarksheetColumn[], assessments: readonly Assessment[]): Columns {
  const find = assessmentFinder(assessments)
  const scores: Columns['scores'] = []
  const errors: Issue[] = []
  const unread: string[] = []
  for (const column of columns) {
    const assessment = find(column)
    const twin = scores.find((other) => other.assessment === assessment)
    if (twin) errors.push(fault(column.head, 'twin_column', { head: twin.head }))
    else if (assessment) scores.push({ at: column.column, head: column.head, assessment })
    else if (column.assessmentId) errors.push(fault(column.head, 'other_sheet'))
    else unread.push(column.head)
  }
  if (scores.length === 0 && errors.length === 0) {
    throw importFailures.missingColumns({
      message: 'No column of this table is an assessment of that class or teaching set in that subject and term.',
    })
  }
  return { scores, remarks: undefined, heading: { errors, notes: unreadColumns(unread) } }
}

/** The columns of a table for one assessment: `score` and `remarks`, or the assessment's own column of a mark sheet. */
export function assessmentColumns(sheet: Sheet, columns: readonly MarksheetColumn[], assessment: Assessment): Columns {
  const named = findColumns(sheet, MARK_COLUMNS)
  const find = assessmentFinder([assessment])
  // Two columns may be meant, and nothing shows which.
  const [own, twin] = named.has('score') ? [] : columns.filter((column) => find(column))
  const score = named.get('score') ?? own?.column
  if (score === undefined) throw importFailures.missingColumns({ message: 'The table needs the column score.' })
  const errors = own && twin ? [fault(twin.head, 'twin_column', { head: own.head })] : []
  const unread = columns.filter((other) => ![score, twin?.column, named.get('remarks')].includes(other.column))
  return {
    scores: [{ at: score, head: sheet.head[score] as string, assessment }],
    remarks: named.get('remarks'),
    heading: { errors, notes: unreadColumns(unread.map(({ head }) => head)) },
  }
}

/** Reads the rows of marks; `columnsOf` finds the columns. Throws imports.missing_columns where no column identifies the students. */
export function markTable(sheet: Sheet, columnsOf: (columns: readonly MarksheetColumn[]) => Columns): MarkTable {
  const who = findColumns(sheet, WHO_COLUMNS)
  if (!who.has('student_id')) demandWho(who)
  const { assessments, rows } = readMarksheet(sheet)
  const { scores, remarks, heading } = columnsOf(assessments)
  const cellsOf = new Map(sheet.rows.map(({ row, cells }) => [row, cells]))
  return {
    heading,
    rows: rows.map(({ row, studentId, marks: _marks, ...names }) => {
      const cell = (at: number | undefined) => (at === undefined ? '' : (cellsOf.get(row)?.[at] ?? ''))
      const marks = scores.map(({ at, head, assessment }) => ({ assessment, column: head, score: cell(at), remarks: cell(remarks) }))
      return { row, who: { student_id: studentId, ...names }, marks }
    }),
  }
}
