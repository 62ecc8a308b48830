import type { RowState } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import { EXISTENCE, sameDot } from '@markbook/sync/versions'
import { withConflicts } from '../../store/replica/feed.ts'
import { forgetWithAll } from '../../store/replica/forget.ts'
import type { RowName } from '../../store/replica/links.ts'
import { knownByKey, rowsNaming } from '../../store/replica/states.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { type AcknowledgedNumbers, demandNoneForgotten, isUnsent } from './forgotten.ts'
import type { Scope } from './scope.ts'

/** Report books that moved to another class, and so to the laptop of another class teacher. */
const BOOK = 'report_book'
const PARTS = ['report_book_entry', 'report_book_pdf'] as const

/** Whether a book may have been in another class: its class was written after its creation, or a second node has written the book. */
function isMoved({ units, vv }: RowState): boolean {
  const [group, made] = [units['student_group_id'], units[EXISTENCE]]
  return group !== undefined && made !== undefined && (!sameDot(group, made) || Object.keys(vv).length > 1)
}

/**
 * The rows, and of each book that may be new to the child also its parts and their conflicts: these did not change, so the feed does not
 * bring them.
 */
export async function withParts(tx: ReadTx, school: string, scope: Scope, rows: readonly Carried[]): Promise<Carried[]> {
  const { books } = scope
  const come = rows.filter(({ table, state }) => table === BOOK && isMoved(state) && books?.has(state.values['student_group_id'] as string))
  if (come.length === 0) return [...rows]
  const ids = come.map(({ state }) => state.id)
  const named: RowName[] = []
  for (const table of PARTS) for (const { id } of await rowsNaming(tx, table, school, 'report_book_id', ids)) named.push({ table, id })
  const parts = await knownByKey(tx, school, named)
  return [...rows, ...(await withConflicts(tx, school, [...come, ...parts.values()]))]
}

/** Ids of the books of a page that the child may hold and is told no more. `kept`: the rows that it is told. */
export function booksLeft(rows: readonly Carried[], kept: readonly Carried[]): string[] {
  const stay = new Set(kept.filter(({ table }) => table === BOOK).map(({ state }) => state.id))
  return rows.filter(({ table, state }) => table === BOOK && isMoved(state) && !stay.has(state.id)).map(({ state }) => state.id)
}

/**
 * Forgets the books, but for one with something unsent: the parent names it again once that has arrived. `node`: the number of this
 * database; throws `NumberForgotten` where it must be given up first. Null where it cannot be given up: then the books are forgotten all
 * the same.
 */
export async function letBooksGo(
  tx: WriteTx,
  school: string,
  ids: readonly string[],
  { heard, node }: { heard: AcknowledgedNumbers; node: string | null },
) {
  const mayGo = (rows: readonly Carried[]) => {
    if (rows.some(({ state }) => isUnsent(state, heard))) return false
    if (node !== null) demandNoneForgotten(node, rows)
    return true
  }
  for (const id of ids) await forgetWithAll(tx, BOOK, school, id, mayGo)
}
