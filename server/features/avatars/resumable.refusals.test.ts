import type { AvatarUpload } from '@markbook/shared/contract/avatars'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { people } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { png } from '../../testing/pictures.ts'
import { type Desk, openDesk, PATH, seen, upload } from './uploading.fixtures.ts'

let desk: Desk
const open = async (where: { onS3: boolean }) => {
  desk = await openDesk(where)
}

describe('what a resumable upload refuses', () => {
  beforeEach(() => open({ onS3: false }))
  afterEach(() => desk.close())
  const base = { 'tus-resumable': '1.0.0' }
  const metadataOf = (metadata: Record<string, string>) =>
    Object.entries(metadata)
      .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
      .join(',')
  const create = (issued: AvatarUpload, headers: Record<string, string> = {}, metadata: Record<string, string> = {}) =>
    fetch(issued.tus_endpoint, {
      method: 'POST',
      headers: {
        ...base,
        ...issued.tus_headers,
        'upload-length': '2000',
        'upload-metadata': metadataOf({ ...issued.tus_metadata, ...metadata }),
        ...headers,
      },
    })
  const refusal = (body: object) =>
    desk.st.as.byrne.avatars.resumable.raw({ body }).then(({ status, body }) => [status, (body as { code: string }).code])

  test('issuing: 413 for more than 5 MB, 415 for another type, 400 for an invalid size', async () => {
    const input = { filename: 'me.png', contentType: 'image/png', totalSize: 2_000 }
    expect(await refusal({ ...input, totalSize: limits.image.bytes + 1 })).toEqual([413, 'images.too_large'])
    expect(await refusal({ ...input, contentType: 'image/svg+xml' })).toEqual([415, 'images.wrong_type'])
    for (const totalSize of [0, -1, 1.5, '2000', null]) expect(await refusal({ ...input, totalSize })).toEqual([400, 'validation_failed'])
    for (const pathname of ['../x', 'a/b/c/d', 'a\\b', '%2f'])
      expect(await refusal({ ...input, pathname })).toEqual([400, 'validation_failed'])
    expect((await desk.issue(limits.image.bytes)).path).toBe(PATH)
  })

  test('401 without the token, with one of another server, and when its time is over', async () => {
    const issued = await desk.issue(2_000)
    const [text = '', signature = ''] = issued.token.split('.')
    const other = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(text, 'base64url').toString()), size: 5_000_000 })).toString(
      'base64url',
    )
    for (const authorization of [
      '',
      'Bearer',
      'Bearer x',
      `Bearer ${text}`,
      `Bearer ${other}.${signature}`,
      `Bearer ${issued.token}x`,
      `Basic ${issued.token}`,
    ])
      expect((await create(issued, { authorization })).status).toBe(401)
    expect((await create(issued)).status).toBe(201)
    desk.st.clock.advance(limits.resumable.lifetimeMs)
    expect((await create(issued)).status).toBe(401)
    const put = await fetch(issued.signed_url, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: png() })
    expect(put.status).toBe(401)
  })

  test('413 and 400 for another size, 415 for another type, 403 for another place', async () => {
    const issued = await desk.issue(2_000)
    expect((await create(issued, { 'upload-length': '2001' })).status).toBe(413)
    expect((await create(issued, { 'upload-length': '1999' })).status).toBe(400)
    expect((await create(issued, {}, { contentType: 'image/webp' })).status).toBe(415)
    expect((await create(issued, {}, { bucketName: 'report-books' })).status).toBe(403)
    expect((await create(issued, {}, { objectName: `avatars/${people.ada.id}.png` })).status).toBe(403)
  })

  test('400 for unsupported parts of the protocol: concatenation and deferred length', async () => {
    const issued = await desk.issue(2_000)
    const refused = async (headers: Record<string, string>) => {
      const reply = await create(issued, headers)
      const { code } = JSON.parse((await reply.text()) || '{}')
      return [reply.status, code]
    }
    expect(await refused({ 'upload-concat': 'partial' })).toEqual([400, 'validation_failed'])
    expect(await refused({ 'upload-concat': 'final;/storage/v1/upload/resumable/a /storage/v1/upload/resumable/b' })).toEqual([
      400,
      'validation_failed',
    ])
    const reply = await fetch(issued.tus_endpoint, {
      method: 'POST',
      headers: { ...base, ...issued.tus_headers, 'upload-defer-length': '1', 'upload-metadata': metadataOf(issued.tus_metadata) },
    })
    expect(reply.status).toBe(400)
    expect((await create(issued)).status).toBe(201)
  })

  test('an upload of somebody else, whatever its address', async () => {
    const issued = await desk.issue(2_000)
    const location = new URL((await create(issued)).headers.get('location') ?? '', issued.tus_endpoint)
    const { tus_headers } = await desk.st.as.ada.avatars.resumable({ body: { filename: 'x', contentType: 'image/png', totalSize: 2_000 } })
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      const headers = { ...base, ...tus_headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
      const response = await fetch(location, { method, headers, ...(method === 'PATCH' && { body: Buffer.alloc(10) }) })
      expect(`${method} ${response.status}`).toBe(`${method} 404`)
    }
    expect((await fetch(location, { headers: { ...base, ...issued.tus_headers } })).status).toBe(404)
    expect(
      (await fetch(`${issued.tus_endpoint}/..%2f..%2fetc`, { method: 'HEAD', headers: { ...base, ...issued.tus_headers } })).status,
    ).toBe(404)
  })

  test('more bytes than were issued are not kept', async () => {
    const issued = await desk.issue(2_000)
    const location = new URL((await create(issued)).headers.get('location') ?? '', issued.tus_endpoint)
    const headers = { ...base, ...issued.tus_headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    expect((await fetch(location, { method: 'PATCH', headers, body: Buffer.alloc(2_001) })).status).toBe(413)
    await expect(desk.complete()).rejects.toMatchObject({ status: 404 })
  })

  test('`signed_url`: 413 for more, 400 for less, 415 for another type, 401 for another place', async () => {
    const issued = await desk.issue(2_000)
    const put = (body: Buffer<ArrayBuffer>, type = 'image/png', at = issued.signed_url) =>
      fetch(at, { method: 'PUT', headers: { 'content-type': type }, body }).then(({ status }) => status)
    expect(await put(Buffer.alloc(2_001))).toBe(413)
    expect(await put(Buffer.alloc(1_999))).toBe(400)
    expect(await put(Buffer.alloc(2_000), 'image/webp')).toBe(415)
    expect(await put(Buffer.alloc(2_000), 'image/png', issued.signed_url.replace('avatars/', 'other/'))).toBe(401)
    expect(await desk.st.services.files.list('images', { prefix: '', limit: 9 })).toEqual([])
  })

  test('completing checks the content: 415 for what is no picture, and the old one stays', async () => {
    for (const bytes of [
      Buffer.from('<svg onload="alert(1)"/>'.padEnd(2_000)),
      Buffer.concat([png(), Buffer.alloc(100)]).subarray(0, 60),
    ]) {
      const issued = await desk.issue(bytes.length)
      await fetch(issued.signed_url, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: bytes })
      await expect(desk.complete()).rejects.toMatchObject({ status: 415, code: 'images.wrong_type' })
      expect((await desk.st.as.byrne.auth.me()).avatar_url).toBeNull()
    }
  })

  test('completing removes the location', async () => {
    const bytes = png({ extra: [['tEXt', Buffer.from('Comment\0at home')]] })
    const issued = await desk.issue(bytes.length)
    await upload(bytes, issued)
    expect((await seen((await desk.complete()).avatar_url)).includes('at home')).toBe(false)
  })

  test('completing another person’s upload is 404, as is a missing one', async () => {
    const bytes = png()
    const issued = await desk.issue(bytes.length)
    await upload(bytes, issued)
    const foreign = await desk.st.as.ada.avatars.complete.raw({ body: { path: PATH } })
    const absent = await desk.st.as.ada.avatars.complete.raw({ body: { path: `avatars/${people.ada.id}.png` } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(absent.body)
    for (const path of ['../x', `avatars/../${people.byrne.id}.png`, PATH.replace('png', 'svg'), `${PATH}/x`, `incoming.uploads/${PATH}`])
      await expect(desk.complete(path)).rejects.toMatchObject({ status: 400 })
  })

  test('429 after too many issued uploads', async () => {
    for (let count = 0; count < limits.uploads.images; count += 1) await desk.issue(2_000)
    await expect(desk.issue(2_000)).rejects.toMatchObject({ status: 429 })
  })

  test('507 where the disk is nearly full, before a byte is sent', async () => {
    const issued = await desk.issue(2_000)
    Object.assign(desk.st.services.uploads, { requireSpace: () => Promise.reject(common.storageFull()) })
    const refused = await create(issued)
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([507, 'storage_full'])
  })
})

describe('pages of other sites', () => {
  beforeEach(async () => {
    await open({ onS3: false })
    Object.assign(desk.st.services.config, { allowedOrigins: ['https://app.example'] })
  })
  afterEach(() => desk.close())

  test('may upload where the configuration allows them', async () => {
    const input = {
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,tus-resumable,upload-offset',
    }
    const issued = await desk.issue(2_000)
    const preflight = (origin: string) => fetch(issued.tus_endpoint, { method: 'OPTIONS', headers: { origin, ...input } })
    const allowed = await preflight('https://app.example')
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(allowed.headers.get('access-control-allow-headers')).toContain('upload-offset')
    expect((await preflight('https://evil.example')).status).toBe(403)
    const create = await fetch(issued.tus_endpoint, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'tus-resumable': '1.0.0', ...issued.tus_headers },
    })
    expect(create.status).toBe(403)
  })

  test('OPTIONS lists the server’s capabilities', async () => {
    const response = await fetch(`${desk.url}/storage/v1/upload/resumable`, { method: 'OPTIONS' })
    expect(response.headers.get('tus-version')).toBe('1.0.0')
    expect(response.headers.get('tus-max-size')).toBe(String(limits.image.bytes))
  })
})
