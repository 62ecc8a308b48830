import type { Grade } from '@markbook/shared/contract/grades'
import { promptClient as client } from '../../../api/client.ts'
import { Listeners } from '../../../api/listeners.ts'
import { setUnsavedCount } from '../../../frame/unsaved-count.ts'
import { browserDatabase } from '../../../storage/browser-database.ts'
import { MarkQueue } from './mark-queue.ts'
import type { InvalidEntry, MarkKey } from './mark-values.ts'
import { isSendable, type PendingMark } from './pending-mark.ts'
import { PendingMarkStorage, type SheetScope } from './pending-mark-storage.ts'
import { removeMark } from './remove-mark.ts'
import { removeFromSeen, saveInSeen } from './seen-marks.ts'

type Owner = { userId: string; schoolId: string }

/** Interval of the heartbeat that marks a window as alive, ms. */
const HEARTBEAT_INTERVAL = 5_000
/** Interval at which unsaved marks of closed windows are looked for, ms. */
const TAKE_OVER_INTERVAL = 10_000

/** The queue of a user's marks in this window. It outlives the page of a class: marks are sent from every page. */
export type MarkingSession = ReturnType<typeof open>

let current: MarkingSession | null = null

export function markingSessionOf(owner: Owner): MarkingSession {
  if (current?.owner.userId !== owner.userId || current.owner.schoolId !== owner.schoolId) current = open(owner)
  return current
}

function open(owner: Owner) {
  const storage = new PendingMarkStorage(browserDatabase, owner, windowId(), () => Date.now())
  const saved = new Listeners<[rows: readonly Grade[]]>()
  const removed = new Listeners<[mark: MarkKey]>()
  const sheets = new Map<string, SheetScope>()
  let isStored = true
  const queue = new MarkQueue<Grade>({
    send: (assessmentId, marks) => client.grades.bulk({ body: { assessmentId, grades: [...marks] } }),
    read: (assessmentId) => client.grades.list({ query: { assessmentId } }),
    remove: (assessmentId, studentId, known) => removeMark(client.grades, assessmentId, studentId, known),
    saved: (assessmentId, rows) => {
      saved.notify(rows)
      const sheet = sheets.get(assessmentId)
      if (sheet) saveInSeen(sheet, rows)
    },
    removed: (assessmentId, studentId) => {
      removed.notify({ assessmentId, studentId })
      const sheet = sheets.get(assessmentId)
      if (sheet) removeFromSeen(sheet, { assessmentId, studentId })
    },
    store: async (assessmentId, pending) => {
      if (await storage.store(assessmentId, pending, sheets.get(assessmentId))) return
      isStored = false
      queue.announce(assessmentId)
    },
    later: (ms, then) => {
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    },
    now: () => new Date().toISOString(),
    random: Math.random,
  })
  const invalidEntries = new Map<string, InvalidEntry>()
  const count = () => setUnsavedCount(queue.all().filter(isUnsaved).length + invalidEntries.size)
  queue.listen(count)
  const takeOver = () =>
    storage.takeOver(({ assessmentId, pending, sheet }) => {
      if (sheet) sheets.set(assessmentId, sheet)
      queue.takeOver(pending)
    })
  void storage.removeExpired()
  void takeOver()
  setInterval(() => void takeOver(), TAKE_OVER_INTERVAL)
  setInterval(() => storage.heartbeat(), HEARTBEAT_INTERVAL)
  addEventListener('pagehide', () => storage.heartbeat(true))
  addEventListener('online', () => queue.retry())
  return {
    owner,
    queue,
    /** Invalid entries by cell. They outlive the page of their sheet. */
    invalidEntries,
    /** Tells the frame how much is not saved. The queue does it by itself; for invalid entries their sheet does. */
    count,
    /** False where a pending mark could not be stored: it is lost when the window closes. */
    isStored: () => isStored || !queue.all().some(isSendable),
    onSaved: saved.add,
    onRemoved: removed.add,
    /** Where marks of these assessments are entered, for whoever meets them on another page. */
    enteredIn: (sheet: SheetScope, assessmentIds: readonly string[]) => {
      for (const id of assessmentIds) sheets.set(id, sheet)
    },
    sheetOf: (assessmentId: string): SheetScope | undefined => sheets.get(assessmentId),
  }
}

/** Not for a moment alone, as a mark is that is on its way. */
const isUnsaved = ({ state }: PendingMark): boolean => state !== 'fresh' && state !== 'sending'

/** The id of this page as it was loaded. A reloaded one, or the copy of a tab, has another. */
const windowId = (): string => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
