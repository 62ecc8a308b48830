import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import type { TFunction } from 'i18next'
import { enumerated, lasting } from '../words/format.ts'

/**
 * The work that waits for this person: conflicts to decide, refused writes of this computer (`stuck`) and of computers below it (`below`),
 * and copied computers.
 */
export type OpenWork = { decisions: number; stuck: number; below: number; copies: number }
/** `isWork`: a person must act. */
export type SyncSummary = { text: string; tone: 'none' | 'good' | 'warn' | 'bad'; isWork?: true }

/** The most important fact of a status, as a sentence. `now` in ms. */
export function syncSummaryOf(t: TFunction<'sync'>, status: SyncStatus, work: OpenWork, now: number): SyncSummary {
  const connection = connectionSummary(t, status, now)
  return connection.isWork ? connection : (openWorkSummary(t, work) ?? connection)
}

/** The work of this person, as a sentence; null where there is none. */
export function openWorkSummary(t: TFunction<'sync'>, { decisions, stuck, below, copies }: OpenWork): SyncSummary | null {
  if (decisions > 0) return { text: t('line.decide', { count: decisions }), tone: 'warn', isWork: true }
  if (stuck > 0) return { text: t('line.stuck', { count: stuck }), tone: 'warn', isWork: true }
  if (below > 0) return { text: t('line.below', { count: below }), tone: 'warn', isWork: true }
  return copies > 0 ? { text: t('line.copies', { count: copies }), tone: 'warn', isWork: true } : null
}

/**
 * The state of the connection, as a sentence: what waits and for how long, what is being sent, or that everything has arrived. `now` in ms.
 */
export function connectionSummary(t: TFunction<'sync'>, status: SyncStatus, now: number): SyncSummary {
  const { state, obstacle, copy, waiting, oldest_waiting_at, files_to_send, files_to_come } = status
  if (state === 'revoked' || state === 'upgrade') return { text: t(`line.${state}`), tone: 'bad', isWork: true }
  if (obstacle === 'altered') return { text: t('line.altered'), tone: 'bad' }
  if (obstacle === 'parent_older') return { text: t(`line.parent_older.${status.parent?.kind ?? 'centre'}`), tone: 'bad' }
  if (state === 'alone') return { text: t('line.alone'), tone: 'none' }
  if (copy) return { text: t('line.copying', copy), tone: state === 'offline' ? 'warn' : 'none' }
  const count = waiting + files_to_send + files_to_come
  const what = enumerated(partsOf(t, status))
  const place = status.reached ?? 'centre'
  if (count === 0 && status.difference?.healed_at === null) return { text: t(`line.differs.${place}`), tone: 'warn' }
  if (state === 'offline') {
    if (count === 0) return { text: t(`line.idle.${place}`), tone: 'warn' }
    const ms = oldest_waiting_at ? now - Date.parse(oldest_waiting_at) : 0
    const isOld = ms > MINUTE
    return { text: isOld ? t('line.waitingFor', { count, what, age: lasting(ms) }) : t('line.waiting', { count, what }), tone: 'warn' }
  }
  if (waiting > 0) return { text: t('line.sending', { what }), tone: 'none' }
  return count > 0 ? { text: t(`line.files.${place}`, { what }), tone: 'none' } : { text: t(`line.all.${place}`), tone: 'good' }
}

/** How long younger writes have waited is not shown. */
const MINUTE = 60_000

function partsOf(t: TFunction<'sync'>, { waiting, waiting_marks, files_to_send, files_to_come }: SyncStatus): string[] {
  const [others, files] = [waiting - waiting_marks, files_to_send + files_to_come]
  return [
    ...(waiting_marks > 0 ? [t('line.part.marks', { count: waiting_marks })] : []),
    ...(others > 0 ? [t(waiting_marks > 0 ? 'line.part.others' : 'line.part.changes', { count: others })] : []),
    ...(files > 0 ? [t('line.part.files', { count: files })] : []),
  ]
}
