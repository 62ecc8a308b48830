import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { and, type Column, eq, getTableColumns } from 'drizzle-orm'
import { statement } from './statement.ts'

const findIn = (table: Replicated) =>
  statement<{ school: string; id: string }>({ lock: table })(({ db, t, p }) => {
    const definition = t[table]
    const columns = getTableColumns(definition) as Record<string, Column>
    const byId = eq(columns['id'] as Column, p.id)
    const scoped = descriptions[table].scope === 'school' ? and(eq(columns['school_id'] as Column, p.school), byId) : byId
    return db
      .select()
      .from(definition as never)
      .where(scoped) as never as PromiseLike<unknown[]> & { prepare(): unknown }
  })

/** Of each table, how a row of a school is found by its id. */
export const finders = Object.fromEntries(Object.keys(descriptions).map((table) => [table, findIn(table as Replicated)])) as Record<
  Replicated,
  ReturnType<typeof findIn>
>
