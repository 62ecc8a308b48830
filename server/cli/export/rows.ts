import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { type Column, eq, getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ReadTx } from '../../store/tx.ts'

/** What never leaves a node in the clear stays where it is: app secrets and printed codes. Everybody sets theirs up anew. */
const KEPT_BACK = ['user_totp', 'recovery_code'] as const
/** Every table that a school takes along, parents before children. */
export const exportedTables = (Object.keys(descriptions) as Replicated[]).filter(
  (table) => !(KEPT_BACK as readonly string[]).includes(table),
)

export type AnyRow = Record<string, unknown> & { id: string }
export type SchoolRows = Partial<Record<Replicated, AnyRow[]>>

/** Columns that name a person. */
const PEOPLE = ['user_id', 'user_profile_id', 'created_by', 'updated_by', 'generated_by', 'reviewed_by'] as const

const select = (tx: ReadTx, table: Replicated) => tx.db.select().from(tx.t[table] as SQLiteTable)
const columnOf = (tx: ReadTx, table: Replicated | 'history', name: string) =>
  (getTableColumns(tx.t[table]) as Record<string, Column>)[name] as Column
const ordered = (rows: readonly AnyRow[]) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))

/** All rows of one school, and the people who stand in them. */
export async function rowsOfSchool(tx: ReadTx, schoolId: string): Promise<SchoolRows> {
  const rows: SchoolRows = {}
  const people = new Set<unknown>()
  for (const table of exportedTables) {
    if (descriptions[table].scope === 'commons') continue
    const by = columnOf(tx, table, descriptions[table].scope === 'self' ? 'id' : 'school_id')
    const found = (await select(tx, table).where(eq(by, schoolId))) as AnyRow[]
    rows[table] = ordered(found)
    for (const row of found) for (const name of PEOPLE) people.add(row[name])
  }
  const everybody: AnyRow[] = await tx.db.select().from(tx.t.user_profile)
  rows.user_profile = ordered(everybody.filter(({ id }) => people.has(id)))
  return rows
}

export const historyOfSchool = (tx: ReadTx, schoolId: string): Promise<Row<'history'>[]> =>
  tx.db.select().from(tx.t.history).where(eq(tx.t.history.school_id, schoolId)).orderBy(tx.t.history.seq, tx.t.history.id)
