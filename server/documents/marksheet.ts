import { importFailures } from '@markbook/shared/contract/imports'
import { codeNamed, type MarkCode } from '@markbook/shared/domain/mark-codes'
import { isId } from '@markbook/shared/ids'
import { columnKey, MARK_SHEET } from '@markbook/shared/spreadsheet/column-key'
import type { Sheet, SheetRow } from '@markbook/shared/spreadsheet/table'
import type { WorkbookColumn, WorkbookRow, WorkbookSheet } from './workbook.ts'

/*
 * The layout of a mark sheet. A teacher may rename, move and sort the visible cells. The import needs hidden ones, which move with them:
 * column A has the student's id in each row, and row 2 the assessment's id under each head. Row 2 is recognised by the mark in its column
 * A rather than by its number, because sorting may move it.
 */

const ID_HEAD = 'student_id'
const ID_ROW_MARK = 'assessment_id'

/** Worksheets that an import of marks prefers to the first one. */
export const MARKSHEET_NAMES = [MARK_SHEET] as const

type MarksheetStudent = { id: string; student_number: string | null; last_name: string; first_name: string }
export type MarksheetAssessment = { id: string; title: string; max_score: number; is_excluded: boolean }
type MarksheetMark = { assessment_id: string; student_id: string; score: number | null; status: string | null; is_excluded: boolean }
export type MarksheetInput = {
  students: readonly MarksheetStudent[]
  assessments: readonly MarksheetAssessment[]
  marks: readonly MarksheetMark[]
  codes: readonly MarkCode[]
}

/** `column`: index in `cells`; `assessmentId` is null where the hidden row is gone or the teacher added the column. */
export type MarksheetColumn = { column: number; head: string; assessmentId: string | null }

/** Heads of the assessments in order, such as «Quiz 1 (/20)»; a second one with the same title and maximum becomes «Quiz 1 (/20) 2». */
export function assessmentHeads(assessments: readonly Pick<MarksheetAssessment, 'title' | 'max_score'>[]): string[] {
  const taken = new Set<string>(['student_id', 'student_number', 'last_name', 'first_name'])
  return assessments.map(({ title, max_score }) => {
    const plain = `${title} (/${max_score})`
    let head = plain
    for (let count = 2; taken.has(columnKey(head)); count += 1) head = `${plain} ${count}`
    taken.add(columnKey(head))
    return head
  })
}

const STUDENT_COLUMNS: WorkbookColumn[] = [
  { head: ID_HEAD, key: ID_HEAD, width: 10, kind: 'text', isHidden: true },
  { head: 'student_number', key: 'student_number', width: 16, kind: 'text' },
  { head: 'last_name', key: 'last_name', width: 22, kind: 'text' },
  { head: 'first_name', key: 'first_name', width: 22, kind: 'text' },
]

function assessmentColumns(assessments: readonly MarksheetAssessment[]): WorkbookColumn[] {
  const heads = assessmentHeads(assessments)
  return assessments.map(({ id, is_excluded }, index) => {
    const head = heads[index] as string
    return { head, key: id, width: Math.min(Math.max(head.length + 2, 10), 40), kind: 'number', isMuted: is_excluded }
  })
}

/** Omits a code beside a score, so that the cell stays a number; the import keeps the code where the number is unchanged. */
function cellOf({ score, status }: MarksheetMark, codes: readonly MarkCode[]): number | string | null {
  if (status === null || codeNamed(codes, status)?.effect === 'with_score') return score ?? status
  return score === null ? status : `${score} ${status}`
}

function studentRow({ id, ...names }: MarksheetStudent, marks: readonly MarksheetMark[], codes: readonly MarkCode[]): WorkbookRow {
  const scores = marks.map((mark) => [mark.assessment_id, cellOf(mark, codes)] as const)
  const muted = marks.filter(({ is_excluded }) => is_excluded).map(({ assessment_id }) => assessment_id)
  return { cells: { [ID_HEAD]: id, ...names, ...Object.fromEntries(scores) }, muted }
}

/** The mark sheet of a class in a subject and term; students and assessments in the order given. A missing mark is an empty cell. */
export function buildMarksheet({ students, assessments, marks, codes }: MarksheetInput): WorkbookSheet {
  const marksByStudentId = new Map<string, MarksheetMark[]>(students.map(({ id }) => [id, []]))
  for (const mark of marks) marksByStudentId.get(mark.student_id)?.push(mark)
  const ids = Object.fromEntries(assessments.map(({ id }) => [id, id]))
  return {
    name: MARK_SHEET,
    columns: [...STUDENT_COLUMNS, ...assessmentColumns(assessments)],
    rows: [
      { cells: { [ID_HEAD]: ID_ROW_MARK, ...ids }, isHidden: true },
      ...students.map((student) => studentRow(student, marksByStudentId.get(student.id) ?? [], codes)),
    ],
    frozenColumns: STUDENT_COLUMNS.length,
    wrapsHeads: true,
    notes: assessments
      .filter(({ is_excluded }) => is_excluded)
      .map(({ id }) => ({ key: id, text: 'This assessment is excluded: its marks do not count.' })),
  }
}

const idOf = (text: string | undefined): string | null => (text !== undefined && isId(text.toLowerCase()) ? text.toLowerCase() : null)

function refuseDuplicates(assessments: readonly MarksheetColumn[]): void {
  const headsById = new Map<string, string>()
  for (const { assessmentId, head } of assessments) {
    if (assessmentId === null) continue
    const first = headsById.get(assessmentId)
    if (first !== undefined) {
      throw importFailures.duplicateColumn({
        message: `The columns “${first}” and “${head}” are for the same assessment. Remove one of them.`,
      })
    }
    headsById.set(assessmentId, head)
  }
}

/**
 * Reads a returned mark sheet. Columns and rows may be in any order and heads renamed, as long as the ids are there. Throws
 * imports.duplicate_column (400) where a column was copied.
 */
export function readMarksheet(sheet: Sheet) {
  const keys = sheet.head.map(columnKey)
  const at = (key: string) => keys.indexOf(key)
  const idColumn = at(ID_HEAD)
  const isIdRow = ({ cells }: SheetRow) => cells.includes(ID_ROW_MARK)
  const ids = sheet.rows.find(isIdRow)?.cells ?? []
  const known = new Set([idColumn, at('student_number'), at('last_name'), at('first_name')])
  const assessments = sheet.head
    .map((head, column) => ({ column, head, assessmentId: idOf(ids[column]) }))
    .filter(({ column, head, assessmentId }) => !known.has(column) && (head !== '' || assessmentId !== null))
  refuseDuplicates(assessments)
  const rows = sheet.rows
    .filter((row) => !isIdRow(row))
    .map(({ row, cells }) => ({
      row,
      studentId: idOf(cells[idColumn]),
      student_number: cells[at('student_number')] ?? '',
      last_name: cells[at('last_name')] ?? '',
      first_name: cells[at('first_name')] ?? '',
      marks: assessments.flatMap(({ column, assessmentId }) =>
        assessmentId === null ? [] : [{ assessmentId, text: cells[column] ?? '' }],
      ),
    }))
  return { assessments, rows }
}
