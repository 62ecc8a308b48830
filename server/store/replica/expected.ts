import { COMMONS } from '@markbook/shared/ids'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { freezeOf, type Settled, settleAdmins, settleBook, settleEntry, settleMaximum } from '@markbook/sync/merge/settle'
import { isSame } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import type { ReadTx } from '../tx.ts'
import { heldRows } from './held.ts'
import { type AnyRow, linksTo, parentIdOf } from './links.ts'
import { namedBelow } from './remove-deleted.ts'
import { type KnownRow, knownRows } from './states.ts'
import { topsOf } from './table-rules.ts'
import { hasUniqueRule, settleUniqueRules } from './unique-rules.ts'
import { rowMaker } from './write.ts'

/** By row: what the rules let stand instead of its claims; null for a row that should not stand. */
type Ruled = ReadonlyMap<string, readonly Settled[] | null>

/**
 * Of rows that stand in their table: those that do not stand as the rules between rows make it of what was written, each with the first
 * column that differs; null where the row should not be there. Time and author of the last change are not compared: the history says them.
 */
export async function misplaced(
  tx: ReadTx,
  table: Replicated,
  schoolId: string,
  known: readonly KnownRow[],
): Promise<Map<string, string | null>> {
  const there = known.filter(({ row, state }) => row !== null && Object.keys(state.units).length > 0)
  const stray = await straysIn(tx, table, schoolId, there)
  const ruled = await ruledBy(tx, table, schoolId, there)
  const standings = there.map(({ state }) => ({ state, settled: ruled.get(state.id) ?? [] }))
  const rowOf = await rowMaker(tx, table, schoolId, standings)
  const { identity, units, derived = [] } = descriptions[table]
  const columns = [...identity, ...Object.values(units).flat(), ...derived]
  const found = new Map<string, string | null>()
  for (const [at, { row, state }] of there.entries()) {
    const settled = ruled.get(state.id)
    if (settled === null || (stray.has(state.id) && !settled?.some(({ unit }) => unit === EXISTENCE))) {
      found.set(state.id, null)
      continue
    }
    const expected = rowOf(standings[at] as (typeof standings)[number])
    const column = columns.find((name) => !isSame(row?.[name], expected[name]))
    if (column !== undefined) found.set(state.id, column)
  }
  return found
}

/** Deleted rows that nothing in the database names, and no held row: only rules of their own can keep them. */
async function straysIn(tx: ReadTx, table: Replicated, schoolId: string, there: readonly KnownRow[]): Promise<Set<string>> {
  const deleted = there.filter(({ state }) => state.alive.length === 0 && table !== 'report_book_entry')
  if (deleted.length === 0) return new Set()
  const needed = await namedBelow(tx, schoolId, table, deleted)
  const waitedFor = await namedByHeld(tx, schoolId, table)
  return new Set(deleted.flatMap(({ state: { id } }) => (needed.has(id) || waitedFor.has(id) ? [] : [id])))
}

/**
 * The rows that held rows name. Such a row came back for one that could not be written, and stays as long as that is held (`leaveWaited`).
 */
async function namedByHeld(tx: ReadTx, schoolId: string, table: Replicated): Promise<Set<string>> {
  const links = linksTo(table)
  const named = (await heldRows(tx, schoolId)).flatMap(({ table: child, state }) =>
    links.filter((link) => link.child === child).map((link) => parentIdOf(link, { ...state.values, id: state.id } as AnyRow)),
  )
  return new Set(named.filter((id) => id !== null))
}

async function ruledBy(tx: ReadTx, table: Replicated, schoolId: string, there: readonly KnownRow[]): Promise<Ruled> {
  const states = there.map(({ state }) => state)
  if (hasUniqueRule(table)) {
    const staying = new Set(states.filter(({ alive }) => alive.length === 0).map(({ id }) => id))
    return (await settleUniqueRules(tx, table, schoolId, states, [], staying)).settled
  }
  if (table === 'report_book') return new Map(states.map((state) => [state.id, settleBook(state)]))
  if (table === 'report_book_entry') return entriesAsSent(tx, schoolId, there)
  if (table === 'school_management') return administrators(tx, schoolId)
  if (table !== 'assessment') return new Map()
  const tops = await topsOf(tx, { school: schoolId, ids: JSON.stringify(states.map(({ id }) => id)) })
  const topById = new Map(tops.map(({ id, top }) => [id, top]))
  return new Map(
    states.map((state) => {
      const settled = settleMaximum(state, topById.get(state.id) ?? null)
      return [state.id, settled ? [settled] : []]
    }),
  )
}

async function entriesAsSent(tx: ReadTx, schoolId: string, there: readonly KnownRow[]): Promise<Ruled> {
  const bookOf = ({ state }: KnownRow) => state.values['report_book_id'] as string
  const books = await knownRows(tx, 'report_book', schoolId, [...new Set(there.map(bookOf))])
  return new Map(
    there.map((each) => {
      const book = books.get(bookOf(each))
      const freeze = book && freezeOf(book.state)
      return [each.state.id, freeze ? settleEntry(each.state, freeze) : each.state.alive.length > 0 ? [] : null]
    }),
  )
}

async function administrators(tx: ReadTx, schoolId: string): Promise<Ruled> {
  const ids = await tx.dialect.rowIdsAfter(tx.connection, schoolId, 'school_management', COMMONS, Number.MAX_SAFE_INTEGER)
  const members = await knownRows(tx, 'school_management', schoolId, ids)
  const kept = settleAdmins([...members.values()].map(({ state }) => state))
  return kept ? new Map([[kept.id, kept.settled]]) : new Map()
}
