import { limits } from '@markbook/shared/limits'
import type { Services } from '../../http/services.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { parentsOf } from '../identity/enrolment.ts'
import type { Carrier } from '../line/parent-line.ts'
import type { Found } from './audit.found.ts'
import { childrenAsWitnesses, parentAsWitness, type Witness } from './audit.heads.ts'
import { type Continuity, continuityOf, headHere, headsBeside, type KeptHead, keepBeside, lastRestore } from './audit.kept.ts'
import { beginRun, endRun, headOfLastRun } from './audit.runs.ts'
import { audit } from './audit.ts'

export type AuditUse = Pick<Services, 'store' | 'config' | 'keys' | 'clock' | 'files'>

/**
 * Audits a school, or people (`COMMONS`), and compares its history with what other nodes know of it, and with what this one kept. Changes
 * nothing.
 */
export async function auditWhole(at: AuditUse, school: string, carry: Carrier, tell: (share: number) => void = () => {}): Promise<Found> {
  const { store, config, keys, files } = at
  const before = await store.read(asSystem(), async (tx) => ({
    head: await headHere(tx, school),
    kept: await worstOf(tx, school, [headsBeside(config.dataDir)[school] ?? null, await headOfLastRun(tx, school, keys.seal)]),
    restored: await lastRestore(tx, school),
  }))
  const found = await audit(store, { school, secret: config.sessionSecret, files }, tell)
  const below = await store.read(asSystem(), (tx) => childrenAsWitnesses(tx, school, store.nodeId, keys.seal))
  const parents = await store.read(asSystem(), parentsOf)
  const above: Witness[] = []
  for (const parent of parents.filter(({ school_id }) => school_id === school)) above.push(await parentAsWitness(at, parent, carry))
  const isRecent = before.restored !== null && at.clock.now() - Date.parse(before.restored.at) < limits.audit.restoreReportedMs
  return { ...found, ...before, restored: isRecent ? before.restored : null, witnesses: [...above, ...below] }
}

const GRAVITY: Record<Continuity, number> = { other: 3, restored: 2, same: 1, first: 0 }

async function worstOf(tx: ReadTx, school: string, heads: readonly (KeptHead | null)[]): Promise<Found['kept']> {
  let worst: Found['kept'] = { is: 'first', at: null }
  for (const head of heads) {
    const is = await continuityOf(tx, school, head)
    if (GRAVITY[is] > GRAVITY[worst.is]) worst = { is, at: head?.at ?? null }
  }
  return worst
}

/**
 * Accepts a history that is not the one that was audited before, since somebody at the server knows why: from here on it counts as it is.
 * The history notes that it was accepted, and what is missing. Returns the findings without that one.
 */
export async function acceptHistory({ store, config, keys }: AuditUse, school: string, found: Found): Promise<Found> {
  await store.write(asSystem(), async (tx) => {
    tx.note({ schoolId: school, entity: 'node', id: store.nodeId, action: 'update', changes: { history_accepted: found.kept.at } })
  })
  const head = await store.read(asSystem(), (tx) => headHere(tx, school))
  const accepted: Found = { ...found, head, kept: { is: 'first', at: null } }
  await store.write(asSystem(), async (tx) => endRun(tx, await beginRun(tx, school), accepted, keys.seal))
  if (head) keepBeside(config.dataDir, school, head)
  return accepted
}
