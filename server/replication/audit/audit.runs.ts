import { createHmac } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq, inArray } from 'drizzle-orm'
import { orNull } from '../../or-null.ts'
import { isSameSecret } from '../../store/encryption.ts'
import { lockedNode } from '../../store/node.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { type Found, isBad, Verdict, verdictToText } from './audit.found.ts'
import type { KeptHead } from './audit.kept.ts'

type Run = Row<'audit_run'>
type Sealed = Pick<Run, 'id' | 'school_id' | 'begun_at' | 'ended_at' | 'is_bad' | 'found'>

function sealOf({ id, school_id, begun_at, ended_at, is_bad, found }: Sealed, key: Buffer): string {
  const text = JSON.stringify(['markbook-audit-1', id, school_id, begun_at, ended_at, is_bad, found])
  return createHmac('sha256', key).update(text).digest('base64url')
}

const runsOf = rowsBy('audit_run', { school: 'school_id' }, { orderBy: [{ desc: 'begun_at' }, { desc: 'id' }] })

/** A run that ended: when it began and ended, and what it found. */
export type Ended = { begun: string; at: string; isBad: boolean; verdict: Verdict }

/**
 * The key that seals verdicts. `unchecked` where the secret is not read, as by `markbook status`: what counts is in the figures of the
 * running server.
 */
export type SealKey = Buffer | 'unchecked'

/** Null for a run that has not ended, and for a row that no server with this secret wrote so: it does not count, and the school is due. */
function endedOf(run: Run, key: SealKey): Ended | null {
  const { begun_at: begun, ended_at: at, is_bad, found, seal } = run
  if (at === null || found === null || seal === null) return null
  if (key !== 'unchecked' && !isSameSecret(Buffer.from(seal), Buffer.from(sealOf(run, key)))) return null
  const verdict = Verdict.safeParse(parsedOrNull(found))
  return verdict.success ? { begun, at, isBad: is_bad === true, verdict: verdict.data } : null
}

const parsedOrNull = (text: string): unknown => orNull(() => JSON.parse(text))

/** The runs of a school that ended, the last first. */
export async function endedRuns(tx: ReadTx, school: string, key: SealKey): Promise<Ended[]> {
  return (await runsOf(tx, { school })).flatMap((run) => endedOf(run, key) ?? [])
}

const newestRuns = rowsBy('audit_run', { school: 'school_id' }, { orderBy: [{ desc: 'begun_at' }, { desc: 'id' }], limit: 3 })

/** The last run; null where none of the newest ones has ended and counts. */
export const lastRun = async (tx: ReadTx, school: string, key: SealKey): Promise<Ended | null> =>
  (await newestRuns(tx, { school })).flatMap((run) => endedOf(run, key) ?? [])[0] ?? null

/**
 * The head that was kept last. Runs that found another history are passed over: the head that they miss counts until somebody accepts that.
 */
export async function headOfLastRun(tx: ReadTx, school: string, key: Buffer): Promise<KeptHead | null> {
  const runs = await endedRuns(tx, school, key)
  return runs.find(({ verdict }) => verdict.kept.is !== 'other' && verdict.head !== null)?.verdict.head ?? null
}

/**
 * Whether a school is to be audited: no audit is running, and none began within a day. A time in the future is of a wrong clock, and does
 * not count.
 */
export async function isDue(tx: ReadTx, school: string, key: Buffer): Promise<boolean> {
  const runs = await newestRuns(tx, { school })
  const isRunning = runs.some(({ ended_at, leased_until }) => ended_at === null && isWithin(tx.nowMs, leased_until, limits.audit.leaseMs))
  const last = await lastRun(tx, school, key)
  return !isRunning && !(last && tx.nowMs >= Date.parse(last.begun) && tx.nowMs - Date.parse(last.begun) < limits.audit.dueAfterMs)
}

const isWithin = (now: number, until: string, longest: number): boolean => now < Date.parse(until) && Date.parse(until) - now <= longest

/** Begins a run where the school is due; null where it is not, or another instance of this database has begun one. */
export async function claimRun(tx: WriteTx, school: string, key: Buffer): Promise<string | null> {
  await lockedNode(tx, {})
  if (!(await isDue(tx, school, key))) return null
  return beginRun(tx, school)
}

export async function beginRun(tx: WriteTx, school: string): Promise<string> {
  const id = tx.newId()
  const lease = { begun_at: tx.now, leased_until: toInstant(tx.nowMs + limits.audit.leaseMs) }
  const nothing = { ended_at: null, is_bad: null, found: null, seal: null }
  await tx.local.insert(tx.t.audit_run).values({ id, school_id: school, ...lease, ...nothing })
  return id
}

/** Extends the lease of a run that is still going on. */
export async function renewRun(tx: WriteTx, id: string): Promise<void> {
  const { audit_run } = tx.t
  await tx.local
    .update(audit_run)
    .set({ leased_until: toInstant(tx.nowMs + limits.audit.leaseMs) })
    .where(eq(audit_run.id, id))
}

/** Ends a run with what was found, and forgets the oldest of the school. */
export async function endRun(tx: WriteTx, id: string, found: Found, key: Buffer): Promise<void> {
  const { audit_run } = tx.t
  const [run] = await tx.db.select().from(audit_run).where(eq(audit_run.id, id))
  if (!run) return
  const ended = { ended_at: tx.now, is_bad: isBad(found), found: verdictToText(found) }
  await tx.local
    .update(audit_run)
    .set({ ...ended, seal: sealOf({ ...run, ...ended }, key) })
    .where(eq(audit_run.id, id))
  const old = (await runsOf(tx, { school: run.school_id })).slice(limits.audit.keptRuns).map((each) => each.id)
  if (old.length > 0) await tx.local.delete(audit_run).where(and(eq(audit_run.school_id, run.school_id), inArray(audit_run.id, old)))
}
