import type { DisagreementReason, Tally } from '@markbook/shared/contract/audit'
import { hasWrongId } from '@markbook/shared/tables/natural'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { clockIn, highIn, type JournalEntry, valuesInEntry, verdictOfEntry } from '@markbook/sync/journal'
import { MADE_BY_RULE } from '@markbook/sync/merge/conflict'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { and, type Column, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import { pick } from '../../store/conditions.ts'
import { misplaced } from '../../store/replica/expected.ts'
import { idsByTable, scopeIn } from '../../store/replica/links.ts'
import { idsThere, isLost, type KnownRow, knownRows, tableIn } from '../../store/replica/states.ts'
import { nearIdOf } from '../../store/row-changes.ts'
import { statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'
import { entryToJournal } from '../journal/row-proofs.ts'
import type { HistoryEvidence, Stored } from './audit.history.ts'

/**
 * A row that is contradicted, and its first unit that is; null for the row as a whole. `here`: what stands, by column. `said`: what the
 * history says instead; null where it says nothing. Times in ms.
 */
export type Disagreement = {
  entity: Replicated
  row_id: string
  unit: string | null
  why: DisagreementReason
  here: Values | null
  said: { values: Values | null; actor: string | null; at: number; node: string } | null
  /** The author and time of the write, as the row itself says. */
  by: { actor: string | null; at: number } | null
}

/** A row of which no unit is told. */
export const wholeRow = (entity: Replicated, row_id: string, why: DisagreementReason): Disagreement => ({
  entity,
  row_id,
  unit: null,
  why,
  here: null,
  said: null,
  by: null,
})

export const nothingCounted = (): Tally => ({ proved: 0, untold: 0, contradicted: 0, unsigned: 0 })

type Entry = JournalEntry & Pick<Stored, 'seq' | 'source_id' | 'head'>
type Unit = { is: 'proved' | 'unsigned' | 'untold' } | { is: 'contradicted'; why: DisagreementReason; by?: Entry }

/** Audits a page of rows. */
export async function auditRows(
  tx: ReadTx,
  school: string,
  evidence: HistoryEvidence,
  table: Replicated,
  ids: readonly string[],
): Promise<{ tally: Tally; disagreements: Disagreement[] }> {
  const known = await knownRows(tx, table, school, ids)
  const entries = await entriesOf(tx, table, school, known)
  const wrong = await misplaced(tx, table, school, [...known.values()])
  const records = table === 'sync_conflict' ? await recordedWrites(tx, school, [...known.values()]) : null
  const tally = nothingCounted()
  const disagreements: Disagreement[] = []
  for (const each of known.values()) {
    const { id } = each.state
    const own = new RowAudit(table, each, entries.get(id) ?? [], evidence)
    const found = own.whole(wrong) ?? own.contradicted() ?? (records && own.recorded(records.get(id)))
    if (found) {
      tally.contradicted += 1
      disagreements.push(found)
      continue
    }
    const units = own.verdicts.map(({ is }) => is)
    tally[units.includes('untold') ? 'untold' : 'proved'] += 1
    if (units.includes('unsigned') && !units.includes('untold')) tally.unsigned += 1
  }
  return { tally, disagreements }
}

class RowAudit {
  readonly verdicts: readonly Unit[]

  constructor(
    private readonly table: Replicated,
    private readonly known: KnownRow,
    private readonly entries: readonly Entry[],
    private readonly evidence: HistoryEvidence,
  ) {
    this.verdicts = Object.keys(known.state.units).map((unit) => this.verdictOn(unit))
  }

  /**
   * What is wrong with the row as a whole; null for nothing. `wrong`: rows that do not stand as they should, with a column that shows it.
   */
  whole(wrong: ReadonlyMap<string, string | null>): Disagreement | null {
    const { state, row } = this.known
    if (isLost(this.known)) return this.disagreement('gone', EXISTENCE, null, null)
    if (row && Object.keys(state.units).length === 0) return this.disagreement('unwritten', null, null, null)
    if (hasWrongId(this.table, { ...state.values, id: state.id }) && (row || state.alive.length > 0))
      return this.disagreement('misplaced', null, null, null)
    const column = wrong.get(state.id)
    // A contradicted claim is told first: it says who wrote what.
    if (column === undefined || this.contradicted()) return null
    return this.disagreement('misplaced', null, null, column === null ? null : { [column]: row?.[column] ?? null })
  }

  contradicted(): Disagreement | null {
    const units = Object.keys(this.known.state.units)
    for (const [at, verdict] of this.verdicts.entries()) {
      if (verdict.is !== 'contradicted') continue
      const unit = units[at] as string
      return this.disagreement(verdict.why, unit, verdict.by ?? null, this.shown(unit))
    }
    return null
  }

  private verdictOn(unit: string): Unit {
    const { state, row, extra } = this.known
    const [node, counter] = state.units[unit] as Stamp
    if (node === MADE_BY_RULE) return this.table === 'sync_conflict' ? { is: 'proved' } : { is: 'contradicted', why: 'other' }
    // For some deletions older programs kept no values.
    if (row === null && extra?.last === undefined) return { is: 'untold' }
    const own = this.entries.filter((entry) => entry.node_id === node && entry.node_seq === counter)
    const highs = this.entries.map((entry) => highIn(this.table, entry, unit) ?? 0)
    return this.verdictBy(own, { state, unit, highest: Math.max(0, ...highs) }, this.table)
  }

  private verdictBy(own: readonly Entry[], claimed: Parameters<typeof verdictOfEntry>[2], table: Replicated): Unit {
    const [node, counter, hlc] = claimed.state.units[claimed.unit] as Stamp
    if (own.length === 0) return this.evidence.isTakenOut(node, counter) ? { is: 'contradicted', why: 'taken_out' } : { is: 'untold' }
    const said = own.map((entry) => ({ entry, says: verdictOfEntry(table, entry, claimed, this.evidence.isWhole(entry)) }))
    const trusts = said.filter(({ says }) => says === 'this').map(({ entry }) => this.evidence.trustIn(entry))
    if (trusts.includes('own') || trusts.includes('signed')) return { is: 'proved' }
    if (trusts.includes('unsigned')) return { is: 'unsigned' }
    if (trusts.length > 0) return { is: 'contradicted', why: trusts.includes('broken') ? 'changed' : 'forged' }
    // The clock of a write is not before the time of its entry, where the entry does not tell the clock.
    const isOfAnotherMoment = (entry: Entry) => {
      const clock = clockIn(entry, claimed.unit)
      return this.evidence.isWhole(entry) ? clock !== hlc : clock > hlc
    }
    if (this.evidence.mayBeTwofold(node) && own.every(isOfAnotherMoment)) return { is: 'untold' }
    const other = said.find(({ says }) => says === 'other')
    return other ? { is: 'contradicted', why: 'other', by: other.entry } : { is: 'untold' }
  }

  /** For a conflict record: whether the history says that the lost write was made. Null where it does, or says nothing. */
  recorded(write: RecordedWrite | undefined): Disagreement | null {
    if (!write) return null
    const { table, unit, state, entries } = write
    const verdict = this.verdictBy(entries, { state, unit, highest: Number.MAX_SAFE_INTEGER }, table)
    if (verdict.is !== 'contradicted') return null
    return this.disagreement(verdict.why, EXISTENCE, null, { value: this.known.state.values['value'] ?? null })
  }

  /** What stands of a unit, by column; null for a deletion. */
  private shown(unit: string): Values | null {
    const { state } = this.known
    const { identity, units, sealed = [] } = descriptions[this.table]
    if (unit === EXISTENCE && state.alive.length === 0) return null
    const columns = unit === EXISTENCE ? identity : (units[unit] ?? [])
    return Object.fromEntries(columns.filter((column) => !sealed.includes(column)).map((column) => [column, state.values[column] ?? null]))
  }

  private disagreement(why: DisagreementReason, unit: string | null, entry: Entry | null, here: Values | null): Disagreement {
    const { state } = this.known
    const stamp = state.units[unit ?? EXISTENCE]
    const said = entry && {
      values: entry.action === 'delete' ? null : valuesInEntry(this.table, entry, unit ?? EXISTENCE),
      actor: entry.actor_id,
      at: entry.at,
      node: entry.node_id,
    }
    return { entity: this.table, row_id: state.id, unit, why, here, said, by: stamp ? { actor: stamp[3], at: stamp[2] } : null }
  }
}

type Near = { school: string; near: string; rows: string }
const entriesNear = statement<Near>()(({ db, t: { history }, p, dialect }) =>
  db
    .select({
      ...pick(history, 'id', 'at', 'actor_id', 'node_id', 'node_seq', 'entity', 'row_id'),
      ...pick(history, 'action', 'detail', 'head', 'seq', 'source_id'),
      changes: sql<string>`${history.changes}`,
    })
    .from(history)
    .where(
      and(
        eq(history.school_id, p.school),
        dialect.inList(history.near_id as never, p.near),
        dialect.inList(history.row_id as never, p.rows),
      ),
    ),
)

/** By row, its entries, looked up by where they lie (`near_id`). */
async function entriesOf(
  tx: ReadTx,
  table: Replicated,
  school: string,
  known: ReadonlyMap<string, KnownRow>,
): Promise<Map<string, Entry[]>> {
  const places = new Set([...known].map(([id, { state }]) => nearIdOf(table, { ...state.values, id })))
  const rows = [...known.keys()]
  const found = await entriesNear(tx, { school: scopeIn(table, school), near: JSON.stringify([...places]), rows: JSON.stringify(rows) })
  const byRow = new Map<string, Entry[]>()
  for (const entry of found) {
    if (entry.entity !== table) continue
    const own = byRow.get(entry.row_id)
    if (own) own.push(entryToJournal(entry))
    else byRow.set(entry.row_id, [entryToJournal(entry)])
  }
  return byRow
}

type RecordedWrite = { table: Replicated; unit: string; state: RowState; entries: readonly Entry[] }

/** By conflict record: the lost write of a unit that it keeps, and the entries with the dot of that write. */
async function recordedWrites(tx: ReadTx, school: string, records: readonly KnownRow[]): Promise<Map<string, RecordedWrite>> {
  const all = records.map(({ state }) => state.values as Row<'sync_conflict'>)
  const kept = all.filter(({ unit, value }) => unit !== EXISTENCE && value !== null)
  const found = new Map<string, RecordedWrite>()
  for (const [table, ids] of idsByTable(kept.map(({ entity, row_id }) => ({ table: entity, id: row_id })))) {
    const known = await knownRows(tx, table, school, ids)
    const entries = await entriesOf(tx, table, school, known)
    for (const { id, entity, row_id, unit, value, node_id, counter, hlc, actor_id } of kept) {
      const row = entity === table ? known.get(row_id) : undefined
      if (!row) continue
      const state = {
        ...row.state,
        units: { [unit]: [node_id, counter, hlc, actor_id] as const },
        values: { ...row.state.values, ...value },
      }
      const of = (entries.get(row_id) ?? []).filter((entry) => entry.node_id === node_id && entry.node_seq === counter)
      found.set(id, { table, unit, state, entries: of })
    }
  }
  return found
}

/** Ids of rows of a table without versions: nobody wrote them. At most `limit`. */
export async function unwritten(tx: ReadTx, table: Replicated, school: string, limit: number): Promise<string[]> {
  const { sync_row } = tx.t
  const definition = tableIn(tx, table)
  const columns = getTableColumns(definition) as Record<string, Column>
  const id = columns['id'] as Column
  const own = { school: columns['school_id'], self: id, commons: undefined }[descriptions[table].scope]
  const rows = await tx.db
    .select({ id: sql<string>`${id}` })
    .from(definition as never)
    .leftJoin(sync_row, and(eq(sync_row.school_id, scopeIn(table, school)), eq(sync_row.table_name, table), eq(sync_row.row_id, id)))
    .where(and(isNull(sync_row.row_id), own ? eq(own, school) : undefined))
    .limit(limit)
  return rows.map((row: { id: string }) => row.id)
}

/**
 * Rows that this database wrote, as these entries say, that are not here and that nobody deleted. Only for a node without a parent: a
 * parent may have refused them.
 */
export async function vanished(tx: ReadTx, school: string, entries: readonly Stored[]): Promise<Disagreement[]> {
  const found: Disagreement[] = []
  const written = entries.filter(({ action }) => action !== 'delete')
  for (const [table] of idsByTable(written.map(({ entity, row_id }) => ({ table: entity, id: row_id })))) {
    const own = new Map(written.filter(({ entity }) => entity === table).map((entry) => [entry.row_id, entry]))
    const stored = await tx.dialect.versionsOf(tx.connection, school, table, [...own.keys()])
    for (const { row_id } of stored) own.delete(row_id)
    // A row that stands without versions is told as `unwritten`.
    for (const id of await idsThere(tx, table, school, [...own.keys()])) own.delete(id)
    if (own.size === 0) continue
    const near = JSON.stringify([...new Set([...own.values()].map(({ near_id }) => near_id))])
    for (const { row_id, action } of await entriesNear(tx, { school, near, rows: JSON.stringify([...own.keys()]) }))
      if (action === 'delete') own.delete(row_id)
    for (const entry of own.values()) found.push(goneOf(table, entry))
  }
  return found
}

function goneOf(entity: Replicated, entry: Stored): Disagreement {
  const told = entryToJournal(entry)
  const { identity, units } = descriptions[entity]
  const values = Object.assign({}, ...[EXISTENCE, ...Object.keys(units)].map((unit) => valuesInEntry(entity, told, unit))) as Values
  const shown = Object.fromEntries(Object.entries(values).filter(([column, value]) => value !== null && !identity.includes(column)))
  const said = { values: shown, actor: told.actor_id, at: told.at, node: told.node_id }
  return { ...wholeRow(entity, entry.row_id, 'gone'), said }
}
