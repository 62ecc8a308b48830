import type { SyncStatus } from '@markbook/shared/contract/replication'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq, gt, min, ne, or, isNull, count } from 'drizzle-orm'
import type { Course } from '../../peers/replication.ts'
import type { ReadTx } from '../../store/tx.ts'
import { heldOf, parentOf, refusedOf } from './replication.queries.ts'

/** `course`: what the running replication says of itself; null where none runs here. */
export async function statusOf(tx: ReadTx, school: string, course: Course | null): Promise<SyncStatus> {
  const parent = await parentOf(tx, school)
  const waiting = parent ? await waitingFor(tx, parent) : { rows: 0, oldest: null }
  const { sync_conflict } = tx.t
  const open_conflicts = await tx.line.db.$count(sync_conflict, and(eq(sync_conflict.school_id, school), eq(sync_conflict.status, 'open')))
  const numbers = {
    parent: parent && { name: parent.name, kind: parent.kind as 'school' | 'centre' },
    last_seen_at: parent?.last_seen_at ?? null,
    waiting: waiting.rows,
    oldest_waiting_at: waiting.oldest,
    open_conflicts,
    held: (await heldOf(tx, school)).length,
    refused: (await refusedOf(tx, school, null)).length,
    clock_offset_ms: parent?.clock_offset ?? null,
  }
  const state = stateOf(parent, course, waiting.rows)
  return { state, sentence: sentenceOf(state, numbers, tx.nowMs), ...numbers }
}

type Numbers = Omit<SyncStatus, 'state' | 'sentence'>

function stateOf(parent: Row<'sync_peer'> | null, course: Course | null, waiting: number): SyncStatus['state'] {
  if (!parent) return 'alone'
  const notice = course?.notice ?? 'offline'
  if (notice === 'revoked' || notice === 'upgrade') return notice
  if (notice === 'offline' || notice === 'alone') return 'offline'
  return waiting > 0 ? 'sending' : 'up_to_date'
}

/** Rows that this node's feed has and its parent has not acknowledged, and when the first of them was written. */
async function waitingFor(tx: ReadTx, { school_id, own_seq, node_id }: Row<'sync_peer'>): Promise<{ rows: number; oldest: string | null }> {
  const { sync_row, history } = tx.t
  const school = school_id as string
  const [rows] = await tx.line.db
    .select({ count: count() })
    .from(sync_row)
    .where(and(eq(sync_row.school_id, school), gt(sync_row.seq, own_seq), or(isNull(sync_row.source_id), ne(sync_row.source_id, node_id))))
  if (!rows?.count) return { rows: 0, oldest: null }
  const [oldest] = await tx.line.db
    .select({ at: min(history.at) })
    .from(history)
    .where(and(eq(history.school_id, school), gt(history.seq, own_seq)))
  return { rows: rows.count, oldest: (oldest?.at as string | null) ?? null }
}

const place = (parent: Numbers['parent']) => (parent?.kind === 'centre' ? 'at the centre' : 'at school')

/** What a head reads first. */
export function sentenceOf(state: SyncStatus['state'], { parent, waiting, oldest_waiting_at, open_conflicts }: Numbers, nowMs: number): string {
  const conflicts = open_conflicts > 0 ? ` ${open_conflicts === 1 ? '1 conflict waits' : `${open_conflicts} conflicts wait`} for a decision.` : ''
  const rows = waiting === 1 ? '1 change waits' : `${waiting} changes wait`
  const oldest = oldest_waiting_at ? `, the oldest for ${ago(nowMs - Date.parse(oldest_waiting_at))}` : ''
  switch (state) {
    case 'alone':
      return `This server works alone.${conflicts}`
    case 'up_to_date':
      return `Everything is ${place(parent)}.${conflicts}`
    case 'sending':
      return `${rows} to arrive ${place(parent)}.${conflicts}`
    case 'offline':
      return waiting === 0 ? `No line at the moment; everything is ${place(parent)}.${conflicts}` : `${rows} for the line${oldest}. Nothing is lost.${conflicts}`
    case 'revoked':
      return `An administrator has revoked this server. It goes on by itself and sends nothing.${conflicts}`
    case 'upgrade':
      return `This program is too old for ${parent?.name ?? 'its parent'}: install the newer one. Nothing is lost.${conflicts}`
  }
}

const MINUTE = 60_000
export function ago(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE))
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`
}
