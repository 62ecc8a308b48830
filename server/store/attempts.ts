import { toInstant } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import { and, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { rowsBy } from './statement.ts'
import type { ReadTx, WriteTx } from './tx.ts'

/** At most `max` within a window of `windowMs` milliseconds that starts with the first one. */
export type Limit = { max: number; windowMs: number }

const byKey = rowsBy('attempt', { key: 'key' })

/** The number counted in the current window. */
export async function countOf(tx: ReadTx, key: string): Promise<number> {
  const [row] = await byKey(tx, { key })
  return row && row.resets_at > tx.now ? row.count : 0
}

/** Milliseconds until another one is allowed; 0 where it is allowed now. */
export async function waitFor(tx: ReadTx, key: string, { max }: Pick<Limit, 'max'>): Promise<number> {
  const [row] = await byKey(tx, { key })
  return row && row.count >= max ? Math.max(0, Date.parse(row.resets_at) - tx.nowMs) : 0
}

/** Adds `amount` in one statement, so that concurrent calls are all counted. */
export async function count(tx: WriteTx, key: string, windowMs: number, amount = 1): Promise<{ count: number; resets_at: string }> {
  const { attempt } = tx.t
  const isOver = sql`${attempt.resets_at} <= ${tx.now}`
  const [row] = await tx.local
    .insert(attempt)
    .values({ key, count: amount, resets_at: toInstant(tx.nowMs + windowMs) })
    .onConflictDoUpdate({
      target: attempt.key,
      set: {
        count: sql`case when ${isOver} then excluded.count else ${attempt.count} + excluded.count end`,
        resets_at: sql`case when ${isOver} then excluded.resets_at else ${attempt.resets_at} end`,
      },
    })
    .returning({ count: attempt.count, resets_at: attempt.resets_at })
  return row as { count: number; resets_at: string }
}

/**
 * Counts one where the limit allows it. Returns 0, or the milliseconds to wait. Beyond the limit it only reads, so a flood of calls writes
 * nothing.
 */
export async function take(tx: WriteTx, key: string, limit: Limit): Promise<number> {
  const wait = await waitFor(tx, key, limit)
  if (wait > 0) return wait
  const counted = await count(tx, key, limit.windowMs)
  return counted.count > limit.max ? Date.parse(counted.resets_at) - tx.nowMs : 0
}

/** The keys among these that were counted in their current window. */
export async function countedKeys(tx: ReadTx, keys: readonly string[]): Promise<Set<string>> {
  const { attempt } = tx.t
  if (keys.length === 0) return new Set()
  const rows = await tx.db
    .select({ key: attempt.key })
    .from(attempt)
    .where(and(inArray(attempt.key, [...keys]), gt(attempt.resets_at, tx.now)))
  return new Set(rows.map(({ key }) => key))
}

/** The key of the counter that limits `sweep` itself. */
const SWEEP = 'sweep'

export const forget = (tx: WriteTx, key: string) => tx.local.delete(tx.t.attempt).where(eq(tx.t.attempt.key, key))

/**
 * Deletes a bounded number of expired counters, codes and sessions (limits.sweep). Where more counters remain, as after a flood of sends,
 * the next call may delete at once.
 */
export async function sweep(tx: WriteTx): Promise<void> {
  if ((await take(tx, SWEEP, { max: 1, windowMs: limits.sweep.everyMs })) > 0) return
  const { account_notice, attempt, otp_code, session, totp_enrolment } = tx.t
  const counters = tx.db.select({ key: attempt.key }).from(attempt).where(lte(attempt.resets_at, tx.now)).limit(limits.sweep.rows)
  const swept = await tx.local.delete(attempt).where(inArray(attempt.key, counters)).returning({ key: attempt.key })
  if (swept.length === limits.sweep.rows) await forget(tx, SWEEP)
  const codes = tx.db.select({ email: otp_code.email }).from(otp_code).where(lte(otp_code.expires_at, tx.now)).limit(limits.sweep.rows)
  await tx.local.delete(otp_code).where(and(inArray(otp_code.email, codes), lte(otp_code.expires_at, tx.now)))
  await tx.local.delete(totp_enrolment).where(lte(totp_enrolment.expires_at, tx.now))
  await tx.local.delete(account_notice).where(lte(account_notice.at, toInstant(tx.nowMs - limits.notices.retentionMs)))
  const sessions = tx.db.select({ id: session.id }).from(session).where(lte(session.expires_at, tx.now)).limit(limits.sweep.rows)
  await tx.local.delete(session).where(inArray(session.id, sessions))
}
