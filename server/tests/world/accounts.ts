import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { canonical, pick, type RowState, type Values } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import { tableOrder } from '../../store/replica/links.ts'
import { rowsWhere } from '../../store/replica/states.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { GONE, isQuiet, keyOf, type Ledger, THERE, type Write } from './ledger.ts'
import type { WorldNode } from './node.ts'

type Accounted = Map<string, Set<string>>
const add = (accounted: Accounted, key: string, value: string) => {
  const values = accounted.get(key) ?? new Set()
  if (values.has(value)) return false
  accounted.set(key, values.add(value))
  return true
}

/**
 * P1: every acknowledged write is current at the centre, or was written over by somebody who saw it and whose write is accounted for, or
 * is a conflict at the centre, or held or refused somewhere. Answers those that are nowhere.
 */
export async function missingWrites(
  ledger: Ledger,
  centre: WorldNode,
  nodes: readonly WorldNode[],
  schools: readonly string[],
): Promise<Write[]> {
  const accounted: Accounted = new Map()
  for (const school of schools) {
    await centre.store.read(asSystem(), (tx) => standing(tx, school, accounted))
    for (const node of nodes) await node.store.read(asSystem(), (tx) => aside(tx, school, accounted))
  }
  const own = ledger.writes.filter(({ school }) => schools.includes(school))
  const told = await toldAt(nodes, schools)
  for (const write of own) if (write.forgiven && told.get(keyOf(write))?.has(write.value)) add(accounted, keyOf(write), write.value)
  close(own, accounted)
  return own.filter((write) => !write.forgiven && !isQuiet(write) && !accounted.get(keyOf(write))?.has(write.value))
}

/** What parents refused and keep for their administrators. It accounts for a write only where the list of its own node went with the disk. */
async function toldAt(nodes: readonly WorldNode[], schools: readonly string[]): Promise<Accounted> {
  const told: Accounted = new Map()
  for (const school of schools) for (const node of nodes) await node.store.read(asSystem(), (tx) => refusedIn(tx, school, 'below', told))
  return told
}

/** What these nodes show or keep, for asking whether a write was anywhere else. */
export async function keptBy(nodes: readonly WorldNode[], school: string): Promise<(write: Write) => boolean> {
  const accounted: Accounted = new Map()
  for (const node of nodes) {
    await node.store.read(asSystem(), async (tx) => {
      await standing(tx, school, accounted)
      await aside(tx, school, accounted)
    })
  }
  return (write) => Boolean(accounted.get(keyOf(write))?.has(write.value))
}

/** What stands on a node's list of refused writes, or waits there. */
export async function refusedAt(node: WorldNode, school: string): Promise<(write: Write) => boolean> {
  const accounted: Accounted = new Map()
  await node.store.read(asSystem(), (tx) => aside(tx, school, accounted))
  return (write) => write.school === school && Boolean(accounted.get(keyOf(write))?.has(write.value))
}

/** What stands on a node's list of conflicts. */
export async function conflictsAt(node: WorldNode, school: string): Promise<(write: Write) => boolean> {
  const accounted: Accounted = new Map()
  await node.store.read(asSystem(), (tx) => recorded(tx, school, accounted))
  return (write) => write.school === school && Boolean(accounted.get(keyOf(write))?.has(write.value))
}

/** Whatever an accounted write was written over is accounted for too. */
function close(writes: readonly Write[], accounted: Accounted): void {
  for (let grew = true; grew; ) {
    grew = false
    for (const write of writes) {
      if (!accounted.get(keyOf(write))?.has(write.value)) continue
      for (const [unit, value] of write.over) grew = add(accounted, keyOf({ ...write, unit }), value) || grew
    }
  }
}

function addRow(accounted: Accounted, table: Replicated, row: string, values: Values): void {
  for (const [unit, columns] of Object.entries(descriptions[table].units))
    add(accounted, keyOf({ table, row, unit }), canonical(pick(values, columns)))
}

async function standing(tx: ReadTx, school: string, accounted: Accounted): Promise<void> {
  for (const table of tableOrder) {
    if (descriptions[table].scope === 'commons') continue
    for (const row of await rowsWhere(tx, table, school)) {
      add(accounted, keyOf({ table, row: row.id, unit: EXISTENCE }), THERE)
      addRow(accounted, table, row.id, row)
    }
  }
  const { sync_row } = tx.t
  const deleted = and(eq(sync_row.school_id, school), eq(sync_row.deleted, true))
  for (const { table_name, row_id } of await tx.connection.db.select().from(sync_row).where(deleted))
    add(accounted, keyOf({ table: table_name as Replicated, row: row_id, unit: EXISTENCE }), GONE)
  // An entry that came late to a book that was sent is kept and not shown. What somebody typed into it is a conflict.
  const late = and(eq(sync_row.school_id, school), eq(sync_row.deleted, false), eq(sync_row.table_name, 'report_book_entry'))
  for (const { row_id } of await tx.connection.db.select().from(sync_row).where(late)) {
    add(accounted, keyOf({ table: 'report_book_entry', row: row_id, unit: EXISTENCE }), THERE)
    addRow(accounted, 'report_book_entry', row_id, { manual_letter: null, teacher_remark: null })
  }
  await recorded(tx, school, accounted)
}

async function recorded(tx: ReadTx, school: string, accounted: Accounted): Promise<void> {
  const { sync_conflict } = tx.t
  for (const conflict of await tx.connection.db.select().from(sync_conflict).where(eq(sync_conflict.school_id, school)))
    addKept(accounted, { ...conflict, table: conflict.entity as Replicated })
}

type KeptWrite = Pick<Row<'sync_conflict'>, 'row_id' | 'unit'> & { table: Replicated; value: Values | null }

function addKept(accounted: Accounted, { table, row_id: row, unit, value }: KeptWrite): void {
  if (unit !== EXISTENCE) return void add(accounted, keyOf({ table, row, unit }), canonical(value))
  add(accounted, keyOf({ table, row, unit }), value === null ? GONE : THERE)
  if (value !== null) addRow(accounted, table, row, value)
}

async function aside(tx: ReadTx, school: string, accounted: Accounted): Promise<void> {
  const { sync_held } = tx.t
  for (const { table_name, row_id, state } of await tx.connection.db.select().from(sync_held).where(eq(sync_held.school_id, school))) {
    const { values, alive } = JSON.parse(state) as RowState
    const table = table_name as Replicated
    add(accounted, keyOf({ table, row: row_id, unit: EXISTENCE }), alive.length > 0 ? THERE : GONE)
    addRow(accounted, table, row_id, values)
  }
  // What a parent kept of it for its administrators proves nothing: the child must have it.
  await refusedIn(tx, school, 'own', accounted)
}

async function refusedIn(tx: ReadTx, school: string, whose: 'own' | 'below', accounted: Accounted): Promise<void> {
  const { sync_refused } = tx.t
  const list = and(eq(sync_refused.school_id, school), (whose === 'own' ? isNull : isNotNull)(sync_refused.peer_id))
  for (const refused of await tx.connection.db.select().from(sync_refused).where(list))
    addKept(accounted, { ...refused, table: refused.table_name as Replicated })
}
