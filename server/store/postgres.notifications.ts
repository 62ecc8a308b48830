import { COMMONS } from '@markbook/shared/ids'
import type postgres from 'postgres'

const CHANNEL = 'markbook_feeds'
/** Commits within this many milliseconds are published together. */
const GATHER = 5
/** Milliseconds until listening is tried again. */
const AGAIN = 5_000
/** Schools in one message, which may have 8,000 bytes. */
const AT_ONCE = 200

/** How the instances of one database notify each other of schools whose feeds advanced. */
export type FeedNotifications = {
  /**
   * After the commit, on another connection: a NOTIFY inside the transaction would make the commits of the whole database queue behind one
   * another.
   */
  publish(schools: ReadonlySet<string>): void
  /** From now on calls the listener with what other instances publish. */
  subscribe(listener: Listener): void
  /** The pool was replaced: listening has to start again. */
  renewed(): void
  close(): Promise<void>
}
type Listener = (schools: ReadonlySet<string>) => void

/**
 * `me`: this instance's name in its messages; `listens`: whether its connections can listen. Notifications may get lost; long polls
 * therefore also read the feed regularly (replication/downstream/news.ts).
 */
export function feedNotifications(pool: () => postgres.Sql, me: string, { listens }: { listens: boolean }): FeedNotifications {
  const waiting = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sent: Promise<unknown> = Promise.resolve()
  const listeners = new Set<Listener>()
  let retry: NodeJS.Timeout | undefined
  const send = () => {
    timer = undefined
    const all = [...waiting]
    waiting.clear()
    const parts = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, at) => all.slice(at * AT_ONCE, (at + 1) * AT_ONCE))
    sent = Promise.all(parts.map((part) => pool().notify(CHANNEL, [me, ...part].join(' ')))).catch(() => {})
  }
  const notify = (schools: ReadonlySet<string>) => {
    for (const listener of listeners) listener(schools)
  }
  const take = (message: string) => {
    const [from = me, ...schools] = message.split(' ')
    if (from !== me) notify(new Set(schools))
  }
  const listen = () => {
    // What was published earlier is unknown, so all waiting requests look once; a change of the commons wakes all of them.
    const begun = () => notify(new Set([COMMONS]))
    clearTimeout(retry)
    pool()
      .listen(CHANNEL, take, begun)
      .catch(() => {
        retry = setTimeout(() => listeners.size > 0 && listen(), AGAIN).unref()
      })
  }
  return {
    publish(schools) {
      for (const school of schools) waiting.add(school)
      timer ??= setTimeout(send, GATHER)
    },
    subscribe(listener) {
      listeners.add(listener)
      if (listens && listeners.size === 1) listen()
    },
    renewed() {
      if (listens && listeners.size > 0) listen()
    },
    async close() {
      if (timer) {
        clearTimeout(timer)
        send()
      }
      clearTimeout(retry)
      listeners.clear()
      await sent
    },
  }
}
