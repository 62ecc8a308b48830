import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import * as driver from '@redis/client'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { cacheSuite, MINUTE, NOW } from './cache.suite.ts'
import type { Cache } from './cache.ts'
import { redisCache } from './redis.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})
const closing = (cache: Cache) => {
  closers.push(() => cache.close())
  return cache
}

function logged() {
  const lines: string[] = []
  const note = (level: string) => (_fields: object, text: string) => void lines.push(`${level}: ${text}`)
  return { lines, log: { info: note('info'), warn: note('warn') } as never }
}
const AWAY = 'warn: the shared cache does not answer; going on without it'
const BACK = 'info: the shared cache answers again'
const KEY = Buffer.alloc(32, 1)
/** On a machine that does much else. */
const SOON = { timeout: 15_000 }

describe('a Redis that is away', () => {
  const listen = async (server: Server, port = 0) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  test('refuses: every read is a miss, nothing throws, one line is logged', async () => {
    const server = createServer()
    const port = await listen(server)
    server.close()
    const { lines, log } = logged()
    const cache = closing(redisCache({ driver, key: KEY, url: `redis://127.0.0.1:${port}`, log }))
    await vi.waitFor(() => expect(lines).toEqual([AWAY]), SOON)
    const start = performance.now()
    for (let count = 0; count < 500; count += 1) {
      await cache.set('a', 1, MINUTE, NOW)
      expect(await cache.get('a', NOW)).toBeUndefined()
    }
    expect(performance.now() - start).toBeLessThan(5_000)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(lines).toEqual([AWAY])
  })

  test('takes the connection and never answers: no request waits', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => sockets.push(socket))
    const port = await listen(server)
    closers.push(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const { log } = logged()
    const cache = closing(redisCache({ driver, key: KEY, url: `redis://127.0.0.1:${port}`, log, timeoutMs: 50 }))
    const start = performance.now()
    await Promise.all(Array.from({ length: 200 }, (_, index) => cache.get(`k${index}`, NOW)))
    await cache.close()
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) console.info('redis-server is not in PATH: the shared cache is not tested against a real Redis')

describe.skipIf(!hasRedis)('in Redis', () => {
  let port = 0
  let redis: ChildProcess
  let folder = ''

  const reachable = async () => {
    for (let tries = 0; tries < 100; tries += 1) {
      if (
        spawnSync('redis-cli', ['-p', String(port), 'ping'])
          .stdout.toString()
          .trim() === 'PONG'
      )
        return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error('redis-server did not start')
  }
  /** Snapshots are on, so that a restart brings the old entries back, as a real one would. */
  const startRedis = async () => {
    redis = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '3600 1', '--appendonly', 'no'],
      { stdio: 'ignore' },
    )
    await reachable()
  }
  const stopRedis = async () => {
    const ended = once(redis, 'exit')
    redis.kill('SIGTERM')
    await ended
  }
  const cli = (...args: string[]) =>
    spawnSync('redis-cli', ['-p', String(port), ...args])
      .stdout.toString()
      .trim()

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cache-redis-'))
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    await new Promise((resolve) => server.close(resolve))
    await startRedis()
  })
  afterAll(async () => {
    await stopRedis()
    rmSync(folder, { recursive: true })
  })

  const connected = async (more: { key?: Buffer; timeoutMs?: number } = {}) => {
    const { lines, log } = logged()
    const cache = closing(redisCache({ driver, key: KEY, url: `redis://127.0.0.1:${port}`, log, timeoutMs: 1_000, ...more }))
    await vi.waitFor(async () => {
      await cache.set('warm', 1, MINUTE, NOW)
      expect(await cache.get('warm', NOW)).toBe(1)
    }, SOON)
    return { cache, lines }
  }

  cacheSuite(async () => {
    cli('flushall')
    return (await connected()).cache
  })

  test('entries carry the prefix and the time to live', async () => {
    const { cache } = await connected()
    await cache.set('schools:all', [1], limits.cache.schoolListMs, NOW)
    const left = Number(cli('pttl', 'markbook:cache:schools:all'))
    expect(left).toBeGreaterThan(30 * 86_400_000 - 10_000)
    expect(left).toBeLessThanOrEqual(30 * 86_400_000)
    await cache.set('short', 1, 40, NOW)
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect(await cache.get('short', NOW)).toBeUndefined()
  })

  test('what something else wrote under a key is a miss', async () => {
    const { cache } = await connected()
    cli('set', 'markbook:cache:a', 'null\n{"half":')
    expect(await cache.get('a', NOW)).toBeUndefined()
    cli('set', 'markbook:cache:a', 'junk')
    expect(await cache.get('a', NOW)).toBeUndefined()
  })

  test('whoever can write to Redis can make no entry, change none and move none to another key', async () => {
    const { cache } = await connected()
    await cache.set('role:ada', 'teacher', MINUTE, NOW)
    await cache.set('role:bea', 'admin', MINUTE, NOW)
    const stored = cli('get', 'markbook:cache:role:ada')
    cli('set', 'markbook:cache:role:ada', stored)
    expect(await cache.get('role:ada', NOW)).toBe('teacher')
    for (const forged of ['1\n"admin"', stored.replace('teacher', 'admin'), cli('get', 'markbook:cache:role:bea')]) {
      cli('set', 'markbook:cache:role:ada', forged)
      expect(await cache.get('role:ada', NOW)).toBeUndefined()
      expect(await cache.getText('role:ada', NOW)).toBeUndefined()
    }
    const { cache: other } = await connected({ key: Buffer.alloc(32, 2) })
    expect(await other.get('role:bea', NOW)).toBeUndefined()
    expect(await cache.get('role:bea', NOW)).toBe('admin')
  })

  test('what could not be written during an outage leaves nobody an older value: the entry before it is of another stamp', async () => {
    const { cache, lines } = await connected()
    await cache.set('role', 'admin', MINUTE, 1)
    await cache.set('other', 'kept', MINUTE, 1)
    await stopRedis()
    await vi.waitFor(() => expect(lines).toEqual([AWAY]), SOON)
    await cache.set('role', 'teacher', MINUTE, 2)
    expect(await cache.get('other', 1)).toBeUndefined()
    await startRedis()
    expect(cli('get', 'markbook:cache:role')).toContain('admin')
    await vi.waitFor(async () => expect(await cache.get('other', 1)).toBe('kept'), SOON)
    expect(await cache.get('role', 2)).toBeUndefined()
    expect(lines).toEqual([AWAY, BACK])
  })

  test('a refusal is a miss, and is logged once', async () => {
    const { cache, lines } = await connected()
    await cache.set('role', 'admin', MINUTE, 1)
    cli('acl', 'setuser', 'default', '-set')
    for (let count = 0; count < 3; count += 1) await cache.set('role', 'teacher', MINUTE, 2)
    expect([await cache.get('role', 1), await cache.get('role', 2)]).toEqual(['admin', undefined])
    cli('acl', 'setuser', 'default', '+@all')
    expect(lines).toEqual(['warn: the shared cache refuses a command; going on without it'])
  })

  test('a Redis that stalls costs one request at a time a short wait, and is used again when it goes on', async () => {
    const { cache, lines } = await connected({ timeoutMs: 100 })
    await cache.set('a', 1, MINUTE, NOW)
    redis.kill('SIGSTOP')
    const start = performance.now()
    expect(await cache.get('a', NOW)).toBeUndefined()
    expect(performance.now() - start).toBeLessThan(5_000)
    const answers = await Promise.all(Array.from({ length: 100 }, () => cache.get('a', NOW)))
    expect(answers.every((answer) => answer === undefined)).toBe(true)
    expect(performance.now() - start).toBeLessThan(5_000)
    redis.kill('SIGCONT')
    await vi.waitFor(async () => {
      await cache.set('b', 2, MINUTE, NOW)
      expect(await cache.get('b', NOW)).toBe(2)
    }, SOON)
    expect(await cache.get('a', NOW)).toBe(1)
    expect(lines).toEqual([AWAY, BACK])
  })
})
