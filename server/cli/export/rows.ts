import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { and, type Column, eq, getTableColumns, gt, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ReadTx } from '../../store/tx.ts'

/** Authenticator secrets and printed codes never leave a node in plain text. Their owners set them up again. */
const KEPT_BACK = ['user_totp', 'recovery_code'] as const
/** The tables of an export, parents before children. */
export const exportedTables = (Object.keys(descriptions) as Replicated[]).filter(
  (table) => !(KEPT_BACK as readonly string[]).includes(table),
)

export type AnyRow = Record<string, unknown> & { id: string }
export type SchoolRows = Partial<Record<Replicated, AnyRow[]>>

/** Columns with the id of a person. */
const PEOPLE = ['user_id', 'user_profile_id', 'created_by', 'updated_by', 'generated_by', 'reviewed_by'] as const

const select = (tx: ReadTx, table: Replicated) => tx.db.select().from(tx.t[table] as SQLiteTable)
const columnOf = (tx: ReadTx, table: Replicated | 'history', name: string) =>
  (getTableColumns(tx.t[table]) as Record<string, Column>)[name] as Column
/** Rows of one query. */
const PAGE = 100

/** The number of rows of a school in one table. */
export const countOfSchool = (tx: ReadTx, table: Replicated | 'history', schoolId: string): Promise<number> =>
  tx.db.$count(tx.t[table] as SQLiteTable, eq(columnOf(tx, table, 'school_id'), schoolId))

/** The rows of a school in one table, by id, in pages; none of tables that belong to no school. */
export async function* pagesOfSchool(tx: ReadTx, table: Replicated, schoolId: string): AsyncGenerator<AnyRow[]> {
  const { scope } = descriptions[table]
  if (scope === 'commons') return
  const [id, school] = [columnOf(tx, table, 'id'), columnOf(tx, table, scope === 'self' ? 'id' : 'school_id')]
  for (let last: string | null = null; ; ) {
    const rest = last === null ? undefined : gt(id, last)
    const page = (await select(tx, table)
      .where(and(eq(school, schoolId), rest))
      .orderBy(sql`${id}`)
      .limit(PAGE)) as AnyRow[]
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    last = page.at(-1)?.id ?? null
  }
}

/** The people with these ids, by id, in pages. */
export async function* pagesOfPeople(tx: ReadTx, people: ReadonlySet<string>): AsyncGenerator<AnyRow[]> {
  const { id } = tx.t.user_profile
  for (let last: string | null = null; ; ) {
    const page: AnyRow[] = await tx.db
      .select()
      .from(tx.t.user_profile)
      .where(last === null ? undefined : gt(id, last))
      .orderBy(id)
      .limit(PAGE)
    const found = page.filter((row) => people.has(row.id))
    if (found.length > 0) yield found
    if (page.length < PAGE) return
    last = page.at(-1)?.id ?? null
  }
}

/** Adds the people whom a row names. */
export function notePeople(row: AnyRow, people: Set<string>): void {
  for (const name of PEOPLE) if (typeof row[name] === 'string') people.add(row[name])
}

/** The history of a school in its order, in pages. */
export async function* pagesOfHistory(tx: ReadTx, schoolId: string): AsyncGenerator<Row<'history'>[]> {
  const { history } = tx.t
  for (let last: Row<'history'> | undefined; ; ) {
    const rest = last && sql`(${history.seq}, ${history.id}) > (${last.seq}, ${last.id})`
    const page: Row<'history'>[] = await tx.db
      .select()
      .from(history)
      .where(and(eq(history.school_id, schoolId), rest))
      .orderBy(history.seq, history.id)
      .limit(PAGE)
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    last = page.at(-1)
  }
}
