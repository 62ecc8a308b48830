import type { Grade } from '@markbook/shared/contract/grades'
import { Failure } from '@markbook/shared/failures'
import { promptClient as client } from '../../../api/client.ts'
import { isSignedInAs } from '../../../api/last-seen.ts'
import { Listeners } from '../../../api/listeners.ts'
import { setUnsavedCount } from '../../../frame/unsaved-count.ts'
import { browserDatabase } from '../../../storage/browser-database.ts'
import { hexOf } from '../../../storage/hex.ts'
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

/** By person and school: what waits in the one is not forgotten while the other is shown. */
const sessions = new Map<string, MarkingSession>()
let current = ''

export function markingSessionOf(owner: Owner): MarkingSession {
  current = nameOf(owner)
  const session = sessions.get(current) ?? open(owner)
  sessions.set(current, session)
  return session
}
const nameOf = ({ userId, schoolId }: Owner) => `${userId}/${schoolId}`

function open(owner: Owner) {
  const storage = new PendingMarkStorage(browserDatabase, owner, windowId(), () => Date.now())
  const saved = new Listeners<[rows: readonly Grade[]]>()
  const removed = new Listeners<[mark: MarkKey]>()
  const sheets = new Map<string, SheetScope>()
  let isStored = true
  /** Marks of one person are never sent with the session of another, nor to another school: they wait. */
  const demandOwnSession = () => {
    if (nameOf(owner) !== current || !isSignedInAs(owner.userId)) throw new Failure(401, 'unauthenticated', 'Sign in to save these marks.')
  }
  const queue = new MarkQueue<Grade>({
    send: async (assessmentId, marks) => {
      demandOwnSession()
      return client.grades.bulk({ body: { assessmentId, grades: [...marks] } })
    },
    read: async (assessmentId) => {
      demandOwnSession()
      return client.grades.list({ query: { assessmentId } })
    },
    remove: async (assessmentId, studentId, known) => {
      demandOwnSession()
      return removeMark(client.grades, assessmentId, studentId, known)
    },
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
  const count = () => {
    if (nameOf(owner) !== current) return
    const unsaved = queue.all().filter(isUnsaved).length
    setUnsavedCount(unsaved + invalidEntries.size, queue.all().length - unsaved)
  }
  queue.listen(count)
  const takeOver = () =>
    storage.takeOver(({ assessmentId, pending, sheet }) => {
      if (sheet) sheets.set(assessmentId, sheet)
      queue.takeOver(pending)
    })
  // Where the browser has closed its database, the next turn opens it again.
  const look = () => void takeOver().catch(() => {})
  void storage.removeExpired().catch(() => {})
  look()
  setInterval(look, TAKE_OVER_INTERVAL)
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
const windowId = (): string => hexOf(crypto.getRandomValues(new Uint8Array(8)))
