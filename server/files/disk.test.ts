import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { diskStorage } from './disk.ts'
import { readAll, storageSuite } from './storage.suite.ts'
import { ObjectExists, type ObjectStorage } from './storage.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'markbook-disk-'))
const dropFolder = (folder: string) => rmSync(folder, { recursive: true, force: true })

storageSuite('a folder on disk', async () => {
  const folder = newFolder()
  return { storage: diskStorage({ folder, clock: systemClock, floor: 0 }), drop: async () => dropFolder(folder) }
})

const pdf = { contentType: 'application/pdf' }
const text = (said: string) => Buffer.from(said)

describe('a folder on disk', () => {
  let folder: string
  let storage: ObjectStorage
  beforeEach(() => {
    folder = newFolder()
    storage = diskStorage({ folder, clock: systemClock, floor: 0 })
  })
  afterEach(() => dropFolder(folder))
  const filesBelow = (within = '') =>
    readdirSync(join(folder, within), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))

  test('of concurrent puts of one new path exactly one succeeds', async () => {
    const puts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => storage.put('report-books', 'a/one.pdf', text(`the ${at}th`), pdf)),
    )
    const stored = puts.flatMap((put) => (put.status === 'fulfilled' ? [put.value] : []))
    expect(stored).toHaveLength(1)
    expect(puts.flatMap((put) => (put.status === 'rejected' ? [put.reason] : [])).every((error) => error instanceof ObjectExists)).toBe(
      true,
    )
    expect((await storage.head('report-books', 'a/one.pdf'))?.etag).toBe(stored[0]?.etag)
  })

  test('with two servers on one folder an existing object stays, too', async () => {
    const other = diskStorage({ folder, clock: systemClock, floor: 0 })
    const puts = await Promise.allSettled([storage, other].map((each, at) => each.put('images', 'a/one', text(`${at}`), pdf)))
    expect(puts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('a range of one byte', async () => {
    await storage.put('images', 'a/one', text('0123456789'), pdf)
    for (const at of [0, 9]) {
      const opened = await storage.open('images', 'a/one', { first: at, last: at })
      expect(String(await readAll(opened?.body ?? []))).toBe(String(at))
    }
  })

  test('a path may be the prefix of another, and whole paths are sorted', async () => {
    const paths = ['a-b/one', 'a/b', 'a/b.pdf', 'a/b/c', 'a/c', 'legacy.pdf']
    for (const path of [...paths].reverse()) await storage.put('images', path, text(path), pdf)
    const list = async (options: { prefix: string; after?: string; limit: number }) =>
      (await storage.list('images', options)).map(({ path }) => path)
    expect(await list({ prefix: '', limit: 100 })).toEqual(paths)
    expect(await list({ prefix: 'a/b', limit: 2 })).toEqual(['a/b', 'a/b.pdf'])
    expect(await list({ prefix: '', after: 'a/b', limit: 2 })).toEqual(['a/b.pdf', 'a/b/c'])
  })

  test('a reader gets the whole object, even if it is removed or replaced meanwhile', async () => {
    const content = Buffer.alloc(3_000_000, 'old')
    for (const change of [
      () => storage.put('images', 'a/one', text('new'), { ...pdf, overwrite: true }),
      () => storage.remove('images', 'a/one'),
    ]) {
      await storage.put('images', 'a/one', content, { ...pdf, overwrite: true })
      const opened = await storage.open('images', 'a/one')
      await change()
      expect((await readAll(opened?.body ?? [])).equals(content)).toBe(true)
    }
  })

  test('a reader during repeated replacements gets one of the versions, complete', async () => {
    await storage.put('images', 'a/one', Buffer.alloc(70_000, 0), pdf)
    const writing = (async () => {
      for (let at = 1; at <= 40; at += 1) await storage.put('images', 'a/one', Buffer.alloc(70_000, at), { ...pdf, overwrite: true })
    })()
    for (let reads = 0; reads < 40; reads += 1) {
      const opened = await storage.open('images', 'a/one')
      const content = await readAll(opened?.body ?? [])
      expect(createHash('sha256').update(content).digest('hex')).toBe(opened?.object.etag)
    }
    await writing
  })

  test('the content is a plain file with the extension of its path, so that a person can open it in a backup', async () => {
    await storage.put('report-books', 'a/one.pdf', text('%PDF-1.7'), pdf)
    const [content = ''] = filesBelow().filter((path) => path.endsWith('.pdf'))
    expect(readFileSync(join(folder, content), 'utf8')).toBe('%PDF-1.7')
  })

  test('replacing and removing leave no other files', async () => {
    for (const said of ['one', 'two', 'three']) await storage.put('images', 'a/b/one', text(said), { ...pdf, overwrite: true })
    expect(filesBelow()).toHaveLength(2)
    await storage.remove('images', 'a/b/one')
    expect(filesBelow()).toEqual([])
    expect(readdirSync(join(folder, 'images'))).toEqual([])
  })

  test('a kill before the rename leaves no object, and the sweep deletes the remains', async () => {
    const left = join(folder, '.unfinished', 'abc')
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'content'), 'a part')
    expect(await storage.list('images', { prefix: '', limit: 9 })).toEqual([])
    await storage.sweep(Date.now() - 60_000)
    expect(filesBelow()).toHaveLength(1)
    utimesSync(left, new Date(0), new Date(0))
    await storage.sweep(Date.now() - 60_000)
    expect(filesBelow()).toEqual([])
  })

  test('a kill between content and description of a replacement leaves the old object', async () => {
    await storage.put('images', 'a/one', text('old'), pdf)
    writeFileSync(join(folder, 'images', 'a', 'one@', '0123456789abcdef'), 'new and never described')
    const opened = await storage.open('images', 'a/one')
    expect(opened?.object.size).toBe(3)
    opened?.body.destroy()
    await storage.sweep(0)
    expect(filesBelow('images')).toHaveLength(2)
    expect((await storage.head('images', 'a/one'))?.size).toBe(3)
  })

  test('507 where the disk is nearly full, before anything is written', async () => {
    const full = diskStorage({ folder, clock: systemClock, floor: 1_000, free: async () => 1_500 })
    await full.put('images', 'a/fits', Buffer.alloc(500), pdf)
    const refusal = full.put('images', 'a/one', Buffer.alloc(501), pdf)
    await expect(refusal).rejects.toMatchObject({ status: 507, code: 'storage_full' })
    expect(filesBelow()).toHaveLength(2)
  })
})
