import { Remark, Score } from '@markbook/shared/contract/scalars'
import { parseDecimal } from '@markbook/shared/domain/decimal'
import { type MarkCode, markAfter, readMarkText } from '@markbook/shared/domain/mark-codes'
import { isFor } from '@markbook/shared/domain/marks'
import type { Issue } from '@markbook/shared/failures'
import { groupedBy } from '@markbook/shared/grouped-by'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { MarkChange } from '../grades/grades.policy.ts'
import { fault } from './faults.ts'
import { type PlannedReport, type ReportRow, reportOf } from './import-report.ts'
import type { MarkRow, MarkTable, WrittenMark } from './mark-columns.ts'
import { type Candidate, ownerFinder } from './mark-owners.ts'

type Grade = Row<'grade'>
type NewMark = MarkChange & { assessmentId: string; studentId: string }
export type GradesPlan = {
  report: PlannedReport
  /** The marks to record, by assessment: only those that change something. */
  marks: ReadonlyMap<string, NewMark[]>
  /** The students for whom the table contains a mark, changed or not. */
  marked: ReadonlySet<string>
}

type Read = { score?: number; status?: string; remarks?: string }

/** The score or code, and the remarks, of a mark; null for an empty cell. */
function readMark({ assessment, column, score: typed, remarks }: WrittenMark, codes: readonly MarkCode[]): { read: Read; issues: Issue[] } {
  const read: Read = {}
  const issues: Issue[] = []
  const { score, code } = readMarkText(typed, codes)
  if (code) read.status = code.code
  if (score !== '') {
    const parsed = parseDecimal(score, limits.score.decimals)
    const inRange = parsed.ok ? Score.safeParse(parsed.value) : undefined
    if (!parsed.ok) issues.push(fault(column, parsed.reason, { decimals: limits.score.decimals }))
    else if (!inRange?.success) issues.push({ path: column, message: inRange?.error.issues[0]?.message ?? '' })
    else if (parsed.value > assessment.max_score) issues.push(fault(column, 'above_maximum', { max: assessment.max_score }))
    else read.score = parsed.value
  }
  if (remarks !== '') {
    const wrong = Remark.safeParse(remarks).error?.issues[0]?.message
    if (wrong) issues.push({ path: 'remarks', message: wrong })
    else read.remarks = remarks
  }
  return { read, issues }
}

/**
 * Whether the assessment is for the pupil (decisions §4): one of a class for that class, one of a teaching set for its students and for
 * anybody with a mark in it.
 */
const sits = ({ id, group_id }: Candidate, { student_group_id, ...assessment }: WrittenMark['assessment'], before: Grade | undefined) =>
  (student_group_id === null || student_group_id === group_id) && isFor(assessment, id, () => before !== undefined)

const keyOf = (assessmentId: string, studentId: string) => `${assessmentId}:${studentId}`
const isEmpty = ({ score, remarks }: WrittenMark) => score === '' && remarks === ''
const isNobody = ({ who }: MarkRow) => who.student_id === null && !who.student_number && !who.last_name && !who.first_name

/** The effect of one mark on the existing grade: a mark to record, an issue, or nothing. */
function effectOf(
  { remarks, ...entered }: Read,
  before: Grade | undefined,
  column: string,
  codes: readonly MarkCode[],
): { mark?: MarkChange; issue?: Issue } {
  const isEmpty = entered.score === undefined && entered.status === undefined
  if (isEmpty && !before) return remarks === undefined ? {} : { issue: fault('remarks', 'no_score') }
  const after = markAfter(before ?? null, entered, codes)
  if (typeof after === 'string') return { issue: fault(column, 'code_or_score') }
  const isSame = before?.score === after.score && before.status === after.status && (remarks === undefined || remarks === before.remarks)
  return isSame ? {} : { mark: { ...entered, remarks } }
}

/** Plans the import of a table of marks, row by row, without writing. */
export function planGrades(
  { rows, heading }: MarkTable,
  candidates: readonly Candidate[],
  grades: readonly Grade[],
  codes: readonly MarkCode[],
): GradesPlan {
  const ownerOf = ownerFinder(candidates)
  const known = new Map(grades.map((grade) => [keyOf(grade.assessment_id, grade.student_id), grade]))
  const rowOf = new Map<string, number>()
  const marks: NewMark[] = []
  const marked = new Set<string>()

  const planRow = ({ row, who, marks: written }: MarkRow): ReportRow => {
    const owner = ownerOf(who)
    if ('issue' in owner) return { row, action: 'error', issues: [owner.issue] }
    const { id } = owner.candidate
    const earlier = rowOf.get(id)
    if (earlier) return { row, action: 'error', issues: [fault('last_name', 'again', { row: earlier })] }
    rowOf.set(id, row)
    if (!written.every(isEmpty)) marked.add(id)
    const issues: Issue[] = []
    let action: ReportRow['action'] = 'unchanged'
    for (const each of written) {
      const before = known.get(keyOf(each.assessment.id, id))
      const { read, issues: wrong } = readMark(each, codes)
      const { mark, issue } = wrong.length === 0 ? effectOf(read, before, each.column, codes) : {}
      const isClosed = (mark || wrong.length > 0) && !sits(owner.candidate, each.assessment, before)
      if (isClosed) issues.push(fault(each.column, 'not_for_pupil'))
      else issues.push(...wrong, ...(issue ? [issue] : []))
      if (!mark || isClosed) continue
      marks.push({ ...mark, assessmentId: each.assessment.id, studentId: id })
      if (before) action = 'update'
      else if (action === 'unchanged') action = 'create'
    }
    return { row, action: issues.length > 0 ? 'error' : action, issues }
  }

  // A row without a student and without a mark is a remark below the table.
  const meant = rows.filter((row) => !(isNobody(row) && row.marks.every(isEmpty)))
  const report = reportOf(meant.map(planRow), heading)
  return { report, marks: groupedBy(marks, ({ assessmentId }) => assessmentId), marked }
}
