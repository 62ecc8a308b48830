import { describe, expect, test } from 'vitest'
import { times } from './config.ts'
import { delayAfter, keepServer, NoStart } from './keeper.ts'

type Fake = { end(code: number | null): void; stopped: boolean; killed: boolean }

/** A machine on which time passes only while somebody waits. */
function stage({ readyAfter = 0 }: { readyAfter?: number } = {}) {
  const started: Fake[] = []
  const waits: number[] = []
  let now = 0
  let asked = 0
  const keeper = keepServer({
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
  /** Lets everything happen that can happen without time. */
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const pass = (ms: number) => {
    now += ms
  }
  return { keeper, started, waits, settle, pass }
}

describe('a server that is kept', () => {
  test('is ready once it answers', async () => {
    const { keeper, started, waits } = stage({ readyAfter: 3 })
    await keeper.ready
    expect([started.length, waits]).toEqual([1, [times.ask, times.ask, times.ask]])
    await keeper.stop()
    expect(started[0]?.stopped).toBe(true)
  })

  test('that cannot start is not started again: it has said why', async () => {
    const { keeper, started } = stage({ readyAfter: Number.POSITIVE_INFINITY })
    started[0]?.end(1)
    await expect(keeper.ready).rejects.toThrow(NoStart)
    expect(started.length).toBe(1)
  })

  test('that never answers is ended', async () => {
    const { keeper, started } = stage({ readyAfter: Number.POSITIVE_INFINITY })
    await expect(keeper.ready).rejects.toThrow(NoStart)
    expect(started[0]?.killed).toBe(true)
  })

  test('comes back at once when it was killed, and later where it ends again and again', async () => {
    const { keeper, started, waits, settle } = stage()
    await keeper.ready
    for (let ends = 0; ends < 9; ends += 1) {
      await settle()
      started.at(-1)?.end(null)
    }
    await settle()
    expect(waits).toEqual([...times.restart, 30_000, 30_000])
    expect(started.length).toBe(10)
    await keeper.stop()
  })

  test('is forgiven what was long ago', async () => {
    const { keeper, started, waits, settle, pass } = stage()
    await keeper.ready
    for (let ends = 0; ends < 3; ends += 1) {
      await settle()
      pass(times.sound + 1)
      started.at(-1)?.end(1)
    }
    await settle()
    expect(waits).toEqual([0, 0, 0])
    await keeper.stop()
  })

  test('and is stopped: it is not started again', async () => {
    const { keeper, started, settle } = stage()
    await keeper.ready
    await settle()
    await keeper.stop()
    await settle()
    expect(started.length).toBe(1)
  })
})

test('waiting is bounded', () => {
  expect([1, 2, 7, 100].map(delayAfter)).toEqual([0, 500, 30_000, 30_000])
})
