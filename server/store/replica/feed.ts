import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { rowsBy } from '../statement.ts'
import { asSystem, type ReadTx } from '../tx.ts'
import { tableOrder } from './links.ts'
import { isLost, type KnownRow, knownByKey, knownRows } from './states.ts'

/** Rows in the order in which they can be written. `to`: every row up to this number of the feed is among them or was left out. */
export type FeedPage = { rows: Carried[]; to: number; isLast: boolean }
/** Where a first copy stands: the table, and the id after which it goes on. */
export type CopyPlace = { table: Replicated; after: string }
export type CopyPage = { rows: Carried[]; next: CopyPlace | null }

type Entry = { table_name: string; row_id: string; seq: number; source_id: string | null }

/**
 * The feed of a school after `after`: whole transactions, at most about `limit` rows; only a larger transaction makes a larger page.
 * `notFrom`: rows that came from these nodes are left out. `upTo`: nothing after this number.
 */
export async function readFeed(
  tx: ReadTx,
  schoolId: string,
  { after, limit, notFrom, upTo = Number.MAX_SAFE_INTEGER }: { after: number; limit: number; notFrom: readonly string[]; upTo?: number },
): Promise<FeedPage> {
  // Read first: every row with a number up to this one is committed.
  const { seq } = await tx.dialect.feedOf(tx.connection, schoolId)
  const end = Math.min(seq, upTo)
  if (after >= end) return { rows: [], to: end, isLast: end === seq }
  const found = await tx.dialect.feedEntries(tx.connection, schoolId, { after, upTo: end, limit: limit + 1, notFrom })
  if (found.length <= limit) return { rows: await statesOf(tx, schoolId, found), to: end, isLast: end === seq }
  const entries = await wholeTransactions(tx, schoolId, found, notFrom)
  return { rows: await statesOf(tx, schoolId, entries), to: entries.at(-1)?.seq ?? seq, isLast: false }
}

async function wholeTransactions(tx: ReadTx, schoolId: string, found: Entry[], notFrom: readonly string[]): Promise<Entry[]> {
  const last = found.at(-1)?.seq as number
  const whole = found.filter(({ seq }) => seq < last)
  if (whole.length > 0) return whole
  return tx.dialect.feedEntries(tx.connection, schoolId, { after: last - 1, upTo: last, limit: Number.MAX_SAFE_INTEGER, notFrom })
}

/**
 * A page of a school's rows, table by table, so that parent rows come before rows that name them. `place`: null for the first page; `next`:
 * null after the last.
 */
export async function readCopy(tx: ReadTx, schoolId: string, place: CopyPlace | null, limit: number): Promise<CopyPage> {
  const table = place?.table ?? (tableOrder.find(isOfSchools) as Replicated)
  const ids = await tx.dialect.rowIdsAfter(tx.connection, schoolId, table, place?.after ?? COMMONS, limit)
  const known = await knownRows(tx, table, schoolId, ids)
  const rows = withoutLost(table, known)
  const last = ids.at(-1)
  if (ids.length === limit && last) return { rows, next: { table, after: last } }
  const following = tableOrder.slice(tableOrder.indexOf(table) + 1).find(isOfSchools)
  return { rows, next: following ? { table: following, after: COMMONS } : null }
}

/** The ids of all rows of a table that have versions, page by page, each page as it is when its turn comes. */
export async function* everyId(store: Reading, schoolId: string, table: Replicated, limit: number): AsyncGenerator<readonly string[]> {
  for (let after = COMMONS; ; ) {
    const ids = await store.read(asSystem(), (tx) => tx.dialect.rowIdsAfter(tx.connection, schoolId, table, after, limit))
    if (ids.length > 0) yield ids
    if (ids.length < limit) return
    after = ids.at(-1) as string
  }
}
type Reading = { read<T>(as: ReturnType<typeof asSystem>, work: (tx: ReadTx) => Promise<T>): Promise<T> }

const isOfSchools = (table: Replicated) => descriptions[table].scope !== 'commons'

async function statesOf(tx: ReadTx, schoolId: string, entries: readonly Pick<Entry, 'table_name' | 'row_id'>[]): Promise<Carried[]> {
  const named = entries.map(({ table_name: table, row_id: id }) => ({ table, id }))
  const known = await knownByKey(tx, schoolId, named)
  return [...known.values()].filter((each) => !isLost(each)).map(({ table, state }) => ({ table, state }))
}

/** The states of rows, without those that this database has lost: there is nothing to tell of them. */
const withoutLost = (table: Replicated, known: ReadonlyMap<string, KnownRow>): Carried[] =>
  [...known.values()].filter((each) => !isLost(each)).map(({ state }) => ({ table, state }))

const NAMES_PEOPLE: Partial<Record<Replicated, string>> = {
  school_management: 'user_id',
  school_join_request: 'user_id',
  teacher_group_assignment: 'user_profile_id',
}
const OF_PEOPLE: readonly Replicated[] = ['user_profile', 'user_totp', 'recovery_code']

/** The rows, after the people whom they name. `secrets`: also what these sign in with. */
export async function withPeople(tx: ReadTx, rows: readonly Carried[], { secrets }: { secrets: boolean }): Promise<Carried[]> {
  const users = new Set(rows.flatMap(({ table, state }) => (NAMES_PEOPLE[table] ? [state.values[NAMES_PEOPLE[table]] as string] : [])))
  if (users.size === 0) return [...rows]
  const people = await peopleStates(tx, [...users], secrets)
  return [...people, ...rows]
}

const conflictsOfRows = rowsBy('sync_conflict', { school: 'school_id', ids: { in: 'row_id' } }, { columns: ['id'] })

/**
 * The rows, and after them their conflicts. If a copy broke off between the two, the result of a merge would be here without the value that
 * lost, and the node that has both may be gone tomorrow.
 */
export async function withConflicts(tx: ReadTx, schoolId: string, rows: readonly Carried[]): Promise<Carried[]> {
  const ids = rows.filter(({ table }) => table !== 'sync_conflict').map(({ state }) => state.id)
  if (ids.length === 0) return [...rows]
  const found = await conflictsOfRows(tx, { school: schoolId, ids: JSON.stringify(ids) })
  const known = await knownRows(
    tx,
    'sync_conflict',
    schoolId,
    found.map(({ id }: { id: string }) => id),
  )
  return [...rows, ...withoutLost('sync_conflict', known)]
}

/** Changes to people of the school, after the number `after` of the people's feed. */
export async function readPeople(
  tx: ReadTx,
  schoolId: string,
  { after, limit, secrets }: { after: number; limit: number; secrets: boolean },
): Promise<FeedPage> {
  const { rows, to, isLast } = await readFeed(tx, COMMONS, { after, limit, notFrom: [] })
  const members = new Set(await tx.dialect.peopleOf(tx.connection, schoolId))
  const of = ({ table, state }: Carried) => (table === 'user_profile' ? state.id : (state.values['user_id'] as string))
  return { rows: rows.filter((row) => members.has(of(row)) && (secrets || row.table === 'user_profile')), to, isLast }
}

async function peopleStates(tx: ReadTx, users: readonly string[], secrets: boolean): Promise<Carried[]> {
  const rows: Carried[] = []
  for (const table of secrets ? OF_PEOPLE : OF_PEOPLE.slice(0, 1)) {
    const ids = table === 'user_profile' ? users : await tx.dialect.rowIdsOf(tx.connection, table, users)
    const known: Map<string, KnownRow> = await knownRows(tx, table, COMMONS, ids)
    rows.push(...withoutLost(table, known))
  }
  return rows
}
