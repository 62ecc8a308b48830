import type { Replicated } from '@markbook/shared/tables/tables'
import { EXISTENCE } from '@markbook/sync/versions'
import type { ReadTx } from '../tx.ts'
import { record, stands, writeStaying } from './application.ts'
import { followBooks } from './frozen.ts'
import { hold } from './held.ts'
import { type AnyRow, hasMoved, linksFrom, linksTo, parentIdOf, tableOrder } from './links.ts'
import type { Application, Change, Incoming } from './page.ts'
import { idsThere, type KnownRow, knownRows, rowsNaming, settledRows } from './states.ts'
import { standing, syncRowOf } from './write.ts'

/**
 * The rows whose parent rows exist. A parent row that was deleted by somebody who had not seen this row comes back with its last values,
 * and so do its own parent rows; the deletion is kept as a conflict. A row whose parent row this node has never seen is held.
 */
export async function withParents(application: Application, table: Replicated, changes: readonly Change[]): Promise<Change[]> {
  const { tx, schoolId } = application
  let ready = [...changes]
  for (const link of linksFrom(table)) {
    const named = ready.map((change) => parentIdOf(link, standing(change) as AnyRow))
    const ids = [...new Set(named.filter((id) => id !== null))]
    const there = await idsThere(tx, link.parent, schoolId, ids)
    const missing = ids.filter((id) => !there.has(id))
    if (missing.length === 0) continue
    const back = await revive(application, link.parent, missing)
    const lost = new Set(missing.filter((id) => !back.has(id)))
    const orphans = new Set(ready.filter((_, at) => lost.has(named[at] as string)))
    for (const { state } of orphans) await hold(application, table, state, `waits for its ${link.parent}`)
    ready = ready.filter((change) => !orphans.has(change))
  }
  return ready
}

/** Writes deleted rows again that others name; returns their ids. */
async function revive(application: Application, table: Replicated, ids: readonly string[]): Promise<Set<string>> {
  const { tx, schoolId, kept } = application
  const own = application.changes.get(table)
  const known = await knownRows(tx, table, schoolId, ids)
  const deleted = ids.flatMap((id): Change[] => {
    const before: KnownRow | undefined = known.get(id)
    const state = own?.get(id)?.state ?? before?.state
    return state && state.alive.length === 0 ? [{ known: before ?? null, state, settled: [], source: null }] : []
  })
  const ready = await withParents(application, table, deleted)
  await writeStaying(application, table, ready)
  for (const { state } of ready) keepDeletion(kept, table, state)
  return new Set(ready.map(({ state }) => state.id))
}

/**
 * Removes the deleted rows, child rows before parent rows. A row that something alive still names stays, and its deletion is kept as a
 * conflict. A parent row that was deleted long ago, and stayed for a row that goes now, goes with it.
 */
export async function removeDeleted(application: Application): Promise<void> {
  for (const table of [...tableOrder].reverse()) await removeDeletedOf(application, table)
}

async function removeDeletedOf(application: Application, table: Replicated): Promise<void> {
  const { tx, schoolId, changes, kept, fromParent } = application
  const gone = [...(changes.get(table)?.values() ?? [])].filter((change) => !stands(change) && change.known?.row)
  if (gone.length === 0) return
  const needed = await namedBelow(
    tx,
    schoolId,
    table,
    gone.flatMap(({ known }) => known ?? []),
  )
  const stay = await withParents(
    application,
    table,
    gone.filter(({ state }) => needed.has(state.id)),
  )
  const leave = gone.filter(({ state }) => !needed.has(state.id))
  await writeStaying(application, table, stay)
  if (table === 'report_book') await followBooks(application, stay)
  // The parent keeps the row already, or will once it is told of what lives here.
  if (!fromParent) for (const { state } of stay) keepDeletion(kept, table, state)
  const ids = leave.map(({ state }) => state.id)
  await tx.replica.erase(table, schoolId, ids)
  record(
    application,
    table,
    leave.map((change) => syncRowOf(table, change, { isThere: false, source: change.source })),
  )
  await reconsiderParents(
    application,
    table,
    leave.flatMap(({ known }) => known ?? []),
  )
}

function keepDeletion(kept: Application['kept'], table: Replicated, state: Change['state']): void {
  const stamp = state.units[EXISTENCE]
  if (stamp) kept.push({ table, rowId: state.id, unit: EXISTENCE, kind: 'delete', value: null, stamp, status: 'open', reason: null })
}

/** Ids of those rows that something in the database still names. */
export async function namedBelow(tx: ReadTx, schoolId: string, table: Replicated, rows: readonly KnownRow[]): Promise<Set<string>> {
  return new Set((await naming(tx, schoolId, table, rows)).map(({ parent }) => parent))
}

/** By table, the rows in the database that name one of these. */
export async function rowsBelow(tx: ReadTx, schoolId: string, table: Replicated, rows: readonly KnownRow[]) {
  return (await naming(tx, schoolId, table, rows)).map(({ child, id }): [Replicated, string[]] => [child, [id]])
}

async function naming(tx: ReadTx, schoolId: string, table: Replicated, rows: readonly KnownRow[]) {
  const found: { child: Replicated; id: string; parent: string }[] = []
  const ids = new Set(rows.map(({ state }) => state.id))
  for (const link of linksTo(table)) {
    const byId = link.parentColumns.indexOf('id')
    const column = link.columns[byId >= 0 ? byId : 0] as string
    const named = byId >= 0 ? [...ids] : rows.map(({ row }) => row?.[link.parentColumns[0] as string])
    const children = await rowsNaming(tx, link.child, schoolId, column, named)
    for (const child of children) {
      const parent = parentIdOf(link, child)
      if (parent !== null && ids.has(parent)) found.push({ child: link.child, id: child.id, parent })
    }
  }
  return found
}

/** A row that names another parent row than before may have been the last that named a deleted one. */
export async function leaveParents(application: Application, table: Replicated): Promise<void> {
  const changes = [...(application.changes.get(table)?.values() ?? [])]
  const moved = changes.flatMap(({ known, state }) => (known?.row && hasMoved(table, known.row, state.values) ? [known] : []))
  if (moved.length > 0) await reconsiderParents(application, table, moved)
}

/** A row that is held no longer does not need its parent rows any more, unless it was written. */
export async function leaveWaited(application: Application, released: readonly Incoming[]): Promise<void> {
  for (const { table, state } of released)
    await reconsiderParents(application, table, [{ row: { ...state.values, id: state.id } as AnyRow }])
}

/**
 * Notes deleted parent rows of these rows: `removeDeleted` removes those that nothing names. Their turn comes after this table's, for it
 * goes from child to parent tables.
 */
export async function reconsiderParents(
  { tx, schoolId, changes }: Application,
  table: Replicated,
  gone: readonly Pick<KnownRow, 'row'>[],
): Promise<void> {
  for (const link of linksFrom(table)) {
    const ids = gone.flatMap(({ row }) => (row && parentIdOf(link, row as AnyRow)) || [])
    const settled = ids.length > 0 ? await settledRows(tx, schoolId, link.parent) : new Set()
    const kept = [...new Set(ids)].filter((id) => settled.has(id))
    const own = changes.get(link.parent) ?? new Map<string, Change>()
    for (const [id, known] of await knownRows(tx, link.parent, schoolId, kept)) {
      if (!own.has(id) && known.state.alive.length === 0) own.set(id, { known, state: known.state, settled: [], source: known.source })
    }
    if (own.size > 0) changes.set(link.parent, own)
  }
}
