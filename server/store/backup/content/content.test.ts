import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addContent } from './add.ts'
import { collectContent, type Kept } from './collect.ts'
import { memoryDisk, PowerCut, randomOf } from './content.fixtures.ts'
import { type ContentFolder, onThisDisk } from './disk.ts'
import { Packs } from './packs.ts'
import { pagesOf } from './pages.ts'
import { type Content, decodeRuns, encodeRuns } from './places.ts'
import { ContentError, readContent, verifyContent } from './read.ts'

const [CONTENT, MANIFESTS] = ['/content', '/manifests']
const PAGE = 1_024

/** A page that is a few hundred bytes when compressed, so that a block is four pages and a pack some blocks. */
const page = (random: () => number): Buffer => Buffer.from(Array.from({ length: 20 }, random).join(' ').slice(0, 300).padEnd(PAGE, '0'))

/** A program that makes backups of a database of few pages on a disk, and the database as it was at each. */
function programOn(seed: number) {
  const random = randomOf(seed)
  const box = memoryDisk(random)
  const where: ContentFolder = { folder: CONTENT, disk: box.disk, sizes: { blockBytes: 4_096, packBytes: 3_000 } }
  const pages = Array.from({ length: 12 }, () => page(random))
  /** What each backup that was begun held. */
  const held = new Map<string, Buffer>()
  let made = 0

  const write = async (name: string, content: Content) => {
    const part = join(MANIFESTS, `part-${name}`)
    const file = await box.disk.create(part)
    await file.append(Buffer.from(JSON.stringify({ packs: content.packs, runs: encodeRuns(content.runs) })))
    await file.close()
    await box.disk.rename(part, join(MANIFESTS, name))
    await box.disk.syncFolder(MANIFESTS)
  }
  const names = async () =>
    (await box.disk.names(MANIFESTS)).filter((name) => name.startsWith('backup')).sort((a, b) => Number(a.slice(6)) - Number(b.slice(6)))
  const contentOf = (name: string): Content => {
    const { packs, runs } = JSON.parse(box.bytesOf(join(MANIFESTS, name)).toString())
    return { packs, runs: decodeRuns(runs) ?? [] }
  }
  const kept = async (): Promise<Kept[]> =>
    (await names()).map((name) => ({ content: contentOf(name), replace: (content) => write(name, content) }))
  const collect = async () => collectContent(where, await kept())
  const read = async (name: string) => {
    const chunks: Buffer[] = []
    for await (const chunk of readContent(await Packs.open(where), contentOf(name))) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  return {
    box,
    where,
    names,
    contentOf,
    collect,
    read,
    change(count: number) {
      for (let left = count; left > 0; left -= 1) pages[Math.floor(random() * (pages.length + 0.2))] = page(random)
    },
    async backUp(): Promise<string> {
      made += 1
      const name = `backup${made}`
      held.set(name, Buffer.concat(pages))
      await write(name, await addContent(await Packs.open(where), pages))
      return name
    },
    async forget(which: number) {
      const all = await names()
      const name = all[which % Math.max(1, all.length - 1)]
      if (!name || all.length < 2) return
      await box.disk.remove(join(MANIFESTS, name))
      await box.disk.syncFolder(MANIFESTS)
    },
    /** Every backup that is there is what it was. */
    async allIsThere(): Promise<void> {
      for (const name of await names()) expect((await read(name)).equals(held.get(name) ?? Buffer.alloc(0)), name).toBe(true)
    },
    bytes: () => box.paths().reduce((sum, path) => sum + (path.startsWith(CONTENT) ? box.bytesOf(path).length : 0), 0),
  }
}
type Program = ReturnType<typeof programOn>

/** A history with every kind of step: some backups, thinning, packs written anew. */
async function history(program: Program, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    program.change(3)
    await program.backUp()
    if (round >= 3) await program.forget(round * 7)
    await program.collect()
  }
}

describe('content stored once', () => {
  test('what was stored is read, and what is known already is not stored again', async () => {
    const program = programOn(1)
    await program.backUp()
    const once = program.bytes()
    await program.backUp()
    expect(program.bytes()).toBe(once)
    program.change(1)
    await program.backUp()
    expect(program.bytes()).toBeLessThan(once * 1.5)
    await program.allIsThere()
  })

  test('any history of backups and thinning keeps what is kept, in little more room than that needs', async () => {
    const steps = fc.array(fc.oneof(fc.record({ change: fc.nat(6) }), fc.record({ forget: fc.nat(30) })), { minLength: 1, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(fc.nat(), steps, async (seed, all) => {
        const program = programOn(seed)
        for (const step of all) {
          if ('forget' in step) await program.forget(step.forget)
          else {
            program.change(step.change)
            await program.backUp()
          }
          await program.collect()
          await program.allIsThere()
        }
        const fresh = programOn(seed)
        const packs = await Packs.open(fresh.where)
        for (const name of await program.names()) await addContent(packs, chunksIn(await program.read(name)))
        expect(program.bytes()).toBeLessThanOrEqual(fresh.bytes() * 2 + 4_000)
      }),
      { numRuns: 30 },
    )
  })

  test('of everything removed nothing is left', async () => {
    const program = programOn(5)
    await history(program, 6)
    for (const path of program.box.paths().filter((each) => each.startsWith(MANIFESTS))) await program.box.disk.remove(path)
    await program.collect()
    expect(program.bytes()).toBe(0)
  })
})

function* chunksIn(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PAGE) yield bytes.subarray(at, at + PAGE)
}

describe('the power goes', () => {
  test('between any two steps: every backup is there whole or not at all, and the next one is made', async () => {
    const calm = programOn(7)
    await history(calm, 7)
    const { steps } = calm.box.state
    expect(steps).toBeGreaterThan(100)
    for (let cutAt = 1; cutAt <= steps; cutAt += 1) {
      const program = programOn(7)
      program.box.state.cutAt = cutAt
      await expect(history(program, 7)).rejects.toBeInstanceOf(PowerCut)
      const before = (await program.names()).length
      program.box.reboot()
      await program.allIsThere()
      expect((await program.names()).length).toBeGreaterThanOrEqual(before - 1)
      await history(program, 2)
      await program.allIsThere()
      expect(program.box.paths().filter((path) => path.includes('unfinished'))).toEqual([])
    }
  })

  test('again and again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 12 }), async (seed, cuts) => {
        const program = programOn(seed)
        for (const cutAt of cuts) {
          program.box.state.cutAt = cutAt
          await history(program, 5).catch((error) => expect(error).toBeInstanceOf(PowerCut))
          program.box.reboot()
          await program.allIsThere()
        }
        await history(program, 1)
        await program.allIsThere()
      }),
      { numRuns: 25 },
    )
  })
})

test('a full disk at any byte: what was kept is kept, and with room the next backup is made', async () => {
  for (let room = 0; room < 12_000; room += 401) {
    const program = programOn(11)
    await history(program, 3)
    const before = await program.names()
    program.box.state.room = room
    program.change(12)
    await program.backUp().then(program.collect, (error) => expect(error.code).toBe('ENOSPC'))
    await program.allIsThere()
    expect(await program.names()).toEqual(expect.arrayContaining(before))
    program.box.state.room = 1_000_000
    await history(program, 1)
    await program.allIsThere()
  }
})

describe('a damaged pack', () => {
  const packsOf = (program: Program) => program.box.paths().filter((path) => path.endsWith('.pack'))

  test('with any bit flipped: never anything but what was written, and the next backup is whole', async () => {
    const program = programOn(13)
    await history(program, 4)
    const [path] = packsOf(program)
    for (let bit = 0; bit < 24_000; bit += 211) {
      program.box.flip(path ?? '', bit)
      for (const name of await program.names()) {
        const outcome = await program.read(name).catch((error) => error)
        const { damaged } = await verifyContent(await Packs.open(program.where), program.contentOf(name))
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(ContentError)
          expect(damaged).toEqual([path?.slice(CONTENT.length + 1, -5)])
        } else expect(damaged.length).toBeLessThanOrEqual(1)
      }
      program.box.flip(path ?? '', bit)
      await program.allIsThere()
    }
  })

  test('what it held is stored anew by the next backup that leaves it out, and read from there for the older ones', async () => {
    const program = programOn(17)
    const name = await program.backUp()
    const [path] = packsOf(program)
    program.box.flip(path ?? '', 200)
    await expect(program.read(name)).rejects.toThrow(/^the pack [0-9a-f]{64}, in which a part of it lies, is damaged$/)
    const without = new Set([path?.slice(CONTENT.length + 1, -5) ?? ''])
    const sound = programOn(17)
    await sound.backUp()
    await addContent(await Packs.open(program.where, without), chunksIn(await sound.read(name)))
    await program.allIsThere()
  })

  test('one that is gone is named', async () => {
    const program = programOn(19)
    const name = await program.backUp()
    for (const path of packsOf(program)) await program.box.disk.remove(path)
    await expect(program.read(name)).rejects.toThrow(/is missing or damaged$/)
    await program.backUp()
    await program.allIsThere()
  })
})

test('the pages of a database on this disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'markbook-content-'))
  const where = onThisDisk(join(folder, 'content'))
  const head = Buffer.from('SQLite format 3\0'.padEnd(4_096, '\0'), 'latin1')
  head.writeUInt16BE(1_024, 16)
  const database = Buffer.concat([head, ...Array.from({ length: 40 }, (_, at) => Buffer.alloc(1_024, at % 20))])
  writeFileSync(join(folder, 'db'), database)
  const content = await addContent(await Packs.open(where), pagesOf(join(folder, 'db')))
  expect(content.packs).toHaveLength(1)
  const files = readdirSync(where.folder)
  expect(files).toEqual([`${content.packs[0]}.pack`])
  expect(statSync(join(where.folder, files[0] ?? '')).mode & 0o077).toBe(0)
  const packs = await Packs.open(where)
  const pages: Buffer[] = []
  for await (const chunk of readContent(packs, content)) pages.push(chunk)
  expect(pages.map(({ length }) => length)).toEqual(Array.from({ length: 44 }, () => 1_024))
  expect(Buffer.concat(pages).equals(database)).toBe(true)
  expect(packs.all[0]?.index.lengths).toHaveLength(21)
  rmSync(folder, { recursive: true })
})

test('places survive being written down, and what is none of ours is refused', () => {
  const runs = fc.array(fc.record({ pack: fc.nat(90), first: fc.nat(2_000_000), count: fc.integer({ min: 1, max: 700_000 }) }))
  fc.assert(
    fc.property(runs, (all) => {
      expect(decodeRuns(encodeRuns(all))).toEqual(all)
    }),
  )
  fc.assert(
    fc.property(fc.base64String(), (text) => {
      const found = decodeRuns(text)
      for (const run of found ?? []) expect(run.first >= 0 && run.count > 0 && run.pack >= 0).toBe(true)
    }),
  )
})
