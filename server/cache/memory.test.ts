import { limits } from '@markbook/shared/limits'
import { describe, expect, test } from 'vitest'
import { cacheSuite, MINUTE, NOW } from './cache.suite.ts'
import { memoryCache } from './memory.ts'

const NOON = Date.UTC(2026, 8, 1, 12)

function virtualClock(now = NOON) {
  return {
    now: () => now,
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('in memory', () => {
  cacheSuite(async () => memoryCache({ clock: virtualClock() }))

  test.each([
    ['profile', limits.cache.profileMs],
    ['schools:all', limits.cache.schoolListMs],
  ])('%s lives for 30 days and no longer', async (key, ttlMs) => {
    const clock = virtualClock()
    const cache = memoryCache({ clock })
    await cache.set(key, 1, ttlMs, NOW)
    clock.pass(30 * 86_400_000 - 1)
    expect(await cache.get(key, NOW)).toBe(1)
    clock.pass(2)
    expect(await cache.get(key, NOW)).toBeUndefined()
  })

  test('setting anew starts the time anew', async () => {
    const clock = virtualClock()
    const cache = memoryCache({ clock })
    await cache.set('a', 1, MINUTE, NOW)
    clock.pass(MINUTE - 1)
    await cache.set('a', 2, MINUTE, NOW)
    clock.pass(MINUTE - 1)
    expect(await cache.get('a', NOW)).toBe(2)
  })

  test('it is bounded, and what was read lately stays', async () => {
    const cache = memoryCache({ clock: virtualClock() })
    for (let index = 0; index < limits.cache.entries; index += 1) await cache.set(`k${index}`, index, MINUTE, NOW)
    expect(await cache.get('k0', NOW)).toBe(0)
    await cache.set('one more', 1, MINUTE, NOW)
    expect(await cache.get('k0', NOW)).toBe(0)
    expect(await cache.get('k1', NOW)).toBeUndefined()
  })

  test('large values are bounded by what they take together', async () => {
    const cache = memoryCache({ clock: virtualClock() })
    const large = 'x'.repeat(limits.cache.bytes / 8)
    for (const key of ['a', 'b', 'c', 'd']) await cache.set(key, large, MINUTE, NOW)
    expect(await cache.get('a', NOW)).toBeUndefined()
    expect(await cache.get('d', NOW)).toBe(large)
  })
})
