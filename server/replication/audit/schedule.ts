import { setTimeout as after } from 'node:timers/promises'
import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Services } from '../../http/services.ts'
import { repeatedly } from '../../repeatedly.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { type Program, runAside } from '../../store/low-priority.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import type { Carrier } from '../line/parent-line.ts'
import { isBad } from './audit.found.ts'
import { keepBeside } from './audit.kept.ts'
import { claimRun, endRun, isDue, renewRun } from './audit.runs.ts'
import { type AuditUse, auditWhole } from './audit.whole.ts'

/** The exit code of `markbook audit --scheduled` where it found something. */
export const FOUND_BAD = 3

/** Every school here, and people. */
const auditedHere = async (tx: ReadTx): Promise<string[]> => {
  const { school } = tx.t
  const schools: { id: string }[] = await tx.db.select({ id: school.id }).from(school).orderBy(school.id)
  return [...schools.map(({ id }) => id), COMMONS]
}

/** A laptop does not audit itself: it has too little of the history, and its parent has all of it. */
async function dueSchools(tx: ReadTx, key: Buffer): Promise<string[]> {
  if ((await laptopOwner(tx)) !== null) return []
  const due: string[] = []
  for (const school of await auditedHere(tx)) if (await isDue(tx, school, key)) due.push(school)
  return due
}

/** A store that rests after each read for as long as the read took. */
function restingAfterReads(store: Store, now: () => number): Store {
  const read: Store['read'] = async (person, work) => {
    const begun = now()
    const result = await store.read(person, work)
    await after(Math.min(now() - begun, limits.audit.maxPauseMs))
    return result
  }
  return Object.create(store, { read: { value: read } }) as Store
}

/**
 * Audits every school that is due, one after the other, and keeps the results. Of several instances of one database one audits each school.
 * Returns how many were audited, and in how many somebody must look.
 */
export async function auditDue(at: AuditUse, carry: Carrier): Promise<{ audited: number; bad: number }> {
  const { store, config, keys } = at
  const done = { audited: 0, bad: 0 }
  const resting = { ...at, store: restingAfterReads(store, () => performance.now()) }
  for (const school of await store.read(asSystem(), (tx) => dueSchools(tx, keys.seal))) {
    const run = await store.write(asSystem(), (tx) => claimRun(tx, school, keys.seal))
    if (run === null) continue
    let told = performance.now()
    let saying: Promise<unknown> = Promise.resolve()
    const found = await auditWhole(resting, school, carry, () => {
      if (performance.now() - told < limits.audit.leaseMs / 10) return
      told = performance.now()
      saying = saying.then(() => store.write(asSystem(), (tx) => renewRun(tx, run))).catch(() => {})
    })
    await saying
    await store.write(asSystem(), (tx) => endRun(tx, run, found, keys.seal))
    // A head that is missing stays kept until somebody accepts that.
    if (found.head && found.kept.is !== 'other') keepBeside(config.dataDir, school, found.head)
    done.audited += 1
    if (isBad(found)) done.bad += 1
  }
  return done
}

type Watched = Pick<Services, 'store' | 'keys' | 'log' | 'config'> & { program?: Program; afterStart?: number }

/**
 * Audits once a day what is due, in a process of its own at low priority: it reads everything, and holds up nobody. The results stand in
 * the database; the log says whether somebody must look.
 */
export function scheduleAudits({ store, keys, log, config, program, afterStart = limits.audit.startDelayMs }: Watched): {
  stop(): Promise<void>
} {
  let current: ReturnType<typeof runAside> | null = null
  const look = async () => {
    const due = await store.read(asSystem(), (tx) => dueSchools(tx, keys.seal))
    if (due.length === 0) return
    current = runAside(['audit', '--scheduled', '--data-dir', config.dataDir], program)
    const { code, message } = await current.ended
    current = null
    if (code === 0) log.info(message)
    else if (code === FOUND_BAD) log.error(message)
    else if (code !== null) log.warn(`the marks could not be compared with their history: ${message}`)
  }
  const looking = repeatedly(() => look().catch((error: unknown) => log.warn({ err: error }, 'the audit failed')), {
    first: afterStart,
    every: limits.audit.checkEveryMs,
  })
  return {
    stop: async () => {
      current?.stop()
      await looking.stop()
    },
  }
}
