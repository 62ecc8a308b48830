import { COMMONS } from '@markbook/shared/ids'
import type postgres from 'postgres'

const CHANNEL = 'markbook_feeds'
/** Commits of so many milliseconds are published together. */
const GATHER = 5
/** Until listening is tried again, ms. */
const AGAIN = 5_000
/** A message holds 8,000 bytes. */
const AT_ONCE = 200

/** How the instances of one database notify each other of the schools whose feeds advanced. */
export type FeedNotifications = {
  /** After the commit, on a connection of its own: a notification within it would make every commit of the database wait for the one before. */
  publish(schools: ReadonlySet<string>): void
  /** Calls the listener with what other instances publish, from now on. */
  subscribe(listener: Listener): void
  /** There is another pool: what listened on the one before gets nothing any more. */
  renewed(): void
  close(): Promise<void>
}
type Listener = (schools: ReadonlySet<string>) => void

/**
 * `me` is this instance's name in its messages; `listens`: its connections can. A notification may get lost: whoever waits also looks by
 * itself (replication/downstream/news.ts).
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
    // What was published before is not known: whoever waits looks once, for which a change of the commons is reason enough.
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
