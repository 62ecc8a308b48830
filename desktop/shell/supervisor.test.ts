import { describe, expect, test } from 'vitest'
import { times } from './config.ts'
import { delayAfter, StartError, superviseServer } from './supervisor.ts'

type Fake = { end(code: number | null): void; stopped: boolean; killed: boolean }

/** A fake machine whose time passes only while the supervisor waits. */
function stage({ readyAfter = 0 }: { readyAfter?: number } = {}) {
  const started: Fake[] = []
  const waits: number[] = []
  let now = 0
  let asked = 0
  const supervisor = superviseServer({
    start: () => {
      let end: Fake['end'] = () => {}
      const ended = new Promise<number | null>((resolve) => {
        end = resolve
      })
      const fake: Fake = { end, stopped: false, killed: false }
      started.push(fake)
      const stop = async () => {
        fake.stopped = true
        end(0)
      }
      const kill = () => {
        fake.killed = true
        end(null)
      }
      return { ended, stop, kill }
    },
    isReady: async () => asked++ >= readyAfter,
    wait: async (ms) => {
      waits.push(ms)
      now += ms
    },
    now: () => now,
  })
  /** Lets all pending promises settle without passing time. */
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const pass = (ms: number) => {
    now += ms
  }
  return { supervisor, started, waits, settle, pass }
}

describe('a supervised server', () => {
  test('is ready once it answers', async () => {
    const { supervisor, started, waits } = stage({ readyAfter: 3 })
    await supervisor.ready
    expect([started.length, waits]).toEqual([1, [times.poll, times.poll, times.poll]])
    await supervisor.stop()
    expect(started[0]?.stopped).toBe(true)
  })

  test('that cannot start is not started again', async () => {
    const { supervisor, started } = stage({ readyAfter: Number.POSITIVE_INFINITY })
    started[0]?.end(1)
    await expect(supervisor.ready).rejects.toThrow(StartError)
    expect(started.length).toBe(1)
  })

  test('that never answers is killed', async () => {
    const { supervisor, started } = stage({ readyAfter: Number.POSITIVE_INFINITY })
    await expect(supervisor.ready).rejects.toThrow(StartError)
    expect(started[0]?.killed).toBe(true)
  })

  test('is started again at once after a crash, and later and later after several', async () => {
    const { supervisor, started, waits, settle } = stage()
    await supervisor.ready
    for (let ends = 0; ends < 9; ends += 1) {
      await settle()
      started.at(-1)?.end(null)
    }
    await settle()
    expect(waits).toEqual([...times.restart, 30_000, 30_000])
    expect(started.length).toBe(10)
    await supervisor.stop()
  })

  test('is started again at once where the last crash was long ago', async () => {
    const { supervisor, started, waits, settle, pass } = stage()
    await supervisor.ready
    for (let ends = 0; ends < 3; ends += 1) {
      await settle()
      pass(times.stable + 1)
      started.at(-1)?.end(1)
    }
    await settle()
    expect(waits).toEqual([0, 0, 0])
    await supervisor.stop()
  })

  test('is not started again after it was stopped', async () => {
    const { supervisor, started, settle } = stage()
    await supervisor.ready
    await settle()
    await supervisor.stop()
    await settle()
    expect(started.length).toBe(1)
  })
})

test('the pause before a start has a limit', () => {
  expect([1, 2, 7, 100].map(delayAfter)).toEqual([0, 500, 30_000, 30_000])
})
