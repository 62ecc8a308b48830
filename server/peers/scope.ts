import { createHash } from 'node:crypto'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { and, eq } from 'drizzle-orm'
import { knownRows } from '../store/replica/states.ts'
import type { ReadTx } from '../store/tx.ts'

/** What a node may hold of its school (sync.md, «Topology»). `text` changes when it does, so that rows follow rights. */
export type Scope = { text: string; secrets: boolean; holds(table: Replicated): boolean; books: ReadonlySet<string> | null }

type Peer = Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id'>

const SECRETS: readonly Replicated[] = ['user_totp', 'recovery_code']
const OF_BOOKS: readonly Replicated[] = ['report_book', 'report_book_entry', 'report_book_pdf', 'class_report_file']
const NO_LAPTOP: readonly Replicated[] = [...SECRETS, 'school_join_request']

/** A school node holds everything of its school. A laptop what its user may read; nothing once they may not read at all. */
export async function scopeOf(tx: ReadTx, { kind, school_id, user_id }: Peer): Promise<Scope> {
  if (kind !== 'laptop') return { text: 'school', secrets: true, holds: () => true, books: null }
  const { school_management, class_teacher, student_group } = tx.t
  const [membership] = await tx.db
    .select({ role: school_management.role, is_active: school_management.is_active })
    .from(school_management)
    .where(and(eq(school_management.school_id, school_id ?? ''), eq(school_management.user_id, user_id ?? '')))
  const role = membership?.is_active ? membership.role : 'member'
  const classes =
    role === 'admin'
      ? await tx.db
          .select({ id: student_group.id })
          .from(student_group)
          .where(eq(student_group.school_id, school_id ?? ''))
      : await tx.db
          .select({ id: class_teacher.student_group_id })
          .from(class_teacher)
          .where(and(eq(class_teacher.school_id, school_id ?? ''), eq(class_teacher.user_profile_id, user_id ?? '')))
  const books = new Set(role === 'member' ? [] : classes.map(({ id }) => id))
  const text = createHash('sha256')
    .update([role, ...[...books].sort()].join(' '))
    .digest('hex')
    .slice(0, 24)
  const staff = role !== 'member'
  return { text, secrets: false, holds: (table) => !NO_LAPTOP.includes(table) && (staff || !STAFF_ONLY.includes(table)), books }
}

const STAFF_ONLY: readonly Replicated[] = ['student', 'enrolment', 'student_subject', 'assessment', 'grade', ...OF_BOOKS, 'sync_conflict']

/** Those of the rows that the scope holds; of report books only the classes that are the user's. */
export async function within(tx: ReadTx, schoolId: string, scope: Scope, rows: readonly Carried[]): Promise<Carried[]> {
  const held = rows.filter(({ table }) => scope.holds(table))
  if (!scope.books) return held
  const classOf = await classesOfBooks(tx, schoolId, held)
  return held.filter(({ table, state: { values, id } }) => {
    if (table === 'sync_conflict')
      return !SECRETS.includes(values['entity'] as Replicated) && !OF_BOOKS.includes(values['entity'] as Replicated)
    if (!OF_BOOKS.includes(table)) return true
    const group =
      table === 'report_book' || table === 'class_report_file'
        ? values['student_group_id']
        : classOf.get(String(values['report_book_id'] ?? id))
    return scope.books?.has(group as string)
  })
}

async function classesOfBooks(tx: ReadTx, schoolId: string, rows: readonly Carried[]): Promise<Map<string, unknown>> {
  const ids = new Set(
    rows.flatMap(({ table, state }) =>
      table === 'report_book_entry' || table === 'report_book_pdf' ? [state.values['report_book_id'] as string] : [],
    ),
  )
  const known = await knownRows(tx, 'report_book', schoolId, [...ids])
  return new Map([...known].map(([id, { state }]) => [id, state.values['student_group_id']]))
}
