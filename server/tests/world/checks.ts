import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { freezeOf } from '@markbook/sync/merge/settle'
import { canonical } from '@markbook/sync/merge/state'
import { textToCursor } from '@markbook/sync/protocol/cursor'
import { covers, textToVersions } from '@markbook/sync/versions'
import { and, eq } from 'drizzle-orm'
import { audit } from '../../replication/audit/audit.ts'
import { type AnyRow, linksTo, parentIdOf, tableOrder } from '../../store/replica/links.ts'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import type { WorldNode } from './node.ts'

/** Rows of a school by table and id, as text, without the times of change. */
export type Contents = Map<Replicated, Map<string, string>>

export function contentsOf(node: WorldNode, school: string): Promise<Contents> {
  return node.store.read(asSystem(), async (tx) => {
    const contents: Contents = new Map()
    for (const table of tableOrder)
      contents.set(table, new Map((await rowsOf(tx, table, school)).map((row) => [row.id, textOf(table, row)])))
    return contents
  })
}

async function rowsOf(tx: ReadTx, table: Replicated, school: string): Promise<AnyRow[]> {
  const { scope } = descriptions[table]
  if (table === 'user_profile') return people(tx, school)
  const rows = scope === 'commons' ? [] : await rowsWhere(tx, table, school)
  return scope === 'self' ? rows.filter(({ id }) => id === school) : rows
}

/** Where somebody is active is each node's own. */
async function people(tx: ReadTx, school: string): Promise<AnyRow[]> {
  const members = new Set((await rowsWhere(tx, 'school_management', school)).map((row) => row['user_id']))
  const rows = await rowsWhere(tx, 'user_profile', school)
  return rows.filter(({ id }) => members.has(id)).map((row) => ({ ...row, school_id: null }))
}

const textOf = (table: Replicated, row: AnyRow) => {
  const { audit = [] } = descriptions[table]
  return canonical(Object.fromEntries(Object.entries(row).filter(([name]) => !audit.includes(name))))
}

/** What two nodes do not hold alike, in words; `within`: whether a row belongs to the second's scope. */
export function differences(a: Contents, b: Contents, within: (table: Replicated, id: string) => boolean = () => true): string[] {
  return tableOrder.flatMap((table) => {
    const [first, second] = [a.get(table) ?? new Map(), b.get(table) ?? new Map()]
    const ids = new Set([...first.keys(), ...second.keys()])
    return [...ids].sort().flatMap((id) => {
      const wanted = within(table, id) ? first.get(id) : undefined
      return wanted === second.get(id) ? [] : [`${table} ${id}: ${wanted ?? 'nothing'} ≠ ${second.get(id) ?? 'nothing'}`]
    })
  })
}

/** P3: what must hold on every node after every page. */
export function brokenRules(node: WorldNode, school: string): Promise<string[]> {
  return node.store.read(asSystem(), async (tx) => {
    const broken: string[] = []
    for (const term of (await rowsOf(tx, 'term', school)) as unknown as Row<'term'>[])
      if (Math.abs(term.exam_weight + term.coursework_weight - 100) > 1e-9) broken.push(`weights of term ${term.id}`)
    const isCopying = await isInACopy(tx, school)
    for (const book of (await rowsOf(tx, 'report_book', school)) as unknown as Row<'report_book'>[])
      broken.push(...(await brokenBook(tx, book, isCopying)))
    const tops = new Map<string, number>()
    for (const { assessment_id, score } of (await rowsOf(tx, 'grade', school)) as unknown as Row<'grade'>[])
      tops.set(assessment_id, Math.max(score ?? 0, tops.get(assessment_id) ?? 0))
    for (const { id, max_score } of (await rowsOf(tx, 'assessment', school)) as unknown as Row<'assessment'>[])
      if ((tops.get(id) ?? 0) > max_score) broken.push(`a score above the maximum of assessment ${id}`)
    const members = (await rowsOf(tx, 'school_management', school)) as unknown as Row<'school_management'>[]
    if (members.length > 0 && !members.some(({ role, is_active }) => role === 'admin' && is_active)) broken.push('no administrator is left')
    return broken.map((each) => `${node.name}: ${each}`)
  })
}

/** What the history of a node does not say as it stands, or is not as it was written: nobody but the program wrote there. */
export async function contradictedAt({ name, store, services }: WorldNode, feeds: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const school of feeds) {
    const { disagreements, wrong } = await audit(store, { school, secret: services.config.sessionSecret, files: services.files })
    found.push(...[...disagreements, ...wrong].map((each) => `${name}: the audit finds ${JSON.stringify(each)}`))
  }
  return found
}

/** I2: a row whose vector does not cover what it bears. */
export function uncoveredAt({ name, store }: WorldNode): Promise<string[]> {
  return store.read(asSystem(), async (tx) => {
    const rows: Row<'sync_row'>[] = await tx.connection.db.select().from(tx.t.sync_row)
    return rows.flatMap(({ table_name, row_id, ...text }) => {
      const { vv, units } = textToVersions(text)
      const isSeen = Object.values(units).every((each) => covers(vv, each))
      return isSeen ? [] : [`${name}: ${table_name} ${row_id} bears what its vector does not cover`]
    })
  })
}

/** What hangs on nothing. Both databases refuse it, unless a connection of SQLite were told not to. */
export function strayRows(node: WorldNode): Promise<string[]> {
  return node.store.read(asSystem(), async ({ connection: line, dialect }) => {
    const stray = dialect.name === 'sqlite' ? await line.rows<object>('pragma foreign_key_check', []) : []
    return stray.map((row) => `${node.name}: foreign key ${JSON.stringify(row)}`)
  })
}

/** Its parent has begun to tell it everything, and has not come to the end. */
async function isInACopy(tx: ReadTx, school: string): Promise<boolean> {
  const { sync_peer } = tx.t
  const parents: Row<'sync_peer'>[] = await tx.connection.db
    .select()
    .from(sync_peer)
    .where(and(eq(sync_peer.side, 'parent'), eq(sync_peer.school_id, school)))
  return parents.some(({ their_cursor }) => textToCursor(their_cursor)?.kind === 'copy')
}

/** Of a book that was sent, exactly what was sent stands; in a copy, which comes table by table, its entries may still be on their way. */
async function brokenBook(tx: ReadTx, book: Row<'report_book'>, isCopying: boolean): Promise<string[]> {
  const freeze = freezeOf({ values: book } as never)
  if (book.status !== 'sent_to_ministry' || !freeze) return []
  const { report_book_entry } = tx.t
  const entries: Row<'report_book_entry'>[] = await tx.connection.db
    .select()
    .from(report_book_entry)
    .where(eq(report_book_entry.report_book_id, book.id))
  const shown = {
    ...Object.fromEntries(Object.keys(freeze).map((name) => [name, book[name as keyof typeof book]])),
    entries: entries
      .map(({ subject_id, manual_letter, teacher_remark }) => ({ subject_id, manual_letter, teacher_remark }))
      .sort(bySubject),
  }
  const isHere = ({ subject_id }: { subject_id: string }) => entries.some((entry) => entry.subject_id === subject_id)
  const sent = { ...freeze, entries: freeze.entries.filter((entry) => !isCopying || isHere(entry)).sort(bySubject) }
  return canonical(shown) === canonical(sent) ? [] : [`book ${book.id} was sent and changed: ${canonical(shown)} ≠ ${canonical(sent)}`]
}
const bySubject = (a: { subject_id: string }, b: { subject_id: string }) => (a.subject_id < b.subject_id ? -1 : 1)

/** Steps of books at a node: what was sent stays so. */
export async function sentBooks(node: WorldNode, school: string): Promise<Set<string>> {
  const rows = await node.store.read(asSystem(), (tx) => rowsOf(tx, 'report_book', school))
  return new Set(rows.filter(({ status }) => status === 'sent_to_ministry').map(({ id }) => id))
}

const OF_BOOKS: readonly Replicated[] = ['report_book', 'report_book_entry', 'report_book_pdf', 'class_report_file']
const OF_STAFF: readonly Replicated[] = [
  'student',
  'enrolment',
  'student_subject',
  'teaching_set_member',
  'attendance_register',
  'attendance_mark',
  'assessment',
  'grade',
  'sync_conflict',
]

/** What a laptop may hold, read from the rows of its parent, written apart from the program's own rule (sync.md, «Topology»). */
export async function scopeAt(parent: WorldNode, school: string, user: string): Promise<(table: Replicated, id: string) => boolean> {
  const rows = await parent.store.read(asSystem(), async (tx) => {
    const read = async <T extends Replicated>(table: T) => (await rowsOf(tx, table, school)) as unknown as Row<T>[]
    return {
      members: await read('school_management'),
      heads: await read('class_teacher'),
      books: await read('report_book'),
      entries: await read('report_book_entry'),
      conflicts: await read('sync_conflict'),
    }
  })
  const member = rows.members.find(({ user_id }) => user_id === user)
  const role = member?.is_active ? member.role : 'member'
  const isHead = (group: string | undefined) =>
    role === 'admin' || rows.heads.some((head) => head.user_profile_id === user && head.student_group_id === group)
  const groups = new Map(rows.books.map((book) => [book.id, book.student_group_id]))
  for (const entry of rows.entries) groups.set(entry.id, groups.get(entry.report_book_id) ?? '')
  const ofBooks = await classesOfConflicts(parent, school, rows.conflicts)
  const holds = (table: Replicated, id: string) => {
    if (table === 'school_join_request') return false
    if (role === 'member') return !OF_BOOKS.includes(table) && !OF_STAFF.includes(table)
    if (table === 'sync_conflict') return !ofBooks.has(id) || isHead(ofBooks.get(id))
    return !OF_BOOKS.includes(table) || isHead(groups.get(id))
  }
  return parent.store.read(asSystem(), (tx) => needed(tx, school, holds))
}

/** Of each conflict in a report book the class, also where the book has gone. */
async function classesOfConflicts(parent: WorldNode, school: string, conflicts: readonly Row<'sync_conflict'>[]) {
  const classes = new Map<string, string | undefined>()
  for (const { id, entity, row_id } of conflicts) {
    if (!OF_BOOKS.includes(entity as Replicated)) continue
    const last = (table: Replicated, row: string) =>
      parent.store.read(asSystem(), async (tx) => (await knownRows(tx, table, school, [row])).get(row)?.state.values)
    const values = await last(entity as Replicated, row_id)
    const book = values && 'report_book_id' in values ? await last('report_book', String(values['report_book_id'])) : values
    classes.set(id, book?.['student_group_id'] as string | undefined)
  }
  return classes
}

type Holds = (table: Replicated, id: string) => boolean

/**
 * A row that was deleted, and stays at the parent for what hangs on it, is needed only where that is held too: to somebody who may not
 * read the marks of an assessment that is gone, it is gone. (Entries stay because their book was sent, members because they are the last.)
 */
async function needed(tx: ReadTx, school: string, holds: Holds): Promise<Holds> {
  const { sync_row } = tx.t
  const place = and(eq(sync_row.school_id, school), eq(sync_row.deleted, true), eq(sync_row.settled, true))
  const rows = await tx.connection.db.select({ table: sync_row.table_name, id: sync_row.row_id }).from(sync_row).where(place)
  const forOthers = rows.filter(({ table }) => table !== 'report_book_entry' && table !== 'school_management')
  const staying = new Set(forOthers.map(({ table, id }) => `${table} ${id}`))
  if (staying.size === 0) return holds
  const children = new Map<Replicated, AnyRow[]>()
  for (const table of tableOrder) children.set(table, await rowsOf(tx, table, school))
  const isNeeded = (table: Replicated, id: string): boolean =>
    holds(table, id) &&
    (!staying.has(`${table} ${id}`) ||
      linksTo(table).some((link) => children.get(link.child)?.some((row) => parentIdOf(link, row) === id && isNeeded(link.child, row.id))))
  return isNeeded
}
