import type { Replicated } from '@markbook/shared/tables/tables'
import type { Kept } from '@markbook/sync/merge/conflict'
import type { RowState } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { asSystem, type WriteTx, type WrittenRow } from '../tx.ts'
import type { OverruledDeletion } from '../version-stamps.ts'
import { keepClaims, restand, writeRows } from './application.ts'
import { keepConflicts } from './apply.ts'
import { hasMoved } from './links.ts'
import type { Application, Change } from './page.ts'
import { reconsiderParents, removeDeleted } from './remove-deleted.ts'
import { knownRows } from './states.ts'
import { settleMaxima, settleMembers } from './table-rules.ts'
import { ruledTables, settleUniqueRules } from './unique-rules.ts'

const RULED: readonly Replicated[] = [...ruledTables, 'assessment', 'grade', 'school_management']

/**
 * Settles rules between rows after a local write: where some row of the school does not stand as it was claimed, or stays though deleted,
 * the write may have changed what stands. Usually there is no such row, and one look at a small index is all. `overruled`: deletions of
 * rows that stayed and were changed now. Who changed them saw no deletion, so each is kept as a conflict. Returns whether something was
 * written.
 */
export async function settleAfter(tx: WriteTx, touched: readonly WrittenRow[], overruled: readonly OverruledDeletion[]): Promise<boolean> {
  let wrote = false
  for (const { schoolId, ...deletion } of overruled) {
    await tx.actAs(asSystem(tx.actor))
    const kept: Kept = { ...deletion, unit: EXISTENCE, kind: 'delete', value: null, status: 'open', reason: null }
    await keepConflicts(tx, schoolId, [kept])
    wrote = true
  }
  for (const schoolId of new Set(touched.map((each) => each.schoolId))) {
    const own = touched.filter((each) => each.schoolId === schoolId)
    if (!own.some((each) => hasLeft(each) || RULED.includes(each.table))) continue
    const settled = await tx.dialect.settledTables(tx.connection, schoolId)
    if (settled.length === 0) continue
    await tx.actAs(asSystem(tx.actor))
    wrote = (await resettle(tx, schoolId, own)) || wrote
  }
  return wrote
}

/** Whether the row no longer names a parent row that it named before. */
const hasLeft = ({ table, before, after }: WrittenRow): boolean =>
  after === null || (before !== null && hasMoved(table, before as never, after as never))

async function resettle(tx: WriteTx, schoolId: string, touched: readonly WrittenRow[]): Promise<boolean> {
  const application: Application = { tx, schoolId, changes: new Map(), kept: [], answers: new Map() }
  for (const table of ruledTables)
    await resettleUnique(
      application,
      table,
      touched.filter((each) => each.table === table),
    )
  const left = touched.filter(hasLeft)
  for (const table of new Set(left.map((each) => each.table))) {
    const before = left.flatMap((each) => (each.table === table ? [{ row: each.before as never }] : []))
    await reconsiderParents(application, table, before)
  }
  if (touched.some(({ table }) => table === 'school_management')) await settleMembers(application)
  await removeDeleted(application)
  // Last, once rows that stay have been written with their claims.
  const marked = touched.flatMap(({ table, before, after }) => {
    const id = table === 'grade' ? (after ?? before)?.['assessment_id'] : table === 'assessment' ? after?.id : null
    return id ? [id as string] : []
  })
  await settleMaxima(application, [...new Set(marked)])
  await keepConflicts(tx, schoolId, application.kept)
  return true
}

async function resettleUnique(application: Application, table: Replicated, touched: readonly WrittenRow[]): Promise<void> {
  if (touched.length === 0) return
  const { tx, schoolId } = application
  const known = await knownRows(
    tx,
    table,
    schoolId,
    touched.map(({ before, after }) => (after ?? before)?.id as string),
  )
  const before = touched.flatMap((each) => (each.before ? [{ values: each.before } as unknown as RowState] : []))
  const { settled, concerned } = await settleUniqueRules(
    tx,
    table,
    schoolId,
    [...known.values()].map(({ state }) => state),
    before,
  )
  const own = new Map<string, Change>()
  const all = await knownRows(tx, table, schoolId, [...concerned.keys()])
  for (const [id, reasons] of settled) restand(own, all.get(id), reasons)
  const changes = [...own.values()]
  await writeRows(application, table, changes)
  for (const change of changes) keepClaims(application, table, change)
}
