import { describe, expect, test } from 'vitest'
import { fairQueue } from './fair-queue.ts'

const takeAll = <T>(queue: { take(): T | undefined }): T[] => {
  const taken: T[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

describe('a fair queue', () => {
  test('takes one of each client in turns, the oldest of a client first', () => {
    const queue = fairQueue<string>(10)
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item.charAt(0), item)
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    expect(queue.size()).toBe(0)
  })

  test('a full one drops the newest of the client who has most, whoever came last', () => {
    const queue = fairQueue<string>(4)
    const dropped = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'a4'].map((item) => queue.add(item.charAt(0), item))
    expect(dropped).toEqual([undefined, undefined, undefined, undefined, 'a3', 'a2', 'a4'])
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'b2'])
  })

  test('who has left is not taken', () => {
    const queue = fairQueue<string>(4)
    for (const item of ['a1', 'a2', 'b1']) queue.add(item.charAt(0), item)
    queue.remove('a', 'a1')
    queue.remove('b', 'b1')
    queue.remove('b', 'never there')
    expect(queue.size()).toBe(1)
    expect(takeAll(queue)).toEqual(['a2'])
  })

  test('sweeps the fronts of all lines', () => {
    const queue = fairQueue<string>(9)
    for (const item of ['a1', 'a2', 'a9', 'b1', 'c9']) queue.add(item.charAt(0), item)
    expect(queue.sweep((item) => item.charAt(1) < '5')).toEqual(['a1', 'a2', 'b1'])
    expect(takeAll(queue)).toEqual(['a9', 'c9'])
  })
})
