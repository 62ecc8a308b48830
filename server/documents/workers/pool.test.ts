import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { WorkerEntry } from './entry.ts'
import { openPool, type Pool, type PoolOptions, type RunOptions } from './pool.ts'

const folder = mkdtempSync(join(tmpdir(), 'markbook-worker-'))
const outfile = join(folder, 'worker.mjs')
/** The built program: thirty workers from the sources would each take a second to start. */
const entry: WorkerEntry = { start: pathToFileURL(outfile), options: { execArgv: [] } }
beforeAll(async () => {
  const entryPoints = [join(import.meta.dirname, 'pool.fixtures.ts')]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', target: 'node20', format: 'esm' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pools: Pool[] = []
function poolOf(options: Partial<PoolOptions> = {}) {
  const pool = openPool({ entry, size: 1, share: options.size ?? 1, queued: 4, memoryMb: 64, timeMs: 30_000, idleMs: 60_000, ...options })
  pools.push(pool)
  const run = (name: string, input: unknown, more: Partial<RunOptions> = {}) => pool.run(name, input, { school: 'one', ...more })
  return { ...pool, run }
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
})

describe('a task', () => {
  test('returns its result, bytes included; a worker runs one after the other', async () => {
    const pool = poolOf()
    expect(await pool.run('echo', { name: 'Élan', list: [1, null] })).toEqual({ name: 'Élan', list: [1, null] })
    expect(await pool.run('bytes', 100_000)).toEqual(new Uint8Array(100_000).fill(7))
    expect(pool.state()).toEqual({ workers: 1, working: 0, waiting: 0 })
  })

  test('sends questions while it runs, and waits for each answer', async () => {
    const heard: number[] = []
    const answer = async (question: number) => {
      heard.push(question)
      return question * 10
    }
    expect(await poolOf().run('count', 4, { answer })).toBe(100)
    expect(heard).toEqual([1, 2, 3, 4])
  })

  test('that throws a Failure throws the same one here', async () => {
    await expect(poolOf().run('refuse', null)).rejects.toMatchObject({
      name: 'Failure',
      status: 400,
      code: 'imports.duplicate_column',
      message: 'Two columns.',
    })
  })

  test('that throws an error throws a plain Error here, and its worker goes on', async () => {
    const pool = poolOf()
    await expect(pool.run('throws', null)).rejects.toThrow('a mistake of the program')
    expect(pool.state().workers).toBe(1)
    expect(await pool.run('echo', 1)).toBe(1)
  })

  test.each(['dies', 'exits'])('that %s fails alone, and another worker runs the next', async (name) => {
    const pool = poolOf()
    const [first, second] = await Promise.allSettled([pool.run(name, null), pool.run('echo', 'still here')])
    expect(first).toMatchObject({ status: 'rejected' })
    expect(second).toEqual({ status: 'fulfilled', value: 'still here' })
  })

  test('that takes too much memory is 413, and the next one succeeds', async () => {
    const pool = poolOf()
    await expect(pool.run('eats', null)).rejects.toMatchObject({ status: 413, code: 'too_large' })
    expect(await pool.run('echo', 1)).toBe(1)
  })

  test('that takes too long is 503, even in an endless loop, and the next one succeeds', async () => {
    const pool = poolOf({ timeMs: 2_000 })
    await expect(pool.run('hangs', null)).rejects.toMatchObject({ status: 503, code: 'busy' })
    expect(await pool.run('echo', 1)).toBe(1)
  })

  test('that sends questions may take longer, and the time of answers does not count', async () => {
    const pool = poolOf({ timeMs: 2_000 })
    await pool.run('echo', 'started')
    const answer = () => new Promise<void>((resolve) => setTimeout(resolve, 700))
    expect(await pool.run('patient', 4, { answer })).toBe('done')
  })

  test('whose answer fails ends with that failure', async () => {
    const answer = () => Promise.reject(new Error('the disk is full'))
    await expect(poolOf().run('count', 3, { answer })).rejects.toThrow('the disk is full')
  })

  test('that is aborted throws the reason: while waiting, while running, or before', async () => {
    const pool = poolOf()
    const [working, waiting] = [new AbortController(), new AbortController()]
    const first = pool.run('slow', 60_000, { signal: working.signal })
    const second = pool.run('echo', 2, { signal: waiting.signal })
    const third = pool.run('echo', 3)
    waiting.abort(new Error('not wanted'))
    await expect(second).rejects.toThrow('not wanted')
    working.abort(new Error('cancelled'))
    await expect(first).rejects.toThrow('cancelled')
    expect(await third).toBe(3)
    await expect(pool.run('echo', 4, { signal: working.signal })).rejects.toThrow('cancelled')
  })
})

describe('the pool', () => {
  test('throws busy where too many tasks wait', async () => {
    const pool = poolOf({ queued: 2 })
    const taken = [pool.run('slow', 300), pool.run('slow', 1), pool.run('slow', 1)]
    await expect(pool.run('slow', 1)).rejects.toMatchObject({ status: 503, code: 'busy' })
    expect(await Promise.all(taken)).toEqual([300, 1, 1])
  })

  test('starts at most `size` workers', async () => {
    const pool = poolOf({ size: 2 })
    const running = [1, 2, 3].map((ms) => pool.run('slow', ms))
    expect(pool.state()).toEqual({ workers: 2, working: 2, waiting: 1 })
    await Promise.all(running)
  })

  test('ends an idle worker after a while, and starts another when needed', async () => {
    const pool = poolOf({ idleMs: 50 })
    await pool.run('echo', 1)
    await expect.poll(() => pool.state().workers).toBe(0)
    expect(await pool.run('echo', 2)).toBe(2)
  })

  test('that is closed ends running tasks and accepts no more', async () => {
    const pool = poolOf()
    const running = [pool.run('slow', 60_000), pool.run('echo', 1)].map((task) => expect(task).rejects.toMatchObject({ code: 'busy' }))
    await pool.close()
    await Promise.all(running)
    await expect(pool.run('echo', 2)).rejects.toMatchObject({ code: 'busy' })
    expect(pool.state()).toEqual({ workers: 0, working: 0, waiting: 0 })
  })

  test('input that cannot be cloned is refused, and the worker stays', async () => {
    const pool = poolOf()
    await expect(pool.run('echo', { call: () => {} })).rejects.toThrow()
    expect(await pool.run('echo', 1)).toBe(1)
  })
})

describe('a school', () => {
  test('has a share of the workers, so that the task of another starts at once', async () => {
    const pool = poolOf({ size: 2, share: 1 })
    const long = [1, 2, 3].map(() => pool.run('slow', 60_000, { school: 'one' }).catch(() => 'ended'))
    expect(pool.state()).toEqual({ workers: 1, working: 1, waiting: 2 })
    expect(await pool.run('echo', 'pdf', { school: 'two' })).toBe('pdf')
    expect(pool.state()).toMatchObject({ working: 1, waiting: 2 })
    await pool.close()
    expect(await Promise.all(long)).toEqual(['ended', 'ended', 'ended'])
  })

  test('takes turns with other waiting schools', async () => {
    const pool = poolOf({ size: 1, share: 1, queued: 9 })
    const order: string[] = []
    const task = (school: string, name: string) => pool.run('slow', 1, { school }).then(() => void order.push(name))
    await Promise.all([task('one', '1a'), task('one', '1b'), task('one', '1c'), task('two', '2a'), task('two', '2b'), task('three', '3a')])
    expect(order).toEqual(['1a', '2a', '3a', '1b', '2b', '1c'])
  })

  test('that fills the queue leaves room for another', async () => {
    const pool = poolOf({ size: 1, share: 1, queued: 3 })
    const first = [1, 2, 3, 4].map((at) => pool.run('slow', at, { school: 'one' }).catch((error) => error.code))
    const other = pool.run('slow', 5, { school: 'two' })
    await expect(pool.run('slow', 6, { school: 'one' })).rejects.toMatchObject({ status: 503, code: 'busy' })
    expect(await other).toBe(5)
    expect(await Promise.all(first)).toEqual([1, 2, 3, 'busy'])
  })
})

test('a task with a limit of its own fails with its own failure, and the start of the worker does not count', async () => {
  const pool = poolOf()
  const limit = { timeMs: 300, overdue: () => new Error('too long to read') }
  expect(await pool.run('slow', 1, { limit })).toBe(1)
  await expect(pool.run('hangs', null, { limit })).rejects.toThrow('too long to read')
  expect(await pool.run('echo', 1)).toBe(1)
})
