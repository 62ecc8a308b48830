import type { Clock } from '@markbook/shared/clock'
import { limits } from '@markbook/shared/limits'
import type { MailLane, MailMessage } from './mailer.ts'

export type QueueOptions = {
  clock: Clock
  /** Sends one mail; answers false when it should be tried again. Never throws. `tries` counts this one. */
  deliver: (message: MailMessage, tries: number) => Promise<boolean>
  /** Milliseconds to wait after the given number of tries. */
  backoff: (tries: number) => number
  onExpired: (tries: number) => void
}

/** `add` answers false when its lane takes no more; `close` waits for what is being sent and answers how many were dropped. */
export type MailQueue = { add(message: MailMessage): boolean; size(): number; close(): Promise<number> }

type Pending = { message: MailMessage; tries: number }
/** `queued` mails at most, `concurrent` of them under way, `perHour` taken. */
type Bounds = { queued: number; concurrent: number; perHour: number }
type Lane = Bounds & {
  ready: Pending[]
  waiting: Map<Pending, NodeJS.Timeout>
  sending: Set<Promise<void>>
  /** How many were taken in the hour that began with the first of them, in milliseconds since 1970. */
  hour: { began: number; taken: number }
}

const HOUR = 3_600_000
const { queued, concurrent, strangers } = limits.mail

const openLane = (bounds: Bounds): Lane => ({
  ...bounds,
  ready: [],
  waiting: new Map(),
  sending: new Set(),
  hour: { began: 0, taken: 0 },
})

const sizeOf = ({ ready, waiting, sending }: Lane) => ready.length + waiting.size + sending.size

function dropWhere(lane: Lane, isUnwanted: (pending: Pending) => boolean): number {
  const before = sizeOf(lane)
  lane.ready = lane.ready.filter((pending) => !isUnwanted(pending))
  for (const [pending, timer] of lane.waiting) {
    if (!isUnwanted(pending)) continue
    clearTimeout(timer)
    lane.waiting.delete(pending)
  }
  return before - sizeOf(lane)
}

/**
 * Mail in order of arrival, that to members before any to strangers, each tried until it is delivered, expired or the queue closed.
 * Strangers have a bounded queue of their own, a budget an hour, and never all connections, so that no number of mails to invented
 * addresses delays a member's.
 */
export function mailQueue({ clock, deliver, backoff, onExpired }: QueueOptions): MailQueue {
  const byName: Record<MailLane, Lane> = {
    members: openLane({ queued: queued, concurrent: concurrent, perHour: Number.POSITIVE_INFINITY }),
    strangers: openLane(strangers),
  }
  const lanes = [byName.members, byName.strangers]
  let isClosed = false

  const isExpired = ({ message }: Pending) => message.expiresAt <= clock.now()
  const total = (of: (lane: Lane) => number) => lanes.reduce((sum, lane) => sum + of(lane), 0)
  const hasRoom = (lane: Lane) => lane.sending.size < lane.concurrent && total(({ sending }) => sending.size) < concurrent

  const retry = (lane: Lane, pending: Pending) => {
    const again = () => {
      lane.waiting.delete(pending)
      lane.ready.push(pending)
      pump()
    }
    lane.waiting.set(pending, setTimeout(again, backoff(pending.tries)).unref())
  }

  const attempt = async (lane: Lane, pending: Pending) => {
    pending.tries += 1
    const isDone = await deliver(pending.message, pending.tries)
    if (!isDone && !isClosed) retry(lane, pending)
  }

  const sendFrom = (lane: Lane) => {
    while (!isClosed && hasRoom(lane)) {
      const pending = lane.ready.shift()
      if (!pending) return
      if (isExpired(pending)) {
        onExpired(pending.tries)
        continue
      }
      const attempted = attempt(lane, pending).finally(() => {
        lane.sending.delete(attempted)
        pump()
      })
      lane.sending.add(attempted)
    }
  }

  const pump = () => lanes.forEach(sendFrom)

  const isOverBudget = ({ hour, perHour }: Lane): boolean => {
    if (clock.now() >= hour.began + HOUR) Object.assign(hour, { began: clock.now(), taken: 0 })
    return hour.taken >= perHour
  }

  return {
    size: () => total(sizeOf),
    add(message) {
      const lane = byName[message.lane]
      if (isOverBudget(lane)) return false
      if (sizeOf(lane) >= lane.queued) dropWhere(lane, isExpired)
      if (sizeOf(lane) >= lane.queued) return false
      lane.hour.taken += 1
      lane.ready.push({ message, tries: 0 })
      queueMicrotask(pump)
      return true
    },
    async close() {
      isClosed = true
      const dropped = total((lane) => dropWhere(lane, () => true))
      await Promise.all(lanes.flatMap(({ sending }) => [...sending]))
      return dropped
    },
  }
}
