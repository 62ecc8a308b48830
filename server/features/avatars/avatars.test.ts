import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import { type PersonName, people } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { diskStorage } from '../../files/disk.ts'
import { leastTime } from '../../testing/least-time.ts'
import { exif, jpeg, jpegSegment, jpegWith, png, pngOf, webp } from '../../testing/pictures.ts'
import { type School, school } from '../../testing/school.ts'
import { endless } from '../../tests/sweep/endless.ts'
import { sweepFiles } from '../storage/sweep.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const BASE = 'http://markbook.test'
const PUBLIC = `${BASE}/storage/v1/object/public/images/`
type Reply = { status: number; body: { avatar_url: string; code?: string; message?: string } }

function formOf(bytes: Uint8Array<ArrayBuffer>, type: string, name = 'me.png'): FormData {
  const form = new FormData()
  form.set('file', new File([bytes], name, { type }))
  return form
}
const upload = (who: PersonName, bytes: Uint8Array<ArrayBuffer>, type: string, query: Record<string, string> = {}) =>
  st.as[who].avatars.upload.raw({ query, body: formOf(bytes, type) }) as Promise<Reply>
const download = (who: PersonName, headers: Record<string, string> = {}) =>
  st.app.fetch(new Request(`${BASE}/api/auth/avatar`, { headers: { cookie: st.cookieOf(who), ...headers } }))
const look = (url: string, init: RequestInit = {}) => st.app.fetch(new Request(url, init))
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const stored = async () => (await st.services.files.list('images', { prefix: '', limit: 99 })).map(({ path }) => path)
const rowOf = async (who: PersonName) => (await st.rows('user_profile')).find(({ id }) => id === people[who].id)

describe('POST /api/auth/avatar', () => {
  test.each([
    ['image/png', png(), 'png'],
    ['image/jpeg', jpeg, 'jpg'],
    ['image/webp', webp, 'webp'],
  ] as const)('stores a %s, and answers its address', async (type, bytes, ending) => {
    const { status, body } = await upload('byrne', bytes, type)
    expect(status).toBe(201)
    expect(body).toEqual({
      avatar_url: expect.stringMatching(new RegExp(`^${PUBLIC}avatars/[\\w-]{86}\\.${ending}\\?t=${st.clock.now()}$`)),
    })
    const seen = await look(body.avatar_url)
    expect(seen.headers.get('content-type')).toBe(type)
    expect((await bytesOf(seen)).equals(bytes)).toBe(true)
  })

  test('GET /api/auth/me and the profile have the new URL at once, also with a pending request', async () => {
    for (const who of ['okafor', 'tomas', 'nobody'] as const) {
      expect((await st.as[who].auth.me()).avatar_url).toBeNull()
      const { body } = await upload(who, png(), 'image/png')
      expect((await st.as[who].auth.me()).avatar_url).toBe(body.avatar_url)
      const { body: next } = await upload(who, jpeg, 'image/jpeg')
      expect(next.avatar_url).not.toBe(body.avatar_url)
      expect((await st.as[who].auth.me()).avatar_url).toBe(next.avatar_url)
      expect((await st.as[who].auth.updateProfile({ body: {} })).avatar_url).toBe(next.avatar_url)
    }
  })

  test('replaces the earlier picture: its content, its type, and its old URL', async () => {
    const { body: first } = await upload('byrne', png(), 'image/png')
    const { body: second } = await upload('byrne', png({ width: 3 }), 'image/png')
    expect((await bytesOf(await look(second.avatar_url))).equals(png({ width: 3 }))).toBe(true)
    await upload('byrne', webp, 'image/webp')
    for (const { avatar_url } of [first, second]) expect((await look(avatar_url)).status).toBe(404)
    expect((await bytesOf(await download('byrne'))).equals(webp)).toBe(true)
  })

  test('the row names the file by type, size and content', async () => {
    await upload('byrne', png(), 'image/png')
    const row = await rowOf('byrne')
    expect(row).toMatchObject({ avatar_path: `avatars/${people.byrne.id}.png`, avatar_type: 'image/png', avatar_size: png().length })
    expect(await stored()).toEqual([`${row?.avatar_path}/${row?.avatar_sha256}.png`])
  })

  test('`pathname` is one to three plain names', async () => {
    for (const pathname of ['staff', 'staff/2026/A-b_c', 'a'.repeat(64)]) {
      const { status, body } = await upload('byrne', png(), 'image/png', { pathname })
      expect(status).toBe(201)
      expect((await rowOf('byrne'))?.avatar_path).toBe(`${pathname}/${people.byrne.id}.png`)
      expect((await look(body.avatar_url)).status).toBe(200)
    }
  })

  test.each([
    '../x',
    'a/../b',
    '..',
    '.',
    '/a',
    'a/',
    'a//b',
    'a/b/c/d',
    'a\\b',
    'a\0b',
    'a%2fb',
    'a%00',
    'é',
    'a.b',
    ' ',
    '',
    'a'.repeat(65),
    'incoming.uploads',
  ])('400 for the pathname %j, and nothing is stored', async (pathname) => {
    const before = await st.digest()
    const { status, body } = await upload('byrne', png(), 'image/png', { pathname })
    expect([status, body.code]).toEqual([400, 'validation_failed'])
    expect(await st.digest()).toBe(before)
    expect(await stored()).toEqual([])
  })

  test('400 for escapes in the address itself', async () => {
    for (const escaped of ['..%2f..%2fetc', '%2e%2e/x', 'a%5cb', 'a%00b', 'a%252fb']) {
      const request = new Request(`${BASE}/api/auth/avatar?pathname=${escaped}`, {
        method: 'POST',
        headers: { cookie: st.cookieOf('byrne') },
        body: formOf(png(), 'image/png'),
      })
      expect((await st.app.fetch(request)).status).toBe(400)
    }
  })

  test.each([
    ['an SVG called .png', Buffer.from('<svg onload="alert(1)"/>'), 'image/png', 415, 'images.wrong_type'],
    ['a page called .png', Buffer.from('<html><script>alert(1)</script>'), 'image/png', 415, 'images.wrong_type'],
    ['a JPEG called PNG', jpeg, 'image/png', 415, 'images.wrong_type'],
    ['an SVG', Buffer.from('<svg/>'), 'image/svg+xml', 415, 'images.wrong_type'],
    ['30,000 × 30,000 pixels', png({ width: 30_000, height: 30_000, padding: 600_000 }), 'image/png', 413, 'images.too_many_pixels'],
    ['5 MB and a byte', pngOf(5_242_881), 'image/png', 413, 'too_large'],
    ['half a picture', jpeg.subarray(0, 200), 'image/jpeg', 415, 'images.wrong_type'],
  ])('%s is refused, and nothing is stored', async (_what, bytes, type, status, code) => {
    const before = await st.digest()
    const reply = await upload('byrne', bytes, type)
    expect([reply.status, reply.body.code]).toEqual([status, code])
    expect(await st.digest()).toBe(before)
    expect(await stored()).toEqual([])
  })

  test('5 MB are taken', async () => {
    expect((await upload('byrne', pngOf(5_242_880), 'image/png')).status).toBe(201)
  })

  test('the location is removed, the orientation is not', async () => {
    const taken = jpegWith(jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif(6)])))
    const { body } = await upload('byrne', taken, 'image/jpeg')
    const seen = await bytesOf(await look(body.avatar_url))
    expect(taken.includes('53.3498N')).toBe(true)
    expect(seen.includes('53.3498N')).toBe(false)
    expect(seen.includes('Exif')).toBe(true)
  })

  test('two within one millisecond have two addresses', async () => {
    const replies = await Promise.all([png(), png({ width: 3 }), png({ width: 4 })].map((bytes) => upload('byrne', bytes, 'image/png')))
    const urls = replies.map(({ body }) => body.avatar_url)
    expect(new Set(urls).size).toBe(3)
    const last = urls.sort((one, other) => Number(one.split('?t=')[1]) - Number(other.split('?t=')[1])).at(-1)
    expect((await st.as.byrne.auth.me()).avatar_url).toBe(last)
    const seen = await bytesOf(await download('byrne'))
    expect((await rowOf('byrne'))?.avatar_size).toBe(seen.length)
  })

  test('a kill between file and row keeps the earlier picture, and leaves an object for the sweep', async () => {
    await upload('byrne', png(), 'image/png')
    const { store } = st.services
    const write = store.write
    let writes = 0
    Object.assign(store, {
      write: (...args: Parameters<typeof write>) => {
        writes += 1
        if (writes === 2) throw new Error('killed')
        return write(...args)
      },
    })
    expect((await upload('byrne', jpeg, 'image/jpeg')).status).toBe(500)
    Object.assign(store, { write })
    expect((await bytesOf(await download('byrne'))).equals(png())).toBe(true)
    expect(await stored()).toHaveLength(2)
    expect(await sweepFiles(st.services)).toBe(0)
    st.clock.advance(limits.storage.orphanAgeMs + 1)
    expect(await sweepFiles(st.services)).toBe(1)
    expect((await bytesOf(await download('byrne'))).equals(png())).toBe(true)
  })

  test('a replaced picture is deleted after an hour, so that a running backup still has it', async () => {
    await upload('byrne', png(), 'image/png')
    await upload('byrne', webp, 'image/webp')
    expect(await stored()).toHaveLength(2)
    st.clock.advance(limits.storage.replacedAgeMs + 1)
    await upload('byrne', jpeg, 'image/jpeg')
    expect(await stored()).toHaveLength(1 + 1)
    st.clock.advance(limits.storage.orphanAgeMs + 1)
    await sweepFiles(st.services)
    expect(await stored()).toHaveLength(1)
  })

  test('429 for a person with too many uploads; others are not affected', async () => {
    for (let count = 0; count < limits.uploads.images; count += 1) await upload('byrne', png(), 'image/png')
    const refused = await st.as.byrne.avatars.upload.raw({ body: formOf(png(), 'image/png') })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect((await upload('ada', png(), 'image/png')).status).toBe(201)
    st.clock.advance(limits.uploads.windowMs)
    expect((await upload('byrne', png(), 'image/png')).status).toBe(201)
  })

  test('the limit is the same for concurrent uploads', async () => {
    const most = limits.uploads.images
    const replies = await Promise.all(Array.from({ length: most + 20 }, () => upload('byrne', png(), 'image/png')))
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(most).fill(201), ...Array(20).fill(429)])
  })

  test('507 where the disk is nearly full, and marks are still saved', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'markbook-full-'))
    const files = diskStorage({ folder, clock: st.clock, free: async () => 1_000 })
    Object.assign(st.services, { files })
    const { status, body } = await upload('byrne', png(), 'image/png')
    rmSync(folder, { recursive: true })
    expect([status, body.code]).toEqual([507, 'storage_full'])
    expect((await rowOf('byrne'))?.avatar_path).toBeNull()
    await st.as.byrne.auth.updateProfile({ body: { firstName: 'Seán' } })
  })
})

describe('a malformed form', () => {
  const send = (body: BodyInit, type = 'multipart/form-data; boundary=x', more: Record<string, string> = {}) =>
    st.app.fetch(
      new Request(`${BASE}/api/auth/avatar`, {
        method: 'POST',
        headers: { cookie: st.cookieOf('byrne'), 'content-type': type, ...more },
        body,
        duplex: 'half',
      } as RequestInit),
    )
  const part = (name: string, content: string) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`

  test('of ten thousand parts is 400, without delaying others', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => part(`p${at}`, 'x')).join('')
    const sending = async () => expect((await send(`${many}--x--\r\n`)).status).toBe(400)
    expect(await leastTime(1_000, sending)).toBeLessThanOrEqual(1_000)
  })

  test.each([
    ['no part', '--x--\r\n'],
    ['nothing', ''],
    ['a part of another name', `${part('picture', 'x')}--x--\r\n`],
    ['no end', part('file', 'x')],
    ['a head without an end', '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n'],
  ])('of %s is 400', async (_what, body) => {
    expect((await send(body)).status).toBe(400)
  })

  test('a stream that goes on for ever is stopped soon after 5 MB', async () => {
    const stream = endless(50)
    expect((await send(stream.body as BodyInit)).status).toBe(413)
    expect(stream.megabytesRead()).toBeLessThan(7)
  })
})

describe('GET /api/auth/avatar', () => {
  test('400 without one', async () => {
    const response = await download('byrne')
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'avatars.none'])
  })

  test('the stored picture under its stored type, kept by this browser for an hour', async () => {
    await upload('byrne', png(), 'image/png')
    const response = await download('byrne')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(/^inline; filename="[0-9a-f-]+\.png"/),
    })
    expect((await bytesOf(response)).equals(png())).toBe(true)
    expect((await download('byrne', { 'if-none-match': response.headers.get('etag') ?? '' })).status).toBe(304)
    expect((await bytesOf(await download('byrne', { range: 'bytes=1-3' }))).toString()).toBe('PNG')
  })

  test('404 with a sentence where the file has not arrived at this server yet', async () => {
    await upload('byrne', png(), 'image/png')
    for (const path of await stored()) await st.services.files.remove('images', path)
    const response = await download('byrne')
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'avatars.away'])
  })
})
