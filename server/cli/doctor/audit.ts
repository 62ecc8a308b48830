import { limits } from '@markbook/shared/limits'
import type { Config } from '../../config.ts'
import { lastAudits } from '../../replication/audit/figures.ts'
import { openStore } from '../../start.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { asSystem } from '../../store/tx.ts'
import { lasting, shortMoment } from '../words.ts'
import { type Finding, fine, notice, problem } from './finding.ts'

/**
 * For each school, and for the people of all schools (`name` null): when it was last audited (ms, null for never), and whether that audit
 * found something wrong.
 */
export type AuditsFound = {
  now: number
  isRunning: boolean
  audits: readonly { name: string | null; last: { at: number; isBad: boolean } | null }[]
}

/** No findings on a laptop, which is not audited. */
export function checkAudits({ now, isRunning, audits }: AuditsFound): Finding[] {
  const bad = audits.filter(({ last }) => last?.isBad)
  if (bad.length > 0)
    return problem('audit', {
      what: `The history contradicts what stands here, or was changed (${bad.length} of ${audits.length} that are audited).`,
      means: 'Marks or documents may have been changed outside Markbook, or some days of work may have been lost.',
      do: 'Keep everything as it is (markbook backup), and see what was found: markbook audit',
    })
  const times = audits.map(({ last }) => last?.at ?? null)
  const never = audits.filter(({ last }) => last === null)
  if (never.length > 0 && !isRunning) return []
  if (never.length > 0) return fine('audit', 'The marks have not been compared with their history yet; the server does it by itself.')
  const oldest = Math.min(...times.map(Number))
  if (isRunning && now - oldest > limits.doctor.oldAuditMs)
    return notice('audit', {
      what: `The marks were last compared with their history ${lasting(now - oldest)} ago.`,
      means: 'Nothing says that they are wrong; but a change outside Markbook would not have been noticed since.',
      do: 'Do it now: markbook audit. Then look into the log of the server why it does not.',
    })
  return fine('audit', `The marks were compared with their history on ${shortMoment(oldest)}: nothing is contradicted.`)
}

export async function lookAtAudits(config: Omit<Config, 'sessionSecret'>, isRunning: boolean, now: number): Promise<AuditsFound | null> {
  // `checkDatabase` reports a database that cannot be opened.
  const store = await openStore(config, { beside: true }).catch(() => null)
  if (!store) return null
  try {
    if (await store.read(asSystem(), laptopOwner)) return null
    const all = await lastAudits({ store, key: 'unchecked' })
    return { now, isRunning, audits: all.map(({ name, run }) => ({ name, last: run && { at: Date.parse(run.at), isBad: run.isBad } })) }
  } finally {
    await store.close()
  }
}
