import { expect, test } from 'vitest'
import type { Cache } from './cache.ts'

export const MINUTE = 60_000

/** A revision, where a test is about none. */
export const NOW = 1

/** What every cache promises; `open` gives an empty one. */
export function cacheSuite(open: () => Promise<Cache>) {
  test('what was set is got, as a copy', async () => {
    const cache = await open()
    const profile = { id: 'u1', name: 'Órla\n', schools: [1, null] }
    await cache.set('profile:u1', profile, MINUTE, NOW)
    profile.name = 'changed'
    const first = await cache.get<typeof profile>('profile:u1', NOW)
    expect(first).toEqual({ id: 'u1', name: 'Órla\n', schools: [1, null] })
    first?.schools.push(2)
    expect((await cache.get<typeof profile>('profile:u1', NOW))?.schools).toEqual([1, null])
  })

  test('a value can be set and got as the text of its JSON', async () => {
    const cache = await open()
    await cache.setText('a', '{"b":[1,"Órla"]}', MINUTE, 7)
    expect(await cache.get('a', 7)).toEqual({ b: [1, 'Órla'] })
    expect(await cache.getText('a', 7)).toBe('{"b":[1,"Órla"]}')
    expect(await cache.getText('a', 8)).toBeUndefined()
    await cache.set('a', { b: null }, MINUTE, 8)
    expect(await cache.getText('a', 8)).toBe('{"b":null}')
  })

  test('a key that was never set is a miss, and null is a value', async () => {
    const cache = await open()
    await cache.set('nothing', null, MINUTE, NOW)
    expect(await cache.get('nothing', NOW)).toBeNull()
    expect(await cache.get('never', NOW)).toBeUndefined()
  })

  test('set replaces', async () => {
    const cache = await open()
    await cache.set('a', 1, MINUTE, NOW)
    await cache.set('a', 2, MINUTE, NOW)
    expect(await cache.get('a', NOW)).toBe(2)
  })

  test('an entry is for readers with its stamp only', async () => {
    const cache = await open()
    await cache.set('a', 'old', MINUTE, 7)
    expect(await cache.get('a', 7)).toBe('old')
    for (const other of [8, '7', 70]) expect(await cache.get('a', other)).toBeUndefined()
    await cache.set('a', 'odd', MINUTE, 'two\nlines')
    expect(await cache.get('a', 7)).toBeUndefined()
    expect(await cache.get('a', 'two')).toBeUndefined()
    expect(await cache.get('a', 'two\nlines')).toBe('odd')
  })

  test('a slow writer who puts an old value back does not bring it back to life', async () => {
    const cache = await open()
    await cache.set('a', 'new', MINUTE, 2)
    await cache.set('a', 'old', MINUTE, 1)
    expect(await cache.get('a', 2)).toBeUndefined()
  })

  test('after close everything is a miss and nothing throws', async () => {
    const cache = await open()
    await cache.set('a', 1, MINUTE, NOW)
    await cache.close()
    expect(await cache.get('a', NOW)).toBeUndefined()
  })
}
