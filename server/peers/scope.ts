import { createHash } from 'node:crypto'
import { HistoryEntity } from '@markbook/shared/contract/history'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { and, eq } from 'drizzle-orm'
import { knownRows } from '../store/replica/states.ts'
import { statement } from '../store/statement.ts'
import type { ReadTx } from '../store/tx.ts'

/**
 * What a node may hold of its school (sync.md, «Topology»). `text` changes when it does, so that rows follow rights. `books`: of which
 * classes; null for all, those too that are gone, for whoever holds the books of a class must hear that they went with it. `hasPast`: the
 * history of such rows too.
 */
export type Scope = {
  text: string
  secrets: boolean
  holds(table: Replicated): boolean
  hasPast(entity: string): boolean
  books: ReadonlySet<string> | null
}

type Peer = Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id'>

const SECRETS: readonly Replicated[] = ['user_totp', 'recovery_code']
export const OF_BOOKS: readonly Replicated[] = ['report_book', 'report_book_entry', 'report_book_pdf', 'class_report_file']
const NO_LAPTOP: readonly Replicated[] = [...SECRETS, 'school_join_request']

export const membershipOf = statement<{ school: string; user: string }>()(({ db, t: { school_management: of }, p }) =>
  db
    .select({ role: of.role, is_active: of.is_active })
    .from(of)
    .where(and(eq(of.school_id, p.school), eq(of.user_id, p.user))),
)
const classesLedBy = statement<{ school: string; user: string }>()(({ db, t: { class_teacher: of }, p }) =>
  db
    .select({ id: of.student_group_id })
    .from(of)
    .where(and(eq(of.school_id, p.school), eq(of.user_profile_id, p.user))),
)

/** A school node holds everything of its school. A laptop what its user may read; nothing once they may not read at all. */
export async function scopeOf(tx: ReadTx, { kind, school_id, user_id }: Peer): Promise<Scope> {
  if (kind !== 'laptop') return { text: 'school', secrets: true, holds: () => true, hasPast: () => true, books: null }
  const whose = { school: school_id ?? '', user: user_id ?? '' }
  const [membership] = await membershipOf(tx, whose)
  const role = membership?.is_active ? membership.role : 'member'
  const classes = role === 'teacher' ? await classesLedBy(tx, whose) : []
  const books = role === 'admin' ? null : new Set(classes.map(({ id }) => id))
  const text = createHash('sha256')
    .update([role, ...[...(books ?? [])].sort()].join(' '))
    .digest('hex')
    .slice(0, 24)
  const staff = role !== 'member'
  const holds = (table: Replicated) => !NO_LAPTOP.includes(table) && (staff || !STAFF_ONLY.includes(table))
  const hasPast = (entity: string) => staff && HistoryEntity.safeParse(entity).success && (entity !== 'school' || role === 'admin')
  return { text, secrets: false, holds, hasPast, books }
}

const STAFF_ONLY: readonly Replicated[] = ['student', 'enrolment', 'student_subject', 'assessment', 'grade', ...OF_BOOKS, 'sync_conflict']

/** Those of the rows that the scope holds; of report books only the classes that are the user's. */
export async function within(tx: ReadTx, schoolId: string, scope: Scope, rows: readonly Carried[]): Promise<Carried[]> {
  const held = rows.filter(({ table }) => scope.holds(table))
  if (scope.secrets) return held
  const classOf = scope.books ? await classesOfBooks(tx, schoolId, held) : null
  return held.filter(({ table, state: { values, id } }) => {
    if (table === 'sync_conflict')
      return !SECRETS.includes(values['entity'] as Replicated) && !OF_BOOKS.includes(values['entity'] as Replicated)
    if (!scope.books || !OF_BOOKS.includes(table)) return true
    const group =
      table === 'report_book' || table === 'class_report_file'
        ? values['student_group_id']
        : classOf?.get(String(values['report_book_id'] ?? id))
    return scope.books.has(group as string)
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
