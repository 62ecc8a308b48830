import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { valueIn } from '@markbook/sync/merge/merge'
import { type Settled, settleBook } from '@markbook/sync/merge/settle'
import { isOfRow } from '../errors.ts'
import { same } from '../row-changes.ts'
import type { WriteTx } from '../tx.ts'
import { hold } from './held.ts'
import { type AnyRow, scopeIn } from './links.ts'
import type { Application, Change } from './page.ts'
import { type KnownRow, knownRows } from './states.ts'
import { freeUniqueTexts, hasUniqueRule, movingIn, settleUniqueRules } from './unique-rules.ts'
import { rowMaker, type Standing, syncRowOf } from './write.ts'

/** Whether the row stands in its table after this change. */
export const stands = ({ state, asSent }: Change): boolean => (asSent ? asSent === 'there' : state.alive.length > 0)

/** Notes a row that no write changed, and for which something else stands now. */
export function restand(own: Map<string, Change>, known: KnownRow | undefined, settled: readonly Settled[]): void {
  if (!known?.row) return
  if (settled.length === 0 && !known.settled) return
  own.set(known.state.id, { known, state: known.state, settled, source: known.source })
}

/**
 * Writes rows that stay, or come back, though they were deleted, outside of the page's usual order. Another staying row that has to give up
 * its name or code to one of these is written with them.
 */
export async function writeStaying(application: Application, table: Replicated, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return
  const { tx, schoolId } = application
  if (table === 'report_book') for (const change of changes) change.settled = settleBook(change.state)
  const own = application.changes.get(table) ?? new Map<string, Change>()
  const staying = new Map(changes.map((change) => [change.state.id, change]))
  // The other deleted rows of this page have given up their texts already.
  const rest = [...own.values()].filter((change) => !staying.has(change.state.id) && (stands(change) || change.known?.row))
  const states = [...changes, ...rest].map(({ state }) => state)
  const { settled, concerned } = await settleUniqueRules(tx, table, schoolId, states, [], new Set(staying.keys()))
  const others = [...concerned.values()].filter(({ id, alive }) => alive.length === 0 && !staying.has(id)).map(({ id }) => id)
  const known = await knownRows(tx, table, schoolId, others)
  const giveWay = new Map<string, Change>()
  for (const id of others) restand(giveWay, known.get(id), settled.get(id) ?? [])
  for (const [id, change] of giveWay) giveWay.set(id, Object.assign(own.get(id) ?? change, { settled: change.settled }))
  for (const change of changes) change.settled = settled.get(change.state.id) ?? change.settled
  await writeRows(application, table, [...changes, ...giveWay.values()])
  for (const change of giveWay.values()) keepClaims(application, table, change)
}

/**
 * Writes all rows at once. Where the database refuses, it writes them one by one and holds the refused ones, so that one row is not in the
 * way of the rest. `asKnown`: nothing was written to these rows since they were read. `again`: settles the rows once more: where others
 * write at the same time, a row that is in the way may have been committed since.
 */
export async function writeRows(
  application: Application,
  table: Replicated,
  changes: readonly Change[],
  { asKnown = false, again }: { asKnown?: boolean; again?: () => Promise<readonly Change[]> } = {},
): Promise<void> {
  const { tx, schoolId } = application
  if (changes.length === 0) return
  const rowOf = await rowMaker(tx, table, schoolId, changes)
  const there = new Map(changes.flatMap(({ known }): [string, AnyRow][] => (known?.row ? [[known.row.id, known.row]] : [])))
  const write = (some: readonly AnyRow[]) => placed(tx, table, schoolId, some, movingIn(table, some, there))
  const done = (some: readonly Change[]) =>
    record(
      application,
      table,
      some.map((change) =>
        syncRowOf(table, change, { isThere: true, source: change.source, place: asKnown ? placeOf(change) : undefined }),
      ),
    )
  // A unique text may pass from row to row: rows of such a table are written over whatever stands there.
  const all =
    asKnown && !hasUniqueRule(table)
      ? await placedAsKnown(tx, table, changes, rowOf)
      : await write(inWritingOrder(table, changes.map(rowOf)))
  if (all === null) return done(changes)
  if (again && !tx.dialect.writesAlone) return writeRows(application, table, await again(), { asKnown })
  for (const change of changes) {
    const failure = await write([rowOf(change)])
    if (failure === null) done([change])
    else await hold(application, table, change.state, failure)
  }
}

const placeOf = ({ known }: Change) => (known ? known.place : null)

/** Requests that are no longer pending are written first, and make room for pending ones. */
const inWritingOrder = (table: Replicated, rows: readonly AnyRow[]) =>
  table === 'school_join_request' ? [...rows].sort((a, b) => Number(a['status'] === 'pending') - Number(b['status'] === 'pending')) : rows

/**
 * The database's message, or null where it took all rows. After a refusal the rows before the refused one may be written; they are written
 * again one by one, and nothing else remains. A savepoint keeps a journal of all that follows, so there is none where a failed statement
 * takes back only itself and nothing stands before it.
 */
async function placed(
  tx: WriteTx,
  table: Replicated,
  schoolId: string,
  rows: readonly AnyRow[],
  moving: readonly string[],
): Promise<string | null> {
  if (tx.dialect.failsAlone && moving.length === 0) return failureOf(() => tx.replica.place(table, rows))
  return failureOf(() =>
    tx.connection.attempt(async () => {
      await freeUniqueTexts(tx, table, schoolId, moving)
      await tx.replica.place(table, rows)
    }),
  )
}

/** Inserts new rows without looking whether they exist, and updates only the columns of the others that have changed. */
async function placedAsKnown(tx: WriteTx, table: Replicated, changes: readonly Change[], rowOf: (change: Change) => AnyRow) {
  const columns = new Set<string>()
  const changed: AnyRow[] = []
  for (const change of changes) {
    const before = change.known?.row
    if (!before) continue
    const row = rowOf(change)
    const names = Object.keys(row).filter((name) => !same(row[name], before[name]))
    for (const name of names) columns.add(name)
    if (names.length > 0) changed.push(row)
  }
  // Rows are made one by one: a whole page of them would survive every garbage collection.
  function* fresh() {
    for (const change of changes) if (!change.known?.row) yield rowOf(change)
  }
  const place = async () => {
    if (changed.length > 0) await tx.replica.place(table, changed, [...columns].sort())
    await tx.replica.place(table, fresh(), 'new')
  }
  return tx.dialect.failsAlone ? failureOf(place) : failureOf(() => tx.connection.attempt(place))
}

const failureOf = (work: () => Promise<void>): Promise<string | null> =>
  work().then(
    () => null,
    (error: unknown) => {
      // After such an error SQLite may have ended the transaction already.
      if (!isOfRow(error)) throw error
      return error instanceof Error ? error.message : String(error)
    },
  )

export function record(
  { tx, schoolId }: Pick<Application, 'tx' | 'schoolId'>,
  table: Replicated,
  rows: ReturnType<typeof syncRowOf>[],
): void {
  tx.replica.recordReceived(scopeIn(table, schoolId), rows)
}

/** Keeps claims that do not stand as conflicts for a person to decide. */
export function keepClaims({ kept }: Pick<Application, 'kept'>, table: Replicated, { state, settled }: Standing): void {
  for (const { unit, reason } of settled) {
    const stamp = state.units[unit]
    const value = valueIn(descriptions[table], unit, state)
    if (stamp) kept.push({ table, rowId: state.id, unit, kind: 'rule', value, stamp, status: 'open', reason })
  }
}

/** Gives rows the next number of the feed as they are, so that they are sent again. Without rows that do not stand as they were claimed. */
export function sendAgain(tx: WriteTx, table: Replicated, schoolId: string, rows: readonly KnownRow[]): void {
  const again = rows.filter(({ row, settled }) => row && !settled)
  const versions = again.map(({ state, source, place }) => syncRowOf(table, { state, settled: [] }, { isThere: true, source, place }))
  record({ tx, schoolId }, table, versions)
}
