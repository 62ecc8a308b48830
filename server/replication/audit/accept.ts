import { asSystem } from '../../store/tx.ts'
import type { Found } from './audit.found.ts'
import { headHere, keepBeside } from './audit.kept.ts'
import { beginRun, endRun } from './audit.runs.ts'
import type { AuditUse } from './audit.whole.ts'

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
