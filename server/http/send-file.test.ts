import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { systemClock } from '@markbook/shared/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diskStorage } from '../files/disk.ts'
import type { ObjectStorage, StoredObject } from '../files/storage.ts'
import { type BinaryReply, disposition, rangeOf, sendFile } from './send-file.ts'

let folder: string
let files: ObjectStorage
let object: StoredObject
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-send-'))
  files = diskStorage({ folder, clock: systemClock, floor: 0 })
  object = await files.put('images', 'a/digits', Buffer.from('0123456789'), { contentType: 'text/html' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const stored: BinaryReply = { stored: { bucket: 'images', path: 'a/digits' }, filename: 'digits.html' }
const send = (headers: Record<string, string> = {}, { method = 'GET', file = stored }: { method?: string; file?: BinaryReply } = {}) =>
  sendFile(
    { files, request: new Request('http://markbook.test/', { method, headers }), status: 200, headers: [['x-request-id', '1']] },
    file,
  )
const told = async (response: Response) => ({
  status: response.status,
  text: await response.text(),
  range: response.headers.get('content-range'),
  length: response.headers.get('content-length'),
})

describe('a stored file', () => {
  test('is sent whole, with its stored type, nosniff, and a policy against scripts', async () => {
    const response = await send()
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-length': '10',
      'x-content-type-options': 'nosniff',
      'content-disposition': `attachment; filename="digits.html"; filename*=UTF-8''digits.html`,
      'cache-control': 'no-store',
      'accept-ranges': 'bytes',
      etag: `"${object.etag}"`,
      'x-request-id': '1',
    })
    expect(await told(response)).toMatchObject({ status: 200, text: '0123456789' })
  })

  test('HEAD has the same headers and no body', async () => {
    const response = await send({}, { method: 'HEAD' })
    expect(await told(response)).toEqual({ status: 200, text: '', range: null, length: '10' })
    expect(response.headers.get('etag')).toBe(`"${object.etag}"`)
  })

  test.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-5', '2345', 'bytes 2-5/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('206 for %s', async (range, text, said) => {
    expect(await told(await send({ range }))).toEqual({ status: 206, text, range: said, length: String(text.length) })
  })

  test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('416 for %s', async (range) => {
    expect(await told(await send({ range }))).toEqual({ status: 416, text: '', range: 'bytes */10', length: '0' })
  })

  test.each(['bytes=5-2', 'bytes=0-1,3-4', 'bytes=-', 'lines=1-2', 'bytes=a-b', 'bytes=1-2-3', `bytes=${'9'.repeat(40)}-`])(
    'the whole file for %s, which is not a supported range',
    async (range) => {
      expect(await told(await send({ range }))).toMatchObject({ status: 200, text: '0123456789' })
    },
  )

  test('304 only for a client that has this version', async () => {
    const tag = `"${object.etag}"`
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*'])
      expect(await told(await send({ 'if-none-match': known }))).toMatchObject({ status: 304, text: '' })
    for (const other of ['"other"', object.etag, '']) expect((await send({ 'if-none-match': other })).status).toBe(200)
  })

  test('a range only where If-Range names this version', async () => {
    const range = 'bytes=2-3'
    expect((await send({ range, 'if-range': `"${object.etag}"` })).status).toBe(206)
    expect(await told(await send({ range, 'if-range': '"another"' }))).toMatchObject({ status: 200, text: '0123456789' })
  })

  test('that does not exist is 404, or the handler’s failure', async () => {
    const missing: BinaryReply = { stored: { bucket: 'images', path: 'a/none' }, filename: 'x' }
    await expect(send({}, { file: missing })).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })

  test('is closed when the reader disconnects', async () => {
    const response = await send()
    await response.body?.cancel()
  })
})

describe('a file that is made while it is sent', () => {
  test('is sent as it is made', async () => {
    const file: BinaryReply = {
      stream: Readable.from([Buffer.from('a'), Buffer.from('b')]),
      contentType: 'application/zip',
      filename: 'a.zip',
    }
    const response = await send({}, { file })
    expect(response.headers.get('content-type')).toBe('application/zip')
    expect(await response.text()).toBe('ab')
  })

  test('that fails closes the connection, so that no client takes a part for the whole', async () => {
    const stream = Readable.from(
      (function* () {
        yield Buffer.from('a')
        throw new Error('broken')
      })(),
    )
    const response = await send({}, { file: { stream, contentType: 'application/zip', filename: 'a.zip' } })
    await expect(response.text()).rejects.toThrow()
  })
})

describe('Content-Disposition', () => {
  test.each([
    ['Élan O’Brien.pdf', `filename="_lan_O_Brien.pdf"; filename*=UTF-8''%C3%89lan%20O%E2%80%99Brien.pdf`],
    ['a"b\r\nSet-Cookie: x=1', `filename="a_b_Set-Cookie_x_1"; filename*=UTF-8''a%22b__Set-Cookie%3A%20x%3D1`],
    ['report\u202efdp.exe', `filename="report_fdp.exe"; filename*=UTF-8''reportfdp.exe`],
    ['a\u2066b\u200bc\u200fd\u00ade\ufeff.pdf', `filename="a_b_c_d_e_.pdf"; filename*=UTF-8''abcde.pdf`],
    ['../../etc/passwd', `filename="__.._etc_passwd"; filename*=UTF-8''__.._etc_passwd`],
    ['..\\x\u2028.pdf', `filename="__x_.pdf"; filename*=UTF-8''__x_.pdf`],
    ['.htaccess', `filename="_htaccess"; filename*=UTF-8''_htaccess`],
    ["it's (a) *.pdf", `filename="it_s_a_.pdf"; filename*=UTF-8''it%27s%20%28a%29%20%2A.pdf`],
    ['half \ud800.pdf', `filename="half_.pdf"; filename*=UTF-8''half%20_.pdf`],
  ])('%j', (name, said) => {
    expect(disposition(name)).toBe(`attachment; ${said}`)
    expect(() => new Headers([['content-disposition', disposition(name, true)]])).not.toThrow()
  })
})

test('a range of an empty file', () => {
  expect(rangeOf('bytes=0-', 0)).toBe('unsatisfiable')
  expect(rangeOf(null, 0)).toBeNull()
})
