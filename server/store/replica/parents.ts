import type { Replicated } from '@markbook/shared/tables/tables'
import { EXISTENCE } from '@markbook/sync/versions'
import { writeStaying } from './application.ts'
import { hold } from './held.ts'
import { type AnyRow, linksFrom, parentIdOf } from './links.ts'
import type { Application, Change } from './page.ts'
import { idsThere, type KnownRow, knownRows } from './states.ts'
import { standing } from './write.ts'

/**
 * The rows whose parent rows exist. A parent row that was deleted by somebody who had not seen this row comes back with its last values,
 * and so do its own parent rows; the deletion is kept as a conflict. A row whose parent row this node has never seen is held.
 */
export async function withParents(application: Application, table: Replicated, changes: readonly Change[]): Promise<Change[]> {
  let ready = [...changes]
  for (const link of linksFrom(table)) {
    const named = ready.map((change) => parentIdOf(link, standing(change) as AnyRow))
    const missing = await absent(application, link.parent, [...new Set(named.filter((id) => id !== null))])
    if (missing.length === 0) continue
    const back = await revive(application, link.parent, missing)
    const lost = new Set(missing.filter((id) => !back.has(id)))
    const orphans = new Set(ready.filter((_, at) => lost.has(named[at] as string)))
    for (const { state } of orphans) await hold(application, table, state, `waits for its ${link.parent}`)
    ready = ready.filter((change) => !orphans.has(change))
  }
  return ready
}

async function absent({ tx, schoolId }: Application, table: Replicated, ids: readonly string[]): Promise<string[]> {
  const there = await idsThere(tx, table, schoolId, ids)
  return ids.filter((id) => !there.has(id))
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
  for (const { state } of ready) {
    const stamp = state.units[EXISTENCE]
    if (stamp) kept.push({ table, rowId: state.id, unit: EXISTENCE, kind: 'delete', value: null, stamp, status: 'open', reason: null })
  }
  return new Set(ready.map(({ state }) => state.id))
}
