import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { and, eq, gt, isNull } from 'drizzle-orm'
import { forgetRows } from '../../store/replica/forget.ts'
import { dropHeld, heldRows } from '../../store/replica/held.ts'
import { keyOfRow } from '../../store/replica/links.ts'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import { statement } from '../../store/statement.ts'
import type { WriteTx } from '../../store/tx.ts'
import { type NamedFile, rowsOfFiles } from '../files/named.ts'
import { type AcknowledgedNumbers, demandNoneForgotten, heardBy, isUnsent } from '../scope/forgotten.ts'
import { OF_BOOKS, type Scope, scopeOf, within } from '../scope/scope.ts'

/**
 * Conflict records that were made here and that the parent has not received. Their versions name no node, so that they do not show it
 * (world 8281).
 */
const unsentConflicts = statement<{ school: string; sent: number }>()(({ db, t: { sync_row }, p }) =>
  db
    .select({ id: sync_row.row_id })
    .from(sync_row)
    .where(
      and(eq(sync_row.school_id, p.school), eq(sync_row.table_name, 'sync_conflict'), gt(sync_row.seq, p.sent), isNull(sync_row.source_id)),
    ),
)

type Peer = Pick<Row<'sync_peer'>, 'school_id' | 'user_id' | 'own_seq' | 'own_epoch'>

/**
 * Rows follow rights (sync.md, «Topology»): forgets the rows that a laptop's user may no longer read, once the parent has every write of
 * all of them. Nothing is deleted for anybody else; if the right comes back, the rows are copied again. Returns the files that the rows
 * named. Throws `NumberForgotten` where the number of this database has to be given up first.
 */
export async function prune(tx: WriteTx, node: string, peer: Peer): Promise<NamedFile[]> {
  const { school_id, user_id, own_seq } = peer
  const school = school_id as string
  const heard = heardBy(node, peer)
  const scope = await scopeOf(tx, { kind: 'laptop', school_id, user_id })
  const gone = new Map<Replicated, Carried[]>()
  const unsent = new Set((await unsentConflicts(tx, { school, sent: own_seq })).map(({ id }) => id))
  for (const table of [...(Object.keys(descriptions) as Replicated[])].reverse()) {
    if (scope.holds(table) && !OF_SOME.includes(table)) continue
    const rows = await rowsWhere(tx, table, school)
    const ids = rows.map(({ id }) => id)
    const states = [...(await knownRows(tx, table, school, ids)).values()].map(({ state }) => ({ table, state }))
    const kept = new Set((await within(tx, school, scope, states)).map(({ state }) => state.id))
    const outside = states.filter(({ state }) => !kept.has(state.id))
    if (outside.some(({ state }) => isUnsent(state, heard) || unsent.has(state.id))) return []
    gone.set(table, outside)
  }
  const held = await heldOutside(tx, school, scope, heard)
  demandNoneForgotten(node, [...[...gone.values()].flat(), ...held])
  const files: NamedFile[] = []
  for (const [table, rows] of gone) {
    const ids = rows.map(({ state }) => state.id)
    files.push(...(await filesOf(tx, table, school, ids)))
    await forgetRows(tx, table, school, ids)
  }
  await dropHeld(tx, school, held)
  return files
}

/** Held rows outside the scope: the user may not read those either. */
async function heldOutside(tx: WriteTx, school: string, scope: Scope, heard: AcknowledgedNumbers): Promise<Carried[]> {
  const held = await heldRows(tx, school)
  const kept = new Set((await within(tx, school, scope, held)).map(keyOfRow))
  return held.filter((row) => !kept.has(keyOfRow(row)) && !isUnsent(row.state, heard))
}

async function filesOf(tx: WriteTx, table: Replicated, school: string, ids: readonly string[]): Promise<NamedFile[]> {
  if (table !== 'report_book_pdf' && table !== 'class_report_file') return []
  const rows = await rowsOfFiles(
    tx,
    school,
    ids.map((id) => ({ table, id })),
  )
  return rows.flatMap(({ file }) => file ?? [])
}

const OF_SOME: readonly Replicated[] = [...OF_BOOKS, 'sync_conflict']
