import { z } from 'zod'
import { academicYears } from './academic-years.ts'
import { assessmentCategories } from './assessment-categories.ts'
import { assessments } from './assessments.ts'
import { AttendanceCode } from './attendance.ts'
import { auth, Role } from './auth.ts'
import { classes } from './classes.ts'
import { grades } from './grades.ts'
import { GradingScaleInput } from './grading-scale.ts'
import { ReportStatus, ReportType, reports } from './reports.ts'
import { AttendanceNote, Day, Email, JoinMessage, Lesson, SortOrder } from './scalars.ts'
import { School, schools } from './schools.ts'
import { students } from './students.ts'
import { subjects } from './subjects.ts'
import { teachingSets } from './teaching-sets.ts'
import { terms } from './terms.ts'

/** A body of the contract, and the column to which each of its fields is written. */
type Rule = { body: z.ZodObject; fields: ReadonlyMap<string, string> }

/** `other`: the column of each field that has another name than its column; null for a field without a column. */
function rule(body: z.ZodObject, other: Readonly<Record<string, string | null>> = {}): Rule {
  const columns = Object.keys(body.shape).flatMap((field): [string, string][] => {
    const column = field in other ? other[field] : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return column ? [[column, field]] : []
  })
  return { body, fields: new Map(columns) }
}
const column = (shape: z.ZodRawShape) => rule(z.object(shape))

/**
 * For each replicated table, the bodies of the contract that contain its columns. A value that the interface refuses from a person is
 * refused from another node too (sync/SPEC.md, «Pushed rows are commands»).
 */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  user_profile: [rule(auth.updateProfile.body, { schoolId: null }), column({ email: Email })],
  school: [rule(schools.updateMine.body), column({ school_type: School.shape.school_type })],
  school_management: [column({ role: Role })],
  school_join_request: [column({ message: JoinMessage, status: z.enum(['pending', 'approved', 'rejected']) })],
  academic_year: [rule(academicYears.create.body, { terms: null, isActive: null })],
  term: [rule(terms.create.body)],
  subject: [rule(subjects.update.body), column({ sort_order: SortOrder })],
  student: [rule(students.update.body)],
  student_group: [rule(classes.update.body)],
  teaching_set: [rule(teachingSets.create.body)],
  assessment_category: [rule(assessmentCategories.create.body)],
  attendance_register: [column({ day: Day, lesson: Lesson })],
  attendance_mark: [column({ day: Day, lesson: Lesson, code: AttendanceCode, note: AttendanceNote })],
  assessment: [rule(assessments.update.body), rule(assessments.exclude.body)],
  grade: [rule(grades.update.body), rule(grades.exclude.body)],
  grading_scale: [rule(GradingScaleInput)],
  report_book: [
    rule(reports.update.body),
    rule(reports.approve.body, { isApproved: null, reason: 'sent_back_reason', contentHash: 'sent_back_hash' }),
    column({ status: ReportStatus, report_type: ReportType }),
  ],
  class_report_file: [column({ report_type: ReportType })],
  report_book_entry: [rule(reports.updateEntry.body, { letterGrade: 'manual_letter' })],
}

/** Whether a body of the contract has a column. */
export const hasRule = (table: string, name: string): boolean => (rules[table] ?? []).some(({ fields }) => fields.has(name))

/**
 * Whether the interface would accept the row's values in these columns, as far as the row alone shows. Absent and null values are left to
 * the database's constraints.
 */
export function isAcceptedByContract(table: string, values: Readonly<Record<string, unknown>>, columns: readonly string[]): boolean {
  return (rules[table] ?? []).every(({ body, fields }) => {
    const asked = new Set(columns.flatMap((name) => (values[name] == null ? [] : (fields.get(name) ?? []))))
    if (asked.size === 0) return true
    const said: Record<string, unknown> = {}
    for (const [name, field] of fields) if (values[name] != null) said[field] = values[name]
    const parsed = body.safeParse(said)
    return parsed.success || parsed.error.issues.every(({ path }) => !asked.has(String(path[0])))
  })
}
