import { replicationFailures } from '@markbook/shared/contract/replication'
import { groupedBy } from '@markbook/shared/grouped-by'
import { changesToText } from '@markbook/shared/tables/changes'
import { descriptions, type Replicated, type Row, type Tables } from '@markbook/shared/tables/tables'
import { detailOf } from '@markbook/sync/journal'
import { EXISTENCE, type Versions } from '@markbook/sync/versions'
import { and, type Column, eq, getTableColumns, inArray, type Table } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { Absences } from './absences.ts'
import { encodersOf } from './column-encoders.ts'
import type { Connection } from './connection.ts'
import type { HistoryWrite, SyncRowWrite } from './dialect.rows.ts'
import type { Dialect } from './dialect.ts'
import { digestOf } from './history-chain.ts'
import {
  type Action,
  type AnyRow,
  actionOf,
  bySchool,
  changesOf,
  entriesIn,
  nearIdOf,
  type RowChange,
  rowOf,
  same,
  schoolOf,
  unitsByColumns,
  withId,
} from './row-changes.ts'
import type { Change, NewRow, Note, Placing, ReplicaWrites, RestampEntry, WrittenRow } from './tx.ts'
import { type OverruledDeletion, stampedRows } from './version-stamps.ts'

export type Writer = { node: string; actor: string | null; now: string; nowMs: number; newId(): string; isLaptop(): Promise<boolean> }

/**
 * The only way to write a replicated row. Rows are written at once; the versions and history entries of all rows that a transaction wrote
 * are written together by `close`, just before the commit.
 */
export class ChangeTracker implements ReplicaWrites {
  /** The schools whose feeds this transaction advanced, and the peers whose changes did so (null: this node). */
  readonly advanced = new Set<string>()
  readonly sources = new Set<string | null>()
  private readonly written = new Map<string, RowChange>()
  private readonly notes: (Note & { entryId: string })[] = []
  /** By school: received history, and received versions by table and row; the last version of a row counts. */
  private readonly brought = new Map<string, { rows: Map<string, Map<string, SyncRowWrite>>; history: HistoryWrite[] }>()

  private readonly retold: { schoolId: string; entry: HistoryWrite }[] = []
  /** Deletions of rows that were kept in spite of them, and that a write of this transaction has ended. */
  readonly overruled: OverruledDeletion[] = []
  private readonly absences: Absences
  private readonly automatic: Readonly<Record<string, unknown>>
  constructor(
    private readonly connection: Connection,
    private readonly dialect: Dialect,
    private readonly writer: Writer,
  ) {
    this.absences = new Absences(connection, dialect)
    const { now, actor } = writer
    this.automatic = { created_at: now, updated_at: now, created_by: actor, updated_by: actor }
  }

  async insert<T extends Replicated>(table: T, rows: readonly NewRow<T>[]): Promise<Row<T>[]> {
    if (rows.length === 0) return []
    await this.demandWrittenHere(table)
    const stored = rows.map((row) => withId(table, this.completed(table, row as unknown as AnyRow, 'create')))
    await this.dialect.writeRows(this.connection, this.tableOf(table), stored, 'insert')
    const units = new Set([EXISTENCE, ...Object.keys(descriptions[table].units)])
    for (const row of stored) this.remember(table, null, row, units)
    return stored as unknown as Row<T>[]
  }

  async update<T extends Replicated>(table: T, changes: readonly Change<T>[]): Promise<Row<T>[]> {
    if (changes.length > 0) await this.demandWrittenHere(table)
    const results: AnyRow[] = []
    const stored: AnyRow[] = []
    const columns = new Set<string>()
    const unitsFor = unitsByColumns(table)
    for (const { before, patch } of changes as readonly { before: AnyRow; patch: AnyRow }[]) {
      const merged = this.derived(table, { ...before, ...patch })
      const changed = Object.keys(descriptions[table].derive ? merged : patch).filter((name) => !same(merged[name], before[name]))
      const units = unitsFor(changed)
      const after = units.size > 0 ? this.completed(table, merged, 'update') : merged
      results.push(after)
      if (changed.length === 0) continue
      const frozen = changed.find((name) => descriptions[table].identity.includes(name))
      if (frozen) throw new Error(`${table}.${frozen} never changes after creation`)
      stored.push(after)
      for (const name of Object.keys(after)) if (!columns.has(name) && !same(after[name], before[name])) columns.add(name)
      // A change of derived columns alone is not recorded: every node computes them.
      if (units.size > 0) this.remember(table, before, after, units)
    }
    if (stored.length > 0) await this.dialect.updateRows(this.connection, this.tableOf(table), stored, [...columns].sort())
    return results as unknown as Row<T>[]
  }

  async remove<T extends Replicated>(table: T, rows: readonly Row<T>[]): Promise<void> {
    const list = rows as unknown as readonly AnyRow[]
    if (list.length === 0) return
    await this.demandWrittenHere(table)
    for (const child of descriptions[table].cascade ?? []) await this.removeChildren(child.table as Replicated, child.column, list)
    for (const [schoolId, group] of bySchool(table, list)) {
      await this.dialect.deleteRows(
        this.connection,
        this.tableOf(table),
        descriptions[table].scope === 'school' ? schoolId : null,
        group.map((row) => row.id),
      )
    }
    const units = new Set([EXISTENCE])
    for (const row of list) this.remember(table, row, null, units)
  }

  /** The history entry that this transaction will write for a row, or null where it wrote none. */
  entryOf(table: Replicated, id: string): HistoryWrite | null {
    const entry = this.written.get(`${table}:${id}`)
    return entry && actionOf(entry) !== null ? this.historyOf(entry) : null
  }

  note(note: Note): void {
    this.notes.push({ ...note, entryId: this.writer.newId() })
  }

  /**
   * Reads the versions of all written rows. Returns whether the school of one of them has an open conflict, which the write may have
   * decided.
   */
  async readVersions(): Promise<boolean> {
    const unread = [...this.written.values()].filter(({ stored }) => stored === undefined)
    let isAnyOpen = false
    for (const [schoolId, ofSchool] of groupedBy(unread, (entry) => entry.schoolId))
      for (const [table, entries] of groupedBy(ofSchool, (entry) => entry.table)) {
        const byId = new Map(entries.map((entry) => [rowOf(entry).id, entry]))
        for (const entry of entries) entry.stored = null
        for (const row of await this.dialect.versionsToWrite(this.connection, schoolId, table, [...byId.keys()])) {
          ;(byId.get(row.row_id) as RowChange).stored = row
          isAnyOpen ||= Boolean(row.any_open)
        }
        // Rows received in this transaction count as stored before this node's own writes.
        const brought = this.receivedOf(schoolId, table)
        for (const entry of entries) {
          const row = brought.get(rowOf(entry).id)
          if (row) entry.stored = { ...row, place: entry.stored?.place ?? row.place }
        }
      }
    return isAnyOpen
  }

  /** Writes the versions and history of everything written since the last call. */
  async close(): Promise<void> {
    await this.readVersions()
    await this.absences.demandStillAbsent((schoolId, table, id) => this.receivedOf(schoolId, table).has(id))
    const schools = [
      ...new Set([...this.written.values(), ...this.notes, ...this.retold].map(({ schoolId }) => schoolId).concat(...this.brought.keys())),
    ].sort()
    for (const schoolId of schools) {
      const entries = [...this.written.values()].filter((entry) => entry.schoolId === schoolId && actionOf(entry) !== null)
      const notes = this.notes.filter((note) => note.schoolId === schoolId)
      const brought = this.brought.get(schoolId)
      const overruled = (deletion: OverruledDeletion) => void this.overruled.push(deletion)
      const stamped = stampedRows(schoolId, entries, this.writer, overruled)
      for (const { entry } of stamped) this.discardReceived(schoolId, entry.table, [rowOf(entry).id])
      const retold = this.retold.filter((each) => each.schoolId === schoolId).map(({ entry }) => entry)
      const own = [...stamped.flatMap(({ entry, stamps }) => entriesIn(entry).map((each) => this.historyOf(each, stamps))), ...retold]
      const history = [...own.sort((a, b) => (a.id < b.id ? -1 : 1)), ...notes.map((note) => this.historyOfNote(note))]
      const rows = [...stamped.map(({ written }) => written), ...[...(brought?.rows.values() ?? [])].flatMap((own) => [...own.values()])]
      const all = [...history, ...(brought?.history ?? [])]
      if (rows.length + all.length === 0) continue
      const digest = history.length === 0 ? '' : digestOf(history)
      await this.dialect.advance(this.connection, { schoolId, digest, rows, history: all })
      this.advanced.add(schoolId)
      for (const { source_id = null } of [...rows, ...all]) this.sources.add(source_id)
    }
    this.written.clear()
    this.notes.length = 0
    this.retold.length = 0
    this.brought.clear()
  }

  /** Writes rows that replication has merged and settled. Their versions already exist and are recorded by `recordReceived`. */
  async place(table: Replicated, rows: Iterable<AnyRow>, how: Placing = 'replace'): Promise<void> {
    // On a database with concurrent writers, a row that was not found may exist by now (docs/design/store.md).
    const known = how === 'new' ? (this.dialect.writesAlone ? 'insert' : 'replace') : how
    if (typeof known === 'string') await this.dialect.writeRows(this.connection, this.tableOf(table), rows, known)
    else await this.dialect.updateRows(this.connection, this.tableOf(table), [...rows], known)
  }

  async erase(table: Replicated, schoolId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.dialect.deleteRows(this.connection, this.tableOf(table), descriptions[table].scope === 'school' ? schoolId : null, ids)
  }

  /** Records versions and history of other nodes, under the next number of this node's feed. */
  recordReceived(schoolId: string, rows: readonly SyncRowWrite[], history: readonly HistoryWrite[] = []): void {
    if (rows.length + history.length === 0) return
    const brought = this.brought.get(schoolId) ?? { rows: new Map<string, Map<string, SyncRowWrite>>(), history: [] as HistoryWrite[] }
    this.brought.set(schoolId, brought)
    for (const row of rows) {
      const own = brought.rows.get(row.table_name) ?? new Map<string, SyncRowWrite>()
      brought.rows.set(row.table_name, own.set(row.row_id, row))
    }
    brought.history.push(...history)
  }

  /** For writes that get new stamps: adds a history entry without changes that states the original write. */
  restate(schoolId: string, writes: readonly RestampEntry[]): void {
    const { now, node } = this.writer
    for (const { actor_id, entity, row_id, near_id, action, detail } of writes) {
      const id = this.writer.newId()
      const changes = changesToText({})
      const entry = { id, at: now, actor_id, node_id: node, entity, row_id, near_id, action, changes, detail }
      this.retold.push({ schoolId, entry })
    }
  }

  /** Discards the versions that this transaction received for these rows. */
  discardReceived(schoolId: string, table: Replicated, ids: readonly string[]): void {
    for (const id of ids) this.brought.get(schoolId)?.rows.get(table)?.delete(id)
  }

  foundAbsent(schoolId: string, table: Replicated, vvById: ReadonlyMap<string, string | null>): void {
    this.absences.note(schoolId, table, vvById)
  }

  /** The versions that this transaction received and has not written yet, by row; they replace the stored ones. */
  receivedOf(schoolId: string, table: string): ReadonlyMap<string, SyncRowWrite> {
    return this.brought.get(schoolId)?.rows.get(table) ?? new Map()
  }

  /** The rows that this transaction wrote itself, for the rules between rows. */
  touched(): readonly WrittenRow[] {
    return [...this.written.values()]
      .filter((entry) => actionOf(entry) !== null)
      .map(({ table, schoolId, before, after, units }) => ({ table, schoolId, before, after, units }))
  }

  /**
   * On a laptop, throws for a table whose rows its parent would refuse, so that such a write is never acknowledged
   * (docs/design/replication.md).
   */
  private async demandWrittenHere(table: Replicated): Promise<void> {
    if (descriptions[table].notOnLaptops && (await this.writer.isLaptop())) throw replicationFailures.notOnALaptop()
  }

  private async removeChildren(table: Replicated, column: string, parents: readonly AnyRow[]) {
    const definition = this.tableOf(table)
    const columns = getTableColumns(definition) as Record<string, Column>
    for (const [schoolId, group] of bySchool(table, parents)) {
      const ids = group.map((row) => row.id)
      const children = await this.connection.db
        .select()
        .from(definition as SQLiteTable)
        .where(and(eq(columns['school_id'] as Column, schoolId), inArray(columns[column] as Column, ids)))
      await this.remove(table, children as Row<typeof table>[])
    }
  }

  /** `stamps`: the new stamps of the row, known when the transaction is about to end. */
  private historyOf(entry: RowChange, stamps: Versions['units'] = {}): HistoryWrite {
    const { now, nowMs, actor, node } = this.writer
    const { table } = entry
    const [action, row, changes] = [actionOf(entry) as Action, rowOf(entry), changesOf(entry)]
    const detail = detailOf({ table, action, actor_id: actor, at: nowMs, changes, row, stamps })
    return {
      id: entry.entryId,
      at: now,
      actor_id: actor,
      node_id: node,
      entity: table,
      row_id: row.id,
      near_id: nearIdOf(table, row),
      action,
      changes: changesToText(changes),
      detail: detail ? JSON.stringify(detail) : undefined,
    }
  }

  private historyOfNote({ entryId, schoolId, entity, id, action, changes }: Note & { entryId: string }): HistoryWrite {
    const { now, actor, node } = this.writer
    const changed = Object.fromEntries(Object.entries(changes).map(([name, after]) => [name, { before: null, after }]))
    return {
      id: entryId,
      at: now,
      actor_id: actor,
      node_id: node,
      entity,
      row_id: id,
      near_id: schoolId,
      action,
      changes: changesToText(changed),
    }
  }

  /**
   * Several writes of one row in one transaction become one entry, from the first `before` to the last `after`, unless the row was
   * deleted.
   */
  private remember(table: Replicated, before: AnyRow | null, after: AnyRow | null, units: ReadonlySet<string>) {
    const row = (after ?? before) as AnyRow
    const key = `${table}:${row.id}`
    const earlier = this.written.get(key)
    if (earlier) {
      if (after === null && earlier.before && earlier.after) earlier.ended = { entryId: this.writer.newId(), row: earlier.after }
      earlier.after = after
      earlier.units = new Set([...earlier.units, ...units])
    } else {
      this.written.set(key, { entryId: this.writer.newId(), table, schoolId: schoolOf(table, row), before, after, units })
    }
  }

  private derived(table: Replicated, row: AnyRow): AnyRow {
    const { derive } = descriptions[table]
    return derive ? { ...row, ...derive(row) } : row
  }

  private completed(table: Replicated, row: AnyRow, action: Action): AnyRow {
    const full: AnyRow = this.derived(table, row)
    const { automatic } = this
    const creation = action === 'create'
    const complete: Record<string, unknown> = {}
    for (const { name } of encodersOf(this.tableOf(table))) {
      const isAutomatic = name in automatic && (creation ? full[name] === undefined : name.startsWith('updated'))
      complete[name] = (isAutomatic ? automatic[name] : full[name]) ?? null
    }
    return complete as AnyRow
  }

  private tableOf(table: Replicated): Table {
    return this.dialect.tables[table as keyof Tables] as Table
  }
}
