import { times } from './config.ts'

/** A server that was started. `ended`: it is gone, with its exit code, or null where it was killed. `stop` lets it finish. */
export type Started = { ended: Promise<number | null>; stop(): Promise<void>; kill(): void }
export type Keeping = {
  start: () => Started
  /** Whether it answers. */
  isReady: () => Promise<boolean>
  wait: (ms: number) => Promise<void>
  now: () => number
  /** Told of every end that nobody asked for. */
  ended?: (code: number | null) => void
}

/** `ready`: it answers for the first time; rejects where the very first start ends by itself, or never answers. */
export type Keeper = { ready: Promise<void>; stop(): Promise<void> }

/** How long to wait before the next start after so many ends in a row. */
export const delayAfter = (ends: number): number => times.restart[Math.min(ends, times.restart.length) - 1] ?? 0

/** The server could not be started at all: it says why in its log. */
export class NoStart extends Error {}

/**
 * Keeps a server running until it is stopped. One that ends by itself after it has answered once is started again: at once, and later
 * where it ends again and again. What was saved is on the disk, and the window asks again by itself.
 */
export function keepServer({ start, isReady, wait, now, ended = () => {} }: Keeping): Keeper {
  let current: Started | null = null
  let isStopping = false
  let wakeUp: () => void = () => {}
  const stopped = new Promise<'stopped'>((resolve) => {
    wakeUp = () => resolve('stopped')
  })

  async function untilReady(server: Started): Promise<void> {
    let code: number | null | undefined
    void server.ended.then((value) => {
      code = value
    })
    for (const began = now(); now() - began < times.ready; await wait(times.ask)) {
      if (code !== undefined || isStopping) throw new NoStart('It ended before it answered.')
      if (await isReady()) return
    }
    server.kill()
    throw new NoStart('It did not answer.')
  }

  async function keep(): Promise<void> {
    for (let ends = 0; !isStopping; ) {
      const began = now()
      const server: Started = current ?? start()
      current = server
      const code = await server.ended
      current = null
      if (isStopping) return
      ended(code)
      ends = now() - began > times.sound ? 1 : ends + 1
      await Promise.race([wait(delayAfter(ends)), stopped])
    }
  }

  current = start()
  const ready = untilReady(current)
  // Only what has answered once is kept: a database of a newer program would be refused a thousand times.
  const keeping = ready.then(keep, () => {})
  return {
    ready,
    stop: async () => {
      isStopping = true
      wakeUp()
      await current?.stop()
      await keeping
    },
  }
}
