import type { Replicated } from '@markbook/shared/tables/tables'
import { textToVersions, type VersionsText } from '@markbook/sync/versions'
import { and, eq, isNotNull } from 'drizzle-orm'
import type { Peer } from '../../store/peer-row.ts'
import { tableOrder } from '../../store/replica/links.ts'
import { storedAnew, versionsHeld } from '../../store/replica/states.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { parentsOf } from '../identity/enrolment.ts'
import { isTakenAsSigned } from '../journal/row-proofs.ts'

const rowsFrom = rowsBy('sync_row', { school: 'school_id', from: { in: 'source_id' } }, { columns: ['table_name', 'row_id'] })
const entriesHere = rowsBy('history', { school: 'school_id' }, { columns: ['entity', 'row_id', 'node_id', 'node_seq', 'seq', 'source_id'] })
/** One of the entries that came together bears the signature. */
const proofsReceived = statement<{ school: string }>()(({ db, t: { history: of }, p }) =>
  db
    .select({ node_id: of.node_id, node_seq: of.node_seq, seq: of.seq })
    .from(of)
    .where(and(eq(of.school_id, p.school), isNotNull(of.source_id), isNotNull(of.proof))),
)

/**
 * At a laptop with several parents whose first has begun anew: sends the first what came here from another parent and is signed. The first
 * may have lost it and have no line to the other. What came without its history stays here: the first would have to refuse it, and gets it
 * from above.
 */
export async function forwardSigned(tx: WriteTx, first: Peer): Promise<void> {
  const school = first.school_id as string
  const [own, ...others] = await parentsOf(tx)
  if (first.user_id === null || own?.id !== first.id || others.length === 0) return
  const from = JSON.stringify(others.flatMap(({ node_id, their_epoch }) => [node_id, their_epoch ?? node_id]))
  const rows = await rowsFrom(tx, { school, from })
  if (rows.length === 0) return
  const signed = await signedWrites(tx, school)
  for (const table of tableOrder.filter(isTakenAsSigned)) {
    const ids = rows.filter(({ table_name }) => table_name === table).map(({ row_id }) => row_id)
    const held = await versionsHeld(tx, table, school, ids)
    const forwarded = held.filter((row) => isSigned(table, row, signed))
    tx.replica.recordReceived(
      school,
      forwarded.map((row) => storedAnew(table, row, textToVersions(row))),
    )
  }
}

const keyOf = (table: string, row: string, node: string, counter: number) => `${table}:${row} ${node} ${counter}`

/**
 * Keys of the signed writes. Also of own ones, which the laptop signs when it sends them: another parent may have merged them with what it
 * had.
 */
async function signedWrites(tx: ReadTx, school: string): Promise<ReadonlySet<string>> {
  const placeOf = ({ seq, node_id, node_seq }: { seq: number; node_id: string; node_seq: number }) => `${seq} ${node_id} ${node_seq}`
  const proved = new Set((await proofsReceived(tx, { school })).map(placeOf))
  const entries = (await entriesHere(tx, { school })).filter((entry) => entry.source_id === null || proved.has(placeOf(entry)))
  return new Set(entries.map(({ entity, row_id, node_id, node_seq }) => keyOf(entity, row_id, node_id, node_seq)))
}

/**
 * Whether a write that the row bears is signed. A row without an entry is older than the history of this laptop, and mostly in any backup
 * of the first parent.
 */
function isSigned(table: Replicated, { row_id, ...text }: VersionsText & { row_id: string }, signed: ReadonlySet<string>): boolean {
  return Object.values(textToVersions(text).units).some(([node, counter]) => signed.has(keyOf(table, row_id, node, counter)))
}
