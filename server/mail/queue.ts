import type { Clock } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import type { MailMessage } from './mailer.ts'

export type QueueOptions = {
  clock: Clock
  /** Sends one mail; answers false when it should be tried again. Never throws. `tries` counts this one. */
  deliver: (message: MailMessage, tries: number) => Promise<boolean>
  /** Milliseconds to wait after the given number of tries. */
  backoff: (tries: number) => number
  onExpired: (tries: number) => void
}

/** `add` answers false when the queue is full; `close` waits for what is being sent and answers how many were dropped. */
export type MailQueue = { add(message: MailMessage): boolean; size(): number; close(): Promise<number> }

type Pending = { message: MailMessage; tries: number }

/** Mails being sent at one time; more would look like an attack to a school's mail server. */
const CONNECTIONS = 3

/** Mail in order of arrival, at most limits.mail.queue of it, each tried until it is delivered, expired or the queue closed. */
export function mailQueue({ clock, deliver, backoff, onExpired }: QueueOptions): MailQueue {
  const ready: Pending[] = []
  const waiting = new Map<Pending, NodeJS.Timeout>()
  const sending = new Set<Promise<void>>()
  let isClosed = false

  const isExpired = ({ message }: Pending) => message.expiresAt <= clock.now()
  const size = () => ready.length + waiting.size + sending.size

  const retry = (pending: Pending) => {
    const again = () => {
      waiting.delete(pending)
      ready.push(pending)
      pump()
    }
    waiting.set(pending, setTimeout(again, backoff(pending.tries)).unref())
  }

  const attempt = async (pending: Pending) => {
    pending.tries += 1
    const isDone = await deliver(pending.message, pending.tries)
    if (!isDone && !isClosed) retry(pending)
  }

  const pump = () => {
    while (!isClosed && sending.size < CONNECTIONS) {
      const pending = ready.shift()
      if (!pending) return
      if (isExpired(pending)) {
        onExpired(pending.tries)
        continue
      }
      const attempted = attempt(pending).finally(() => {
        sending.delete(attempted)
        pump()
      })
      sending.add(attempted)
    }
  }

  const dropWhere = (isUnwanted: (pending: Pending) => boolean): number => {
    const before = size()
    ready.splice(0, ready.length, ...ready.filter((pending) => !isUnwanted(pending)))
    for (const [pending, timer] of waiting) {
      if (!isUnwanted(pending)) continue
      clearTimeout(timer)
      waiting.delete(pending)
    }
    return before - size()
  }

  return {
    size,
    add(message) {
      if (size() >= limits.mail.queue) dropWhere(isExpired)
      if (size() >= limits.mail.queue) return false
      ready.push({ message, tries: 0 })
      queueMicrotask(pump)
      return true
    },
    async close() {
      isClosed = true
      const dropped = dropWhere(() => true)
      await Promise.all(sending)
      return dropped
    },
  }
}
