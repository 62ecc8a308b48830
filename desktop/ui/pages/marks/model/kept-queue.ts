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
 * `places`: where the entries of an assessment are made. `isStored`: false where one could not be stored; it is lost when the window closes.
 * `elsewhere`: how many entries other windows of this browser have, as of the last look; null before the first. A page that was left a moment
 * ago counts as such a window, so that nobody may say before that all is saved.
 */
export type KeptQueue<Row extends StoredMark, Place> = {
  queue: MarkQueue<Row>
  places: Map<string, Place>
  isStored: () => boolean
  elsewhere: { get: () => number | null; listen: (listener: () => void) => () => void }
}

/** One session for each person and school in this window: what waits in the one is not forgotten while the other is shown. */
export function sessionsOf<Session>(open: (owner: Owner, isShown: () => boolean) => Session): (owner: Owner) => Session {
  const sessions = new Map<string, Session>()
  let shown = ''
  return (owner) => {
    const name = `${owner.userId}/${owner.schoolId}`
    shown = name
    const session = sessions.get(name) ?? open(owner, () => shown === name)
    sessions.set(name, session)
    return session
  }
}

/** Interval of the heartbeat that marks a window as alive, ms. */
const HEARTBEAT_INTERVAL = 5_000
/** Interval at which unsaved entries of closed windows are looked for, ms. */
const TAKE_OVER_INTERVAL = 10_000
/** The same while another window has some: most are gone soon. */
const ELSEWHERE_INTERVAL = 2_000

/**
 * A queue whose entries lie in the browser's database until the server has them; those of closed windows come into it. What stands in
 * `places` is kept with them.
 */
export function openKeptQueue<Row extends StoredMark, Place>(
  owner: Owner,
  store: PendingStore,
  calls: Omit<QueueEnvironment<Row>, 'store' | 'later' | 'now' | 'random'>,
): KeptQueue<Row, Place> {
  const storage = new PendingMarkStorage<Place>(browserDatabase, owner, page.id, () => Date.now(), store, page.former)
  const places = new Map<string, Place>()
  let isStored = true
  const queue = new MarkQueue<Row>({
    ...calls,
    store: async (id, pending) => {
      if (await storage.store(id, pending, places.get(id))) return
      isStored = false
      queue.announce(id)
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
  /** Once, and again after a pause. Where the browser has closed its database, the next turn opens it again. */
  const look = async () => {
    const count = await takeOver().catch(() => elsewhere)
    setTimeout(look, count ? ELSEWHERE_INTERVAL : TAKE_OVER_INTERVAL)
    if (count === elsewhere) return
    elsewhere = count
    elsewhereChanges.notify()
  }
  void storage.removeExpired().catch(() => {})
  void look()
  setInterval(() => storage.heartbeat(), HEARTBEAT_INTERVAL)
  addEventListener('pagehide', () => storage.heartbeat(true))
  addEventListener('online', () => queue.retry())
  return {
    queue,
    places,
    isStored: () => isStored || !queue.all().some(isSendable),
    elsewhere: { get: () => elsewhere, listen: elsewhereChanges.add },
  }
}

/** Not for a moment alone, as an entry is that is on its way. */
const isUnsaved = ({ state }: PendingMark): boolean => state !== 'fresh' && state !== 'sending'

/** Tells the frame how much is not saved, now and at every change. `more`: how much of it is not in the queue. Answers what tells it again. */
export function tellUnsaved(
  { queue, elsewhere }: Pick<KeptQueue<StoredMark, never>, 'queue' | 'elsewhere'>,
  of: UnsavedSource,
  isShown: () => boolean,
  more = () => 0,
): () => void {
  const tell = () => {
    if (!isShown()) return
    const all = queue.all()
    const unsaved = all.filter(isUnsaved).length
    setUnsavedCount(of, { unsaved: unsaved + more(), sending: all.length - unsaved, elsewhere: elsewhere.get() ?? 0 })
  }
  queue.listen(tell)
  elsewhere.listen(tell)
  return tell
}

const PAGES_KEY = 'markbook.pages'
const MAX_PAGES = 20

/** The id of this page as it was loaded, and the pages that its tab showed before: a page that is left may not come to say so. */
function pageOfTab(): { id: string; former: FormerPages } {
  const ids = (readStored(PAGES_KEY, 'sessionStorage') ?? '').split(' ').filter(Boolean)
  const id = hexOf(crypto.getRandomValues(new Uint8Array(8)))
  writeStored(PAGES_KEY, [...ids, id].slice(-MAX_PAGES).join(' '), 'sessionStorage')
  return { id, former: { ids: new Set(ids), until: Date.now() } }
}
const page = pageOfTab()
