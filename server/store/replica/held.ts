import type { Replicated } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import { PENDING } from '@markbook/sync/stamp'
import type { Presence, Stamp } from '@markbook/sync/versions'
import { and, eq, sql } from 'drizzle-orm'
import { rowsBy, statement } from '../statement.ts'
import type { ReadTx, WriteTx } from '../tx.ts'
import { keyOfRow, tableOrder } from './links.ts'
import type { Application, Incoming } from './page.ts'

const heldOf = rowsBy('sync_held', { school: 'school_id' })
type HeldRowKey = { school: string; table: string; id: string }
const dropOne = statement<HeldRowKey>()(({ db, t: { sync_held }, p }) =>
  db.delete(sync_held).where(and(eq(sync_held.school_id, p.school), eq(sync_held.table_name, p.table), eq(sync_held.row_id, p.id))),
)
const holdOne = statement<HeldRowKey & { state: string; reason: string; since: string }>()(({ db, t: { sync_held }, p }) =>
  db
    .insert(sync_held)
    .values({
      school_id: p.school,
      table_name: p.table,
      row_id: p.id,
      state: p.state,
      reason: p.reason,
      peer_id: null,
      since: p.since,
      tries: 1,
    })
    .onConflictDoUpdate({
      target: [sync_held.school_id, sync_held.table_name, sync_held.row_id],
      set: { state: sql`excluded.state`, reason: sql`excluded.reason`, tries: sql`${sync_held.tries} + 1` },
    }),
)

/** More rows would be held than may be. */
export class QueueFull extends Error {
  constructor(waiting: number) {
    super(
      `${waiting} rows would wait here to be written, more than may. An administrator must look at those that wait (markbook issues list).`,
    )
  }
}

/** The held rows of a school, parent rows first. Their number is bounded where pages are taken (SPEC, B4). */
export async function heldRows(tx: ReadTx, schoolId: string): Promise<Incoming[]> {
  return (await heldOf(tx, { school: schoolId }))
    .map(({ table_name, state }) => ({ table: table_name as Replicated, state: JSON.parse(state) as RowState }))
    .sort((a, b) => tableOrder.indexOf(a.table) - tableOrder.indexOf(b.table))
}

/**
 * Holds a row that cannot be written now, whole and with the reason, until a later page lets it in. `state`: all that came of it, with what
 * was held before merged in.
 */
export async function hold({ tx, schoolId, answers }: Application, table: Replicated, state: RowState, reason: string): Promise<void> {
  answers.set(keyOfRow({ table, state }), { table, id: state.id, outcome: 'held', reason })
  const text = JSON.stringify(withoutPending(state))
  await holdOne(tx, { school: schoolId, table, id: state.id, state: text, reason, since: tx.now })
}

/** A write of this transaction has no counter yet (`PENDING`). The stored row bears it; in the held state it would never get one. */
function withoutPending(state: RowState): RowState {
  const isNumbered = ([, counter]: Presence | Stamp) => counter !== PENDING
  const units = Object.entries(state.units).filter(([, stamp]) => isNumbered(stamp))
  return { ...state, units: Object.fromEntries(units), alive: state.alive.filter(isNumbered) }
}

export async function dropHeld(tx: WriteTx, schoolId: string, rows: readonly Incoming[]): Promise<void> {
  for (const { table, state } of rows) await dropOne(tx, { school: schoolId, table, id: state.id })
}
