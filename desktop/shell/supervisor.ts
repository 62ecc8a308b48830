import { times } from './config.ts'

/** A running server process. `ended` gives its exit code, null where it was killed; `stop` lets it finish its requests. */
export type RunningServer = { ended: Promise<number | null>; stop(): Promise<void>; kill(): void }
export type SupervisorOptions = {
  start: () => RunningServer
  isReady: () => Promise<boolean>
  wait: (ms: number) => Promise<void>
  now: () => number
  /** Called when the server ends without `stop`. */
  ended?: (code: number | null) => void
}

/** `ready` resolves with the first answer of the server; it rejects where the first process ends or never answers. */
export type Supervisor = { ready: Promise<void>; stop(): Promise<void> }

/** The pause before the next start, after so many exits in a row. */
export const delayAfter = (exits: number): number => times.restart[Math.min(exits, times.restart.length) - 1] ?? 0

/** The server could not be started. Its log has the reason. */
export class StartError extends Error {}

/** Runs a server until it is stopped. A server that ends by itself after its first answer is started again, with growing pauses. */
export function superviseServer({ start, isReady, wait, now, ended = () => {} }: SupervisorOptions): Supervisor {
  let current: RunningServer | null = null
  let isStopping = false
  let wakeUp: () => void = () => {}
  const stopped = new Promise<'stopped'>((resolve) => {
    wakeUp = () => resolve('stopped')
  })

  async function untilReady(server: RunningServer): Promise<void> {
    let code: number | null | undefined
    void server.ended.then((value) => {
      code = value
    })
    for (const startedAt = now(); now() - startedAt < times.ready; await wait(times.poll)) {
      if (code !== undefined || isStopping) throw new StartError('It ended before it answered.')
      if (await isReady()) return
    }
    server.kill()
    throw new StartError('It did not answer.')
  }

  async function restartUntilStopped(): Promise<void> {
    for (let exits = 0; !isStopping; ) {
      const startedAt = now()
      const server: RunningServer = current ?? start()
      current = server
      const code = await server.ended
      current = null
      if (isStopping) return
      ended(code)
      exits = now() - startedAt > times.stable ? 1 : exits + 1
      await Promise.race([wait(delayAfter(exits)), stopped])
    }
  }

  current = start()
  const ready = untilReady(current)
  // A server that never answered is not restarted: it would fail again, for example on a newer database.
  const running = ready.then(restartUntilStopped, () => {})
  return {
    ready,
    stop: async () => {
      isStopping = true
      wakeUp()
      await current?.stop()
      await running
    },
  }
}
