import { askServer, replicationIn } from '../asking.ts'
import type { Course } from '../peers/course.ts'
import { parentsOf } from '../peers/enrolment.ts'
import { readNote } from '../running.ts'
import type { Store } from '../store/store.ts'
import { asSystem } from '../store/tx.ts'

/** How replication goes is known to the running server alone, which says so among its figures; null where none runs. */
export async function courseOf(store: Store, dataDir: string, now: number): Promise<Course | null> {
  const note = readNote(dataDir)
  const state = note ? replicationIn((await askServer(note.url, '/metrics'))?.text ?? '') : null
  if (!state) return null
  const [parent = null] = await store.read(asSystem(), parentsOf)
  return { parent, notice: state === 'sending' ? 'connected' : (state as Course['notice']), reason: null, since: now }
}
