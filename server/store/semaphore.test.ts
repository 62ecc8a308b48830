import { expect, test } from 'vitest'
import { newTransactionCounts, semaphore } from './semaphore.ts'

const held = () => {
  let release = () => {}
  const promise = new Promise<void>((resolve) => {
    release = resolve
  })
  return { promise, release: () => release() }
}

test('runs as many as permitted at once, and the others in order', async () => {
  const gate = semaphore(2)
  const tally = newTransactionCounts()
  const [first, second] = [held(), held()]
  const order: string[] = []
  const run = (name: string, work: () => Promise<unknown>) => gate.run(tally, work).then(() => order.push(name))
  const all = [run('a', () => first.promise), run('b', () => second.promise), run('c', async () => {}), run('d', async () => {})]
  expect(gate.load()).toEqual({ places: 2, inside: 2, waiting: 2 })
  second.release()
  await Promise.all(all.slice(1))
  first.release()
  await Promise.all(all)
  expect(order).toEqual(['b', 'c', 'd', 'a'])
  expect(gate.load()).toEqual({ places: 2, inside: 0, waiting: 0 })
  expect(tally.count).toBe(4)
  expect(tally.waitedMs).toBeGreaterThan(0)
})

test('refuses with busy where too many wait, or one has waited too long; running work continues', async () => {
  const gate = semaphore(1, { most: 1, patience: 30 })
  const tally = newTransactionCounts()
  const long = held()
  const inside = gate.run(tally, () => long.promise)
  const late = gate.run(tally, async () => 'never')
  await expect(gate.run(tally, async () => 'never')).rejects.toMatchObject({ code: 'busy', status: 503, headers: { 'retry-after': '2' } })
  await expect(late).rejects.toMatchObject({ code: 'busy' })
  expect(tally.refused).toBe(2)
  long.release()
  await inside
  expect(await gate.run(tally, async () => 'again')).toBe('again')
})

test('a failed transaction frees its place', async () => {
  const gate = semaphore(1)
  const failing = gate.run(newTransactionCounts(), () => Promise.reject(new Error('no')))
  const next = gate.run(newTransactionCounts(), async () => 'next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
})

test('is idle once nothing runs or waits', async () => {
  const gate = semaphore(1)
  await gate.idle()
  const ended: string[] = []
  const work = ['a', 'b'].map((name) =>
    gate.run(newTransactionCounts(), async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      ended.push(name)
    }),
  )
  await gate.idle()
  expect(ended).toEqual(['a', 'b'])
  await Promise.all(work)
})
