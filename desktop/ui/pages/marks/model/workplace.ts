import type { Grade } from '@markbook/shared/contract/grades'
import { promptClient as client } from '../../../api/client.ts'
import { type Box, KeptMarks } from './kept-marks.ts'
import { MarkQueue } from './mark-queue.ts'
import type { Mistake } from './mark-values.ts'
import { goesOut } from './pending.ts'

type Owner = { userId: string; schoolId: string }
type Arrival = (rows: readonly Grade[]) => void

/** How often a window says that it lives. */
const BEAT = 5_000
const WINDOW = 'markbook.window'

/**
 * Where a person's marks are sent from, one for this window: it outlives the page of a class, so that what was typed there still goes out
 * while another page is looked at.
 */
export type Workplace = {
  owner: Owner
  queue: MarkQueue<Grade>
  kept: KeptMarks
  /** What was mistyped, by cell: it waits for whoever comes back to its page. */
  mistakes: Map<string, Mistake>
  /** False once this computer could not keep something: then it is lost with the window. */
  isKeeping(): boolean
  onArrival(listener: Arrival): () => void
  /** Offers what an earlier window left of these assessments. */
  takeOver(assessmentIds: readonly string[]): void
}

let current: Workplace | null = null

export function workplaceOf(owner: Owner): Workplace {
  if (current?.owner.userId !== owner.userId || current.owner.schoolId !== owner.schoolId) current = open(owner)
  return current
}

function open(owner: Owner): Workplace {
  const kept = new KeptMarks(box(), owner, windowId(), () => Date.now())
  const listeners = new Set<Arrival>()
  let isKeeping = true
  const queue = new MarkQueue<Grade>({
    send: (assessmentId, marks) => client.grades.bulk({ body: { assessmentId, grades: [...marks] } }),
    read: (assessmentId) => client.grades.list({ query: { assessmentId } }),
    arrived: (_assessmentId, rows) => {
      for (const listener of listeners) listener(rows)
    },
    keep: (assessmentId, pending) => {
      isKeeping = kept.keep(assessmentId, pending) && isKeeping
    },
    later: (ms, then) => {
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    },
    now: () => new Date().toISOString(),
    random: Math.random,
  })
  kept.tidy()
  setInterval(() => kept.beat(), BEAT)
  addEventListener('pagehide', () => kept.beat(true))
  addEventListener('online', () => queue.retry())
  return {
    owner,
    queue,
    kept,
    mistakes: new Map(),
    isKeeping: () => isKeeping || !queue.all().some(goesOut),
    onArrival: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    takeOver: (assessmentIds) => queue.offer(assessmentIds.flatMap((id) => kept.takeOver(id))),
  }
}

function box(): Box | null {
  try {
    return localStorage
  } catch {
    return null
  }
}

/** Of this window, also after it was loaded anew. */
function windowId(): string {
  const made = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  try {
    const known = sessionStorage.getItem(WINDOW) ?? made
    sessionStorage.setItem(WINDOW, known)
    return known
  } catch {
    return made
  }
}
