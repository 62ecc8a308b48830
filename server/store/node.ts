import type { Clock } from '@markbook/shared/clock'
import { toInstant } from '@markbook/shared/clock'
import type { IdSource } from '@markbook/shared/ids'
import type { NodeRole } from '@markbook/shared/tables/node'
import { isNull } from 'drizzle-orm'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { rowsBy } from './statement.ts'
import type { ReadTx } from './tx.ts'

/** The id of this node, created at the first start (sync/SPEC.md). */
export async function currentNode(
  connection: Connection,
  { tables: { node } }: Dialect,
  { clock, newId, role }: { clock: Clock; newId: IdSource; role: NodeRole },
) {
  const current = () => connection.db.select({ id: node.id }).from(node).where(isNull(node.ended_at))
  const [known] = await current()
  if (known) return known.id
  await connection.db
    .insert(node)
    .values({ id: newId(), kind: role, created_at: toInstant(clock.now()), ended_at: null })
    .onConflictDoNothing()
  const [made] = await current()
  if (!made) throw new Error('this database has no node id')
  return made.id
}

/**
 * The current row of this node, locked. Code that counts rows of the whole node, or checks that a row is absent before inserting it, takes
 * this lock first.
 */
export const lockedNode = rowsBy('node', {}, { columns: ['id'], where: { ended_at: null }, lock: true })

const everyNode = rowsBy('node', {}, { columns: ['id', 'created_at'] })

/** Every incarnation of this database and when it began, newest first. */
export async function numbersHad(tx: ReadTx): Promise<{ id: string; at: string }[]> {
  const rows = (await everyNode(tx, {})).map(({ id, created_at: at }) => ({ id, at }))
  return rows.sort((a, b) => (a.at < b.at ? 1 : -1))
}
/** Their ids. */
export const incarnations = async (tx: ReadTx): Promise<string[]> => (await numbersHad(tx)).map(({ id }) => id)

/** Ends the present incarnation and begins another with a new id; `id` where it was chosen already. */
export async function renewNode(
  connection: Connection,
  { tables: { node } }: Dialect,
  { clock, newId }: { clock: Clock; newId: IdSource },
  id = newId(),
): Promise<string> {
  const [before] = await connection.db.select().from(node).where(isNull(node.ended_at))
  if (!before) throw new Error('this database has no node id')
  // Incarnations are ordered by their times, so the new one is later even if the clock went back.
  const at = toInstant(Math.max(clock.now(), Date.parse(before.created_at) + 1))
  await connection.db.update(node).set({ ended_at: at }).where(isNull(node.ended_at))
  await connection.db.insert(node).values({ id, kind: before.kind, created_at: at, ended_at: null })
  return id
}
