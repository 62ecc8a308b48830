import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { descriptions, type Row } from '@markbook/shared/tables/tables'
import { canonical } from '@markbook/sync/merge/state'
import type { TableDigest, Verified } from '@markbook/sync/protocol/messages'
import type { Carried } from '@markbook/sync/protocol/page'
import { type CopyPlace, readCopy } from '../../store/replica/feed.ts'
import { keyOfRow } from '../../store/replica/links.ts'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { syncFailures } from '../identity/enrolment.ts'
import { awaitingRows } from './consent.ts'
import { withNamed } from './people.ts'
import { scopeOf, within } from './scope.ts'

type PeerScope = Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id'>
type Sum = { count: number; sum: bigint }

const WIDTH = 128n
const TRIES = 3

/**
 * For each table that a node may hold: how many rows live, and a digest of their states that does not depend on their order. Reads page by
 * page, and other work runs between two pages. Where something was written meanwhile it reads again, three times at most; then `moving` is
 * true.
 */
export async function digestsOf(store: Store, peer: PeerScope, signal?: AbortSignal): Promise<Verified> {
  for (let tries = 1; ; tries += 1) {
    const before = await placesOf(store, peer)
    const tables = await digestOnce(store, peer, signal)
    const after = await placesOf(store, peer)
    const moving = after.seq !== before.seq || after.people !== before.people
    if (!moving || tries === TRIES) return { epoch: store.nodeId, ...after, moving, tables }
  }
}

/** Where this node's own feeds stand. */
export const placesOf = (store: Store, { school_id }: Pick<PeerScope, 'school_id'>) =>
  store.read(asSystem(), async (tx) => ({
    seq: (await tx.dialect.feedOf(tx.connection, school_id ?? COMMONS)).seq,
    people: (await tx.dialect.feedOf(tx.connection, COMMONS)).seq,
  }))

/** One computation at a time in this process, since it reads a whole school. Throws `sync.later` meanwhile. */
export function digestsInTurn(store: Store): (peer: PeerScope, signal: AbortSignal) => Promise<Verified> {
  let isBusy = false
  return async (peer, signal) => {
    if (isBusy) throw syncFailures.later()
    isBusy = true
    return digestsOf(store, peer, signal).finally(() => {
      isBusy = false
    })
  }
}

async function digestOnce(store: Store, peer: PeerScope, signal?: AbortSignal): Promise<TableDigest[]> {
  const sums = new Map<string, Sum>()
  const counted = new Set<string>()
  let place: CopyPlace | null = null
  do {
    // Throws once the child has hung up.
    signal?.throwIfAborted()
    const at: CopyPlace | null = place
    const { rows, next } = await store.read(asSystem(), async (tx) => {
      const scope = await scopeOf(tx, peer)
      const school = peer.school_id as string
      const page = await readCopy(tx, school, at, limits.sync.compare.pageRows)
      const awaiting = await awaitingRows(tx, school)
      const both = page.rows.filter((row) => !awaiting.has(keyOfRow(row)))
      return { rows: await within(tx, school, scope, await withNamed(tx, school, scope, both)), next: page.next }
    })
    for (const row of rows) add(sums, counted, row)
    await setImmediate()
    place = next
  } while (place)
  return Object.keys(descriptions).flatMap((table) => {
    const own = sums.get(table)
    return own ? [{ table, count: own.count, digest: own.sum.toString(16).padStart(32, '0') }] : []
  })
}

/**
 * Adds a row to the sum of its table. People come with every row that names them, and count once. Sealed rows do not count: somebody who
 * works at two schools may have another app for each.
 */
function add(sums: Map<string, Sum>, counted: Set<string>, row: Carried): void {
  const { table, state } = row
  if (state.alive.length === 0 || descriptions[table].sealed || counted.has(keyOfRow(row))) return
  if (descriptions[table].scope === 'commons') counted.add(keyOfRow(row))
  const own = sums.get(table) ?? { count: 0, sum: 0n }
  sums.set(table, { count: own.count + 1, sum: BigInt.asUintN(Number(WIDTH), own.sum + digestOfRow(row)) })
}

/** The text of a row that is compared: without its vector. */
export const comparedText = ({ table, state: { id, units, alive, values, extra } }: Carried): string =>
  `${table}${canonical([id, units, [...alive].sort(), values, extra])}`
export const digestOfRow = (row: Carried): bigint =>
  BigInt(`0x${createHash('sha256').update(comparedText(row)).digest('hex').slice(0, 32)}`)

export type Difference = { table: string; here: number; there: number }

/** The tables in which two nodes differ, with the rows of each. */
export function differencesOf(here: Verified, there: Verified): Difference[] {
  const of = ({ tables }: Verified) => new Map(tables.map((each) => [each.table, each]))
  const [own, theirs] = [of(here), of(there)]
  return [...new Set([...own.keys(), ...theirs.keys()])]
    .filter((table) => own.get(table)?.digest !== theirs.get(table)?.digest)
    .map((table) => ({ table, here: own.get(table)?.count ?? 0, there: theirs.get(table)?.count ?? 0 }))
}
