import { naturalId } from '../ids.ts'
import { descriptions, type Replicated } from './tables.ts'

/** The tables whose ids follow from other columns (`Description.natural`). */
export const tablesWithNaturalIds = [
  'user_profile',
  'school_management',
  'user_totp',
  'recovery_code',
  'active_year',
  'grading_scale',
  'teacher_group_assignment',
  'class_teacher',
  'teacher_subject_assignment',
  'enrolment',
  'student_subject',
  'teaching_set_teacher',
  'teaching_set_member',
  'attendance_register',
  'attendance_mark',
  'grade',
  'report_book',
  'report_book_entry',
  'sync_conflict',
] as const satisfies readonly Replicated[]

type Values = Readonly<Record<string, unknown>>

/**
 * The id that a row must have, where it is computed from columns that never change; else undefined. A null column is hashed as an empty
 * text.
 */
export function naturalIdOf(table: Replicated, row: Values): string | undefined {
  const { natural } = descriptions[table]
  if (!natural) return undefined
  const parts = natural.of.map((column) => String(row[column] ?? ''))
  return natural.kind ? naturalId(natural.kind, ...parts) : parts[0]
}

/** Whether the row's id differs from the one computed from its columns. */
export function hasWrongId(table: Replicated, row: Values): boolean {
  const id = naturalIdOf(table, row)
  return id !== undefined && id !== row['id']
}
