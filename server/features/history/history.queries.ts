import { HistoryEntity } from '@markbook/shared/contract/history'
import type { Row } from '@markbook/shared/tables/tables'
import { and, desc, eq, getTableColumns } from 'drizzle-orm'
import type { z } from 'zod'
import { matches, pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** One row's entries, newest first, with the names of their actors. `near`: a JSON array of clustering keys (docs/design/store.md). */
export const entriesOfRow = statement<{ school: string; entity: string; row: string; near: string }>()(({ db, t, p, dialect }) => {
  const { history, user_profile } = t
  return db
    .select({ ...getTableColumns(history), ...pick(user_profile, 'first_name', 'last_name') })
    .from(history)
    .leftJoin(user_profile, eq(user_profile.id, history.actor_id))
    .where(
      and(eq(history.school_id, p.school), dialect.inList(history.near_id, p.near), matches(history, { row_id: p.row, entity: p.entity })),
    )
    .orderBy(desc(history.at), desc(history.seq), desc(history.id))
})

/** The clustering keys of a row's entries where nothing else is known of it: reads every entry of the school. */
export const placesOfRow = statement<{ school: string; row: string }>()(({ db, t: { history }, p }) =>
  db
    .selectDistinct({ near: history.near_id })
    .from(history)
    .where(matches(history, { school_id: p.school, row_id: p.row })),
)

export const entryById = rowsBy('history', { school: 'school_id', id: 'id' })

export type Entity = z.infer<typeof HistoryEntity>

const ofSchools = HistoryEntity.exclude(['school']).options.map((table) => [table, rowsBy(table, { school: 'school_id', id: 'id' })])
/** For each kind of row with a readable history, a query for the present row, without a lock. */
export const liveRows: Readonly<Record<Entity, (tx: ReadTx, row: { school: string; id: string }) => Promise<Row<Entity>[]>>> = {
  ...Object.fromEntries(ofSchools),
  school: rowsBy('school', { school: 'id', id: 'id' }),
}

export type Entry = Row<'history'>
