import { COMMONS } from '@markbook/shared/ids'
import type postgres from 'postgres'

const CHANNEL = 'markbook_feeds'
/** Commits of so many milliseconds are told together. */
const GATHER = 5
/** Until listening is tried again, ms. */
const AGAIN = 5_000
/** A message holds 8,000 bytes. */
const AT_ONCE = 200

/** How the instances of one database tell each other whose feeds moved on. */
export type NewsOfInstances = {
  /** After the commit, on a connection of its own: told within it, every commit of the database would wait for the one before. */
  tell(schools: ReadonlySet<string>): void
  /** Calls with what other instances tell, from now on. */
  hear(heard: Heard): void
  /** The pool is another: what listened on the one before hears nothing any more. */
  renewed(): void
  close(): Promise<void>
}
type Heard = (schools: ReadonlySet<string>) => void

/** `me` is in no other instance's messages. What is not told, or not heard, is found by whoever looks (peers/news.ts). */
export function newsOfInstances(pool: () => postgres.Sql, me: string): NewsOfInstances {
  const waiting = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sent: Promise<unknown> = Promise.resolve()
  const hearers = new Set<Heard>()
  let retry: NodeJS.Timeout | undefined
  const send = () => {
    timer = undefined
    const all = [...waiting]
    waiting.clear()
    const parts = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, at) => all.slice(at * AT_ONCE, (at + 1) * AT_ONCE))
    sent = Promise.all(parts.map((part) => pool().notify(CHANNEL, [me, ...part].join(' ')))).catch(() => {})
  }
  const hear = (schools: ReadonlySet<string>) => {
    for (const heard of hearers) heard(schools)
  }
  const take = (message: string) => {
    const [from = me, ...schools] = message.split(' ')
    if (from !== me) hear(new Set(schools))
  }
  const listen = () => {
    // Nobody knows what was told before: whoever waits looks once, which the people of a school are reason enough for.
    const begun = () => hear(new Set([COMMONS]))
    clearTimeout(retry)
    pool()
      .listen(CHANNEL, take, begun)
      .catch(() => {
        retry = setTimeout(() => hearers.size > 0 && listen(), AGAIN).unref()
      })
  }
  return {
    tell(schools) {
      for (const school of schools) waiting.add(school)
      timer ??= setTimeout(send, GATHER)
    },
    hear(heard) {
      hearers.add(heard)
      if (hearers.size === 1) listen()
    },
    renewed() {
      if (hearers.size > 0) listen()
    },
    async close() {
      if (timer) {
        clearTimeout(timer)
        send()
      }
      clearTimeout(retry)
      hearers.clear()
      await sent
    },
  }
}
