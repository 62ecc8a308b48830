import { createHash } from 'node:crypto'
import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { descriptions, type Row } from '@markbook/shared/tables/tables'
import { canonical } from '@markbook/sync/merge/state'
import type { TableDigest, Verified } from '@markbook/sync/protocol/messages'
import type { Carried } from '@markbook/sync/protocol/page'
import { type CopyPlace, readCopy } from '../store/replica/feed.ts'
import type { Store } from '../store/store.ts'
import { asSystem } from '../store/tx.ts'
import { withNamed } from './people.ts'
import { scopeOf, within } from './scope.ts'

type Whose = Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id'>
type Sum = { count: number; sum: bigint }

const WIDTH = 128n
const TRIES = 3

/**
 * Of every table that a node may hold, how many rows live and a digest of their states that does not depend on their order. Read page by
 * page, so that nobody waits for it; again where something was written meanwhile, three times at most.
 */
export async function digestsOf(store: Store, whose: Whose): Promise<Verified> {
  for (let tries = 1; ; tries += 1) {
    const before = await seqOf(store, whose)
    const tables = await digestOnce(store, whose)
    const seq = await seqOf(store, whose)
    if (seq === before || tries === TRIES) return { epoch: store.nodeId, seq, tables }
  }
}

const seqOf = (store: Store, { school_id }: Whose) =>
  store.read(asSystem(), async (tx) => (await tx.dialect.feedOf(tx.line, school_id ?? COMMONS)).seq)

async function digestOnce(store: Store, whose: Whose): Promise<TableDigest[]> {
  const sums = new Map<string, Sum>()
  const counted = new Set<string>()
  let place: CopyPlace | null = null
  do {
    const at: CopyPlace | null = place
    const { rows, next } = await store.read(asSystem(), async (tx) => {
      const scope = await scopeOf(tx, whose)
      const page = await readCopy(tx, whose.school_id as string, at, limits.sync.pageRows)
      return {
        rows: await within(tx, whose.school_id as string, scope, await withNamed(tx, whose.school_id as string, scope, page.rows)),
        next: page.next,
      }
    })
    for (const row of rows) add(sums, counted, row)
    place = next
  } while (place)
  return Object.keys(descriptions).flatMap((table) => {
    const own = sums.get(table)
    return own ? [{ table, count: own.count, digest: own.sum.toString(16).padStart(32, '0') }] : []
  })
}

/** People come with every row that names them, and count once. Who works at two schools may have an app for each (decision 0403). */
function add(sums: Map<string, Sum>, counted: Set<string>, { table, state }: Carried): void {
  if (state.alive.length === 0 || descriptions[table].sealed || counted.has(`${table}:${state.id}`)) return
  if (descriptions[table].scope === 'commons') counted.add(`${table}:${state.id}`)
  const own = sums.get(table) ?? { count: 0, sum: 0n }
  const text = canonical([state.id, state.units, [...state.alive].sort(), state.values, state.extra])
  const digest = BigInt(`0x${createHash('sha256').update(table).update(text).digest('hex').slice(0, 32)}`)
  sums.set(table, { count: own.count + 1, sum: BigInt.asUintN(Number(WIDTH), own.sum + digest) })
}

export type Difference = { table: string; here: number; there: number }

/** The tables where two nodes do not hold the same; empty where all is the same. */
export function differencesOf(here: Verified, there: Verified): Difference[] {
  const of = ({ tables }: Verified) => new Map(tables.map((each) => [each.table, each]))
  const [own, theirs] = [of(here), of(there)]
  return [...new Set([...own.keys(), ...theirs.keys()])]
    .filter((table) => own.get(table)?.digest !== theirs.get(table)?.digest)
    .map((table) => ({ table, here: own.get(table)?.count ?? 0, there: theirs.get(table)?.count ?? 0 }))
}
