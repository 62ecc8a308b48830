import { Failure } from '@markbook/shared/failures'
import { isSignedInAs } from '../../../api/last-seen.ts'
import { Listeners } from '../../../api/listeners.ts'
import { readStored, writeStored } from '../../../components/browser-storage.ts'
import { setUnsavedCount, type UnsavedSource } from '../../../frame/unsaved-count.ts'
import { browserDatabase, type PendingStore } from '../../../storage/browser-database.ts'
import { hexOf } from '../../../storage/hex.ts'
import { MarkQueue, type QueueEnvironment } from './mark-queue.ts'
import { isSendable, type PendingMark, type StoredMark } from './pending-mark.ts'
import { type FormerPages, PendingMarkStorage } from './pending-mark-storage.ts'

export type Owner = { userId: string; schoolId: string }

/**
 * `places`: where the entries of an assessment were made, by its id. `isStored`: false where an unsaved entry could not be stored, so that
 * closing the window would lose it. `elsewhere`: the number of entries that other windows of this browser have, as last counted; null
 * before that. A page that was just left counts as another window, so that nothing is called saved too early.
 */
export type KeptQueue<Row extends StoredMark, Place> = {
  queue: MarkQueue<Row>
  places: Map<string, Place>
  isStored: () => boolean
  elsewhere: { get: () => number | null; listen: (listener: () => void) => () => void }
}

/**
 * `isShown`: whether the session is of the person and school that are shown. `demandOwn` throws while it is not, or while another person is
 * signed in: entries of one are never sent with another's session, and wait.
 */
export type Whose = { owner: Owner; isShown: () => boolean; demandOwn: () => void }

/** One session for each person and school in this window, so that the entries of one are kept while another is shown. */
export function sessionsOf<Session>(open: (whose: Whose) => Session): (owner: Owner) => Session {
  const sessions = new Map<string, Session>()
  let shown = ''
  return (owner) => {
    const name = `${owner.userId}/${owner.schoolId}`
    shown = name
    const isShown = () => shown === name
    const demandOwn = () => {
      if (!isShown() || !isSignedInAs(owner.userId)) throw new Failure(401, 'unauthenticated', 'Sign in to save what you entered.')
    }
    const session = sessions.get(name) ?? open({ owner, isShown, demandOwn })
    sessions.set(name, session)
    return session
  }
}

/** How often a window writes that it is alive, in ms. */
const HEARTBEAT_INTERVAL = 5_000
/** How often unsaved entries of closed windows are looked for, in ms. */
const TAKE_OVER_INTERVAL = 10_000
/** The same while another window has entries, since most of these are saved soon. */
const ELSEWHERE_INTERVAL = 2_000
/** How long the browser may take to store an entry before it counts as not stored, in ms. */
const STORE_PATIENCE = 5_000

/**
 * A queue whose entries are in the browser's database until the server has confirmed them. It takes over entries of closed windows. The
 * browser asks before it closes a window with entries that could not be stored.
 * `places` is stored with the entries.
 */
export function openKeptQueue<Row extends StoredMark, Place>(
  owner: Owner,
  store: PendingStore,
  calls: Omit<QueueEnvironment<Row>, 'store' | 'later' | 'now' | 'random'>,
): KeptQueue<Row, Place> {
  const storage = new PendingMarkStorage<Place>(browserDatabase, owner, page.id, () => Date.now(), store, page.former)
  const places = new Map<string, Place>()
  /** The assessments whose entries are not stored, or not yet after `STORE_PATIENCE`. */
  const unstored = new Set<string>()
  const noteStored = (id: string, isIt: boolean) => {
    if (isIt ? !unstored.delete(id) : unstored.has(id)) return
    if (!isIt) unstored.add(id)
    queue.announce(id)
  }
  const queue = new MarkQueue<Row>({
    ...calls,
    store: async (id, pending) => {
      const slow = setTimeout(noteStored, STORE_PATIENCE, id, false)
      const isStored = await storage.store(id, pending, places.get(id))
      clearTimeout(slow)
      noteStored(id, isStored)
    },
    later: (ms, then) => {
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    },
    now: () => new Date().toISOString(),
    random: Math.random,
  })
  const takeOver = () =>
    storage.takeOver(({ assessmentId, pending, sheet }) => {
      if (sheet) places.set(assessmentId, sheet)
      queue.takeOver(pending)
    })
  let elsewhere: number | null = null
  const elsewhereChanges = new Listeners()
  /** Looks for entries of closed windows, now and again after a pause. If the browser closed its database, the next call opens it again. */
  const look = async () => {
    const count = await takeOver().catch(() => elsewhere)
    setTimeout(look, count ? ELSEWHERE_INTERVAL : TAKE_OVER_INTERVAL)
    if (count === elsewhere) return
    elsewhere = count
    elsewhereChanges.notify()
  }
  void storage.removeExpired().catch(() => {})
  void look()
  setInterval(() => storage.heartbeat(false, noteStored), HEARTBEAT_INTERVAL)
  addEventListener('pagehide', () => storage.heartbeat(true))
  addEventListener('online', () => queue.retry())
  const hasAllStored = () => unstored.size === 0 || !queue.all().some(isSendable)
  addEventListener('beforeunload', (event) => !hasAllStored() && event.preventDefault())
  return {
    queue,
    places,
    isStored: hasAllStored,
    elsewhere: { get: () => elsewhere, listen: elsewhereChanges.add },
  }
}

/** How long an entry may be on its way before it counts as unsaved, in ms. */
const SENDING_PATIENCE = 5_000

/** An entry that is being sent is mostly unsaved only for a moment, and counts after that. */
const isUnsaved = ({ state, at }: PendingMark): boolean =>
  (state !== 'fresh' && state !== 'sending') || Date.now() - Date.parse(at) >= SENDING_PATIENCE

/**
 * Tells the frame the number of unsaved entries, now and at every change. `more`: the number of unsaved entries outside the queue. Returns
 * a function that tells it again.
 */
export function tellUnsaved(
  { queue, elsewhere, isStored }: Pick<KeptQueue<StoredMark, never>, 'queue' | 'elsewhere' | 'isStored'>,
  of: UnsavedSource,
  isShown: () => boolean,
  more = () => 0,
): () => void {
  let later: ReturnType<typeof setTimeout> | undefined
  const tell = () => {
    clearTimeout(later)
    if (!isShown()) return
    const all = queue.all()
    const unsaved = all.filter(isUnsaved).length
    const sending = all.length - unsaved
    if (sending > 0) later = setTimeout(tell, SENDING_PATIENCE)
    setUnsavedCount(of, { unsaved: unsaved + more(), sending, elsewhere: elsewhere.get() ?? 0, isStored: isStored() })
  }
  queue.listen(tell)
  elsewhere.listen(tell)
  return tell
}

const PAGES_KEY = 'markbook.pages'
const MAX_PAGES = 20

/** A new id for this page, and the ids of the pages that this tab showed before: a page that is left may not get to release its entries. */
function pageOfTab(): { id: string; former: FormerPages } {
  const ids = (readStored(PAGES_KEY, 'sessionStorage') ?? '').split(' ').filter(Boolean)
  const id = hexOf(crypto.getRandomValues(new Uint8Array(8)))
  writeStored(PAGES_KEY, [...ids, id].slice(-MAX_PAGES).join(' '), 'sessionStorage')
  return { id, former: { ids: new Set(ids), until: Date.now() } }
}
const page = pageOfTab()
