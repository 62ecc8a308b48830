import { createHash } from 'node:crypto'
import { HistoryEntity } from '@markbook/shared/contract/history'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { Values } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import { keyOf } from '../../store/replica/links.ts'
import { knownByKey, knownRows } from '../../store/replica/states.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/**
 * What a node may hold of its school (sync.md, «Topology»).
 * - `text`: changes with the scope, and then the child copies anew, so that its rows follow its rights
 * - `books`: the classes whose report books it holds; null for all, also those of deleted classes, since their deletion must be told
 * - `hasPast`: whether it holds the history of these rows
 */
export type Scope = {
  text: string
  secrets: boolean
  holds(table: Replicated): boolean
  hasPast(entity: string): boolean
  books: ReadonlySet<string> | null
}

type Peer = Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id'>

/** The tables of what people sign in with. */
export const SECRETS: readonly Replicated[] = ['user_totp', 'recovery_code']
export const OF_BOOKS: readonly Replicated[] = ['report_book', 'report_book_entry', 'report_book_pdf', 'class_report_file']
const PARTS_OF_BOOKS: readonly Replicated[] = ['report_book_entry', 'report_book_pdf']
const NO_LAPTOP: readonly Replicated[] = [...SECRETS, 'school_join_request']

export const membershipOf = rowsBy('school_management', { school: 'school_id', user: 'user_id' }, { columns: ['role', 'is_active'] })
const classesLedBy = rowsBy('class_teacher', { school: 'school_id', user: 'user_profile_id' }, { columns: ['student_group_id'] })

/** A school's server holds everything of its school; a laptop holds what its user may read. */
export async function scopeOf(tx: ReadTx, { kind, school_id, user_id }: Peer): Promise<Scope> {
  if (kind !== 'laptop') return { text: 'school', secrets: true, holds: () => true, hasPast: () => true, books: null }
  const whose = { school: school_id ?? '', user: user_id ?? '' }
  const [membership] = await membershipOf(tx, whose)
  const role = membership?.is_active ? membership.role : 'member'
  const classes = role === 'teacher' ? await classesLedBy(tx, whose) : []
  const books = role === 'admin' ? null : new Set(classes.map(({ student_group_id }) => student_group_id))
  const text = createHash('sha256')
    .update([role, ...[...(books ?? [])].sort(), ...(classes.length > 0 ? [WITH_CONFLICTS] : [])].join(' '))
    .digest('hex')
    .slice(0, 24)
  const staff = role !== 'member'
  const holds = (table: Replicated) => !NO_LAPTOP.includes(table) && (staff || !STAFF_ONLY.includes(table))
  const hasPast = (entity: string) => staff && HistoryEntity.safeParse(entity).success && (entity !== 'school' || role === 'admin')
  return { text, secrets: false, holds, hasPast, books }
}

/** Part of `text`: laptops that copied books before conflicts in them were told copy once more. */
const WITH_CONFLICTS = 'conflicts'

const STAFF_ONLY: readonly Replicated[] = [
  'student',
  'enrolment',
  'student_subject',
  'teaching_set_member',
  'attendance_register',
  'attendance_mark',
  'assessment',
  'grade',
  ...OF_BOOKS,
  'sync_conflict',
]

/** The rows that the scope holds; of report books and the conflicts in them only those of the user's classes. */
export async function within(tx: ReadTx, schoolId: string, scope: Scope, rows: readonly Carried[]): Promise<Carried[]> {
  const held = rows.filter(({ table }) => scope.holds(table))
  if (scope.secrets) return held
  const open = held.filter((row) => !SECRETS.includes(subjectOf(row).table))
  const { books } = scope
  if (!books) return open
  const classOf = await classesOfBooks(tx, schoolId, open)
  return open.filter((row) => !OF_BOOKS.includes(subjectOf(row).table) || books.has(classOf(row) as string))
}

/** The row that a row is about: for a conflict the row in conflict, for any other itself. */
const subjectOf = ({ table, state: { id, values } }: Carried): { table: Replicated; id: string } =>
  table === 'sync_conflict' ? { table: values['entity'] as Replicated, id: String(values['row_id']) } : { table, id }

/** The class of each row of a book, or of a conflict in one; of a deleted row its last class. */
async function classesOfBooks(tx: ReadTx, schoolId: string, rows: readonly Carried[]): Promise<(row: Carried) => unknown> {
  const conflicts = rows.filter((row) => row.table === 'sync_conflict' && OF_BOOKS.includes(subjectOf(row).table))
  const inConflict = await knownByKey(tx, schoolId, conflicts.map(subjectOf))
  const valuesOf = (row: Carried): Values | undefined =>
    row.table === 'sync_conflict' ? inConflict.get(keyOf(subjectOf(row)))?.state.values : row.state.values
  const named = rows
    .filter((row) => PARTS_OF_BOOKS.includes(subjectOf(row).table))
    .flatMap((row) => (valuesOf(row)?.['report_book_id'] ?? []) as string | [])
  const books = await knownRows(tx, 'report_book', schoolId, [...new Set(named)])
  return (row) => {
    const values = valuesOf(row)
    const book = PARTS_OF_BOOKS.includes(subjectOf(row).table) ? books.get(values?.['report_book_id'] as string)?.state.values : values
    return book?.['student_group_id']
  }
}
