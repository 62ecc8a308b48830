import { descriptions, type Replicated, SCHEMA_VERSION } from '@markbook/shared/tables/tables'
import { furthestOf, highsOf } from '@markbook/sync/merge/policy'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { stamp } from '@markbook/sync/stamp'
import { EXISTENCE } from '@markbook/sync/versions'
import type { WriteTx } from '../tx.ts'
import { writeRows } from './application.ts'
import { bury } from './bury.ts'
import { forgetRows } from './forget.ts'
import type { Application, Change } from './page.ts'
import { withParents } from './parents.ts'
import type { Known } from './states.ts'

/** What shall stand in a row: `values` of these units, or nothing. */
export type Wanted = { table: Replicated; known: Known; units: readonly string[]; values: Values | null }

/**
 * A new write of this node, by nobody, that puts something else over what stands: rows that it needs are there again, and a row on which
 * something still hangs stays, as after any page.
 */
export async function takeOver(tx: WriteTx, schoolId: string, node: string, { table, known, units, values }: Wanted): Promise<void> {
  const { state } = known
  const all = [EXISTENCE, ...Object.keys(descriptions[table].units)]
  const written = values === null ? [EXISTENCE] : state.alive.length > 0 ? units : all
  const [high, furthest] = [highsOf(table, values ?? state.values), furthestOf(table)]
  const versions = stamp(state, { units: written, node, now: tx.nowMs, actor: null, deletes: values === null, high, furthest })
  const after: RowState = { ...state, ...versions, values: { ...state.values, ...values }, schema: SCHEMA_VERSION }
  const change: Change = { known, state: after, settled: [], source: null, incoming: after }
  const changes = new Map([[table, new Map([[state.id, change]])]])
  const application: Application = { tx, schoolId, changes, kept: [], answers: new Map() }
  if (values === null) await bury(application)
  else await writeRows(application, table, await withParents(application, table, [change]))
}

/** The row as another node has it, or as if it had never come: of writes that are neither ours nor known there. */
export async function takeAsTheirs(tx: WriteTx, schoolId: string, table: Replicated, known: Known, theirs: RowState | null): Promise<void> {
  if (theirs === null) return forgetRows(tx, table, schoolId, [known.state.id])
  const change: Change = { known, state: theirs, settled: [], source: null, incoming: theirs }
  const changes = new Map([[table, new Map([[theirs.id, change]])]])
  const application: Application = { tx, schoolId, changes, kept: [], answers: new Map() }
  await writeRows(application, table, await withParents(application, table, [change]))
}
