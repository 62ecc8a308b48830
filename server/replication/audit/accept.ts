import { asSystem } from '../../store/tx.ts'
import type { Found } from './audit.found.ts'
import { headHere, keepBeside } from './audit.kept.ts'
import { beginRun, endRun } from './audit.runs.ts'
import type { AuditUse } from './audit.whole.ts'

/**
 * Somebody at the server knows why the history is not the one that was audited before: from here on it counts as it is. The history says that
 * this was accepted, and what is missed. Answers what was found without it.
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
