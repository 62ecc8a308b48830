import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { furthestOf, highsOf } from '@markbook/sync/merge/policy'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { stamp } from '@markbook/sync/stamp'
import { EXISTENCE } from '@markbook/sync/versions'
import type { WriteTx } from '../tx.ts'
import { record } from './application.ts'
import { writeOutsidePage } from './apply.ts'
import { forgetRows } from './forget.ts'
import { hold } from './held.ts'
import { keyOf } from './links.ts'
import type { Application, Change } from './page.ts'
import { namedBelow } from './remove-deleted.ts'
import type { KnownRow } from './states.ts'
import { syncRowOf } from './write.ts'

/**
 * What is to stand in a row: `values` of `units`. `deletes`: the row is deleted. `theirs`: the row as the other node has it; null where it
 * has none.
 */
export type TargetState = {
  table: Replicated
  known: KnownRow
  units: readonly string[]
  values: Values
  deletes: boolean
  theirs: RowState | null
}

/**
 * Writes something else over what stands, as a new write of this node by nobody. Deleted rows that it needs come back, and a row that
 * others name stays, as after any page.
 */
export async function overwriteRow(
  tx: WriteTx,
  schoolId: string,
  node: string,
  { table, known, units, values, deletes, theirs }: TargetState,
): Promise<void> {
  const { state } = known
  const all = [EXISTENCE, ...Object.keys(descriptions[table].units)]
  const written = deletes ? [EXISTENCE, ...units] : state.alive.length > 0 ? units : all
  const [high, furthest] = [highsOf(table, { ...state.values, ...values }), furthestOf(table)]
  const versions = stamp(state, { units: written, node, now: tx.nowMs, actor: null, deletes, high, furthest })
  const after: RowState = { ...state, ...versions, values: { ...state.values, ...values }, schema: SCHEMA_VERSION }
  const application = await writeInPlace(tx, schoolId, table, known, after)
  const answer = application.answers.get(keyOf({ table, id: state.id }))
  if (answer?.outcome !== 'held' || !theirs) return
  // A write without its counter cannot be held: their row is held instead.
  if (state.alive.length === 0) await giveWay(application, table, known, theirs)
  await hold(application, table, theirs, answer.reason ?? '')
}

/**
 * Puts the other node's row in the place of this one; forgets the row where `theirs` is null. For writes that are neither this node's nor
 * known there. While `theirs` is held, a row that is deleted here does not stand against it.
 */
export async function replaceByTheirs(
  tx: WriteTx,
  schoolId: string,
  table: Replicated,
  known: KnownRow,
  theirs: RowState | null,
): Promise<void> {
  if (theirs === null) return forgetRows(tx, table, schoolId, [known.state.id])
  const application = await writeInPlace(tx, schoolId, table, known, theirs)
  const isHeld = application.answers.get(keyOf({ table, id: theirs.id }))?.outcome === 'held'
  if (isHeld && theirs.alive.length > 0 && known.state.alive.length === 0) await giveWay(application, table, known, theirs)
}

async function writeInPlace(tx: WriteTx, schoolId: string, table: Replicated, known: KnownRow, state: RowState): Promise<Application> {
  const change: Change = { known, state, settled: [], source: null }
  const changes = new Map([[table, new Map([[state.id, change]])]])
  const application: Application = { tx, schoolId, changes, kept: [], answers: new Map() }
  await writeOutsidePage(application, table)
  return application
}

/**
 * While `theirs` is held, a row that is deleted here must not stand against it: it is forgotten. A row that stays for rows that name it
 * keeps no vector.
 */
async function giveWay(application: Application, table: Replicated, known: KnownRow, theirs: RowState): Promise<void> {
  const { tx, schoolId } = application
  if ((await namedBelow(tx, schoolId, table, [known])).size === 0) return forgetRows(tx, table, schoolId, [theirs.id])
  const row = theirs.units[EXISTENCE]
  const state: RowState = { ...known.state, vv: {}, units: row ? { [EXISTENCE]: row } : {} }
  record(application, table, [syncRowOf(table, { state, settled: [] }, { isThere: true, source: null })])
}
