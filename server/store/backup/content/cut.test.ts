import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomOf } from './content.fixtures.ts'
import { cut } from './cut.ts'

async function* inParts(bytes: Buffer, part: number) {
  for (let at = 0; at < bytes.length; at += part) yield bytes.subarray(at, at + part)
}
async function chunksOf(bytes: Buffer, part = 65_536): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  for await (const chunk of cut(inParts(bytes, part))) chunks.push(chunk)
  return chunks
}
/** Lines like those of a dump. */
function linesOf(seed: number, count: number): Buffer {
  const random = randomOf(seed)
  return Buffer.from(Array.from({ length: count }, () => `${random()}\t${random()}\tmark\t${Math.floor(random() * 100)}\n`).join(''))
}

test('any bytes come in whole, in chunks that are cut alike however they arrive', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(6_000), fc.integer({ min: 1, max: 200_000 }), async (seed, count, part) => {
      const bytes = linesOf(seed, count)
      const chunks = await chunksOf(bytes, part)
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
      expect(chunks.every(({ length }) => length > 0 && length <= 65_536)).toBe(true)
      expect(chunks.map(({ length }) => length)).toEqual((await chunksOf(bytes, 70_000)).map(({ length }) => length))
    }),
    { numRuns: 40 },
  )
})

test('a line put in changes the chunks about it alone; bytes that are all alike are cut too', async () => {
  const bytes = linesOf(3, 50_000)
  const before = new Set((await chunksOf(bytes)).map((chunk) => chunk.toString('latin1')))
  expect(bytes.length / before.size).toBeGreaterThan(5_000)
  expect(bytes.length / before.size).toBeLessThan(20_000)
  const middle = bytes.length >> 1
  const changed = Buffer.concat([bytes.subarray(0, middle), Buffer.from('one line more\n'), bytes.subarray(middle)])
  const fresh = (await chunksOf(changed)).filter((chunk) => !before.has(chunk.toString('latin1')))
  expect(fresh.length).toBeGreaterThan(0)
  expect(fresh.length).toBeLessThan(8)
  expect(new Set((await chunksOf(Buffer.alloc(1_000_000))).map(({ length }) => length)).size).toBeLessThan(3)
})
