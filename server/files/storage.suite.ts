import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ObjectExists, type ObjectStorage, type StoredObject, WrongContent } from './storage.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const pdf = { contentType: 'application/pdf' }
const text = (said: string) => Buffer.from(said)

export async function readAll(body: Iterable<unknown> | AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

type At = { storage: ObjectStorage }

const contentIn = async ({ storage }: At, path: string, range?: { first: number; last: number }) => {
  const opened = await storage.open('report-books', path, range)
  return opened && (await readAll(opened.body))
}

/** The tests that every storage must pass. `open` returns an empty one. */
export function storageSuite(name: string, open: () => Promise<{ storage: ObjectStorage; drop(): Promise<void> }>): void {
  describe(`object storage: ${name}`, () => {
    const at = {} as At
    let drop: () => Promise<void>
    beforeEach(async () => {
      const opened = await open()
      at.storage = opened.storage
      drop = opened.drop
    })
    afterEach(async () => {
      await at.storage.close()
      await drop()
    })

    storing(at)
    replacing(at)
    finding(at)
  })
}

function storing(at: At) {
  test('a stored object is read back byte for byte, with its type, size and hash', async () => {
    const content = randomBytes(100_000)
    const stored = await at.storage.put('report-books', 'a/b/one.pdf', content, pdf)
    expect(stored).toMatchObject({ bucket: 'report-books', path: 'a/b/one.pdf', size: 100_000, ...pdf, etag: sha256(content) })
    expect(await at.storage.head('report-books', 'a/b/one.pdf')).toMatchObject({ size: 100_000, ...pdf, etag: sha256(content) })
    expect(sha256((await contentIn(at, 'a/b/one.pdf')) as Buffer)).toBe(sha256(content))
  })

  test('a stream of unknown length, larger than one buffer', async () => {
    const pieces = Array.from({ length: 40 }, () => randomBytes(262_144))
    const stored = await at.storage.put('report-books', 'a/large.pdf', Readable.from(pieces), pdf)
    const whole = Buffer.concat(pieces)
    expect(stored).toMatchObject({ size: whole.length, etag: sha256(whole) })
    expect(sha256((await contentIn(at, 'a/large.pdf')) as Buffer)).toBe(sha256(whole))
  })

  test('content with another hash than stated is not stored', async () => {
    const content = randomBytes(300_000)
    const wrong = at.storage.put('report-books', 'a/one.pdf', Readable.from([content]), { ...pdf, sha256: sha256(text('other')) })
    await expect(wrong).rejects.toBeInstanceOf(WrongContent)
    expect(await at.storage.head('report-books', 'a/one.pdf')).toBeNull()
    await at.storage.put('report-books', 'a/one.pdf', Readable.from([content]), { ...pdf, sha256: sha256(content) })
    expect(await contentIn(at, 'a/one.pdf')).toEqual(content)
  })

  test('an empty object is stored', async () => {
    await at.storage.put('images', 'a/empty', new Uint8Array(), { contentType: 'text/csv' })
    expect(await at.storage.head('images', 'a/empty')).toMatchObject({ size: 0, contentType: 'text/csv' })
    const opened = await at.storage.open('images', 'a/empty')
    expect(await readAll(opened?.body ?? [])).toHaveLength(0)
  })

  test('a range includes its first and last byte', async () => {
    await at.storage.put('report-books', 'a/one', text('0123456789'), pdf)
    expect(String(await contentIn(at, 'a/one', { first: 0, last: 1 }))).toBe('01')
    expect(String(await contentIn(at, 'a/one', { first: 3, last: 9 }))).toBe('3456789')
    const opened = await at.storage.open('report-books', 'a/one', { first: 3, last: 5 })
    expect(opened?.object).toMatchObject({ size: 10, etag: sha256(text('0123456789')) })
    expect(String(await readAll(opened?.body ?? []))).toBe('345')
  })
}

function replacing(at: At) {
  test('without overwrite an existing object stays', async () => {
    await at.storage.put('report-books', 'a/one', text('first'), pdf)
    await expect(at.storage.put('report-books', 'a/one', text('second'), pdf)).rejects.toBeInstanceOf(ObjectExists)
    await expect(at.storage.put('report-books', 'a/one', Readable.from([text('third')]), pdf)).rejects.toBeInstanceOf(ObjectExists)
    expect(String(await contentIn(at, 'a/one'))).toBe('first')
  })

  test('with overwrite content, type and hash are replaced', async () => {
    await at.storage.put('images', 'a/one', text('first'), { contentType: 'image/png', overwrite: true })
    await at.storage.put('images', 'a/one', text('the second'), { contentType: 'image/webp', overwrite: true })
    expect(await at.storage.head('images', 'a/one')).toMatchObject({
      size: 10,
      contentType: 'image/webp',
      etag: sha256(text('the second')),
    })
    expect(await at.storage.list('images', { prefix: '', limit: 10 })).toHaveLength(1)
  })

  test('after concurrent overwrites one of them is stored, complete', async () => {
    const contents = Array.from({ length: 12 }, () => randomBytes(50_000))
    await Promise.all(contents.map((content) => at.storage.put('report-books', 'a/one', content, { ...pdf, overwrite: true })))
    const kept = sha256((await contentIn(at, 'a/one')) as Buffer)
    expect(contents.map(sha256)).toContain(kept)
    expect((await at.storage.head('report-books', 'a/one'))?.etag).toBe(kept)
  })

  test('a stream that fails stores nothing', async () => {
    const broken = Readable.from(
      (function* () {
        yield text('a part')
        throw new Error('gone')
      })(),
    )
    await expect(at.storage.put('report-books', 'a/one', broken, pdf)).rejects.toThrow('gone')
    expect(await at.storage.head('report-books', 'a/one')).toBeNull()
    expect(await at.storage.list('report-books', { prefix: '', limit: 10 })).toEqual([])
  })
}

function finding(at: At) {
  test('opening a missing object gives null, and removing it does nothing', async () => {
    expect(await at.storage.head('images', 'a/none')).toBeNull()
    expect(await at.storage.open('images', 'a/none')).toBeNull()
    await at.storage.remove('images', 'a/none')
  })

  test('a removed object is gone, its neighbours stay, and it can be stored again', async () => {
    await at.storage.put('report-books', 'a/one', text('one'), pdf)
    await at.storage.put('report-books', 'a/two', text('two'), pdf)
    await at.storage.put('images', 'a/one', text('elsewhere'), pdf)
    await at.storage.remove('report-books', 'a/one')
    await at.storage.remove('report-books', 'a/one')
    expect(await contentIn(at, 'a/one')).toBeNull()
    expect(String(await contentIn(at, 'a/two'))).toBe('two')
    expect(await at.storage.head('images', 'a/one')).toMatchObject({ size: 9 })
    await at.storage.put('report-books', 'a/one', text('again'), pdf)
    expect(String(await contentIn(at, 'a/one'))).toBe('again')
  })

  test('a list is sorted by path, and obeys prefix, after and limit', async () => {
    const paths = ['a/b.pdf', 'a/c.pdf', 'a/d.pdf', 'b/one', 'c/one', 'c/two']
    for (const path of [...paths].reverse()) await at.storage.put('report-books', path, text(path), pdf)
    const list = async (options: { prefix: string; after?: string; limit: number }) =>
      (await at.storage.list('report-books', options)).map(({ path }: StoredObject) => path)
    expect(await list({ prefix: '', limit: 100 })).toEqual(paths)
    expect(await list({ prefix: 'a/', limit: 100 })).toEqual(paths.slice(0, 3))
    expect(await list({ prefix: 'a/', limit: 2 })).toEqual(paths.slice(0, 2))
    expect(await list({ prefix: '', after: 'a/c.pdf', limit: 3 })).toEqual(paths.slice(2, 5))
    expect((await at.storage.list('report-books', { prefix: 'b', limit: 1 }))[0]).toMatchObject({ ...pdf, etag: sha256(text('b/one')) })
  })

  test.each(['', '/', '../a', 'a/../b', 'a//b', '/a', 'a/', 'a/.', '.hidden', 'a/b@', 'a\\b', 'a\0b', 'a%2fb', 'é', 'a '])(
    'the path %j throws a plain Error',
    async (path) => {
      await expect(at.storage.put('images', path, text('x'), pdf)).rejects.toThrow('not a path')
      await expect(at.storage.head('images', path)).rejects.toThrow('not a path')
      await expect(at.storage.open('images', path)).rejects.toThrow('not a path')
      await expect(at.storage.remove('images', path)).rejects.toThrow('not a path')
    },
  )

  test('names that Windows reserves for devices work like any other', async () => {
    for (const path of ['con/one', 'nul', 'COM1.pdf']) await at.storage.put('images', path, text(path), pdf)
    expect((await at.storage.list('images', { prefix: '', limit: 9 })).map(({ path }) => path)).toEqual(['COM1.pdf', 'con/one', 'nul'])
  })
}
