import { setTimeout as after } from 'node:timers/promises'
import { COMMONS } from '@markbook/shared/ids'
import { Gauge } from 'prom-client'
import type { Services } from '../../http/services.ts'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { type Ended, lastRun, type SealKey } from './audit.runs.ts'

/** The last audit of a school. `school`: null for people; `run`: null where there was none. */
export type LastAudit = { school: string | null; name: string | null; run: Ended | null }

export const lastAudits = ({ store, key }: { store: Store; key: SealKey }): Promise<LastAudit[]> =>
  store.read(asSystem(), async (tx) => {
    const { school } = tx.t
    const schools: { id: string; name: string }[] = await tx.db
      .select({ id: school.id, name: school.name })
      .from(school)
      .orderBy(school.name)
    const all: LastAudit[] = []
    for (const { id, name } of schools) all.push({ school: id, name, run: await lastRun(tx, id, key) })
    return [...all, { school: null, name: null, run: await lastRun(tx, COMMONS, key) }]
  })

/** Metrics are also asked for while the database is in trouble: after so many ms the last figures are given. */
const PATIENCE = 1_000
/** For so many ms one read serves every request: a verdict changes once a day. */
const FRESH = 10_000

/** The figures of the audit at /metrics. */
export function watchAudits({ store, keys, metrics, clock }: Pick<Services, 'store' | 'keys' | 'metrics' | 'clock'>): void {
  let last: readonly LastAudit[] = []
  let asked = Number.NEGATIVE_INFINITY
  let asking: Promise<unknown> = Promise.resolve()
  const look = async () => {
    if (clock.now() - asked >= FRESH) {
      asked = clock.now()
      asking = Promise.race([ask(), after(PATIENCE, undefined, { ref: false })])
    }
    await asking
  }
  const ask = async () => {
    last = await lastAudits({ store, key: keys.seal }).catch(() => last)
  }
  const registers = [metrics.registry]
  const bad: Gauge = new Gauge({
    name: 'markbook_audit_bad',
    help: 'In how many schools, and people, the last audit found what somebody must look at',
    registers,
    collect: async () => {
      await look()
      bad.set(last.filter(({ run }) => run?.isBad).length)
    },
  })
  const oldest: Gauge = new Gauge({
    name: 'markbook_audit_last_timestamp_seconds',
    help: 'When the school was audited that was not for the longest time, in seconds since 1970; 0 where one never was',
    registers,
    collect: async () => {
      await look()
      const times = last.map(({ run }) => (run ? Date.parse(run.at) / 1_000 : 0))
      oldest.set(times.length === 0 ? 0 : Math.min(...times))
    },
  })
}
