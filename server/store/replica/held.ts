import type { Replicated } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import { PENDING } from '@markbook/sync/stamp'
import type { Presence, Stamp } from '@markbook/sync/versions'
import { and, eq } from 'drizzle-orm'
import { rowsBy, statement } from '../statement.ts'
import type { ReadTx, WriteTx } from '../tx.ts'
import { keyOfRow, tableOrder } from './links.ts'
import type { Application, Incoming } from './page.ts'

const heldOf = rowsBy('sync_held', { school: 'school_id' })
const heldBefore = rowsBy('sync_held', { school: 'school_id', table: 'table_name', id: 'row_id' }, { columns: ['tries', 'since'] })
type HeldRowKey = { school: string; table: string; id: string }
const dropOne = statement<HeldRowKey>()(({ db, t: { sync_held }, p }) =>
  db.delete(sync_held).where(and(eq(sync_held.school_id, p.school), eq(sync_held.table_name, p.table), eq(sync_held.row_id, p.id))),
)
const holdOne = statement<HeldRowKey & { state: string; reason: string; since: string; tries: number }>()(({ db, t: { sync_held }, p }) =>
  db.insert(sync_held).values({
    school_id: p.school,
    table_name: p.table,
    row_id: p.id,
    state: p.state,
    reason: p.reason,
    peer_id: null,
    since: p.since,
    tries: p.tries,
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
  const place = { school: schoolId, table, id: state.id }
  const [before] = await heldBefore(tx, place)
  await dropOne(tx, place)
  const { since = tx.now, tries = 0 } = before ?? {}
  await holdOne(tx, { ...place, state: JSON.stringify(withoutPending(state)), reason, since, tries: tries + 1 })
}

/** A write of this transaction has no counter yet (`PENDING`). The stored row bears it; in the held state it would never get one. */
function withoutPending(state: RowState): RowState {
  const isNumbered = ([, counter]: Presence | Stamp) => counter !== PENDING
  const units = Object.entries(state.units).filter(([, stamp]) => isNumbered(stamp))
  return { ...state, units: Object.fromEntries(units), alive: state.alive.filter(isNumbered) }
}

/** Drops held rows that were written now, or that something newer covers. */
export const release = ({ tx, schoolId, answers }: Application, held: readonly Incoming[]): Promise<void> =>
  dropHeld(
    tx,
    schoolId,
    held.filter((row) => answers.get(keyOfRow(row))?.outcome !== 'held'),
  )

export async function dropHeld(tx: WriteTx, schoolId: string, rows: readonly Incoming[]): Promise<void> {
  for (const { table, state } of rows) await dropOne(tx, { school: schoolId, table, id: state.id })
}
