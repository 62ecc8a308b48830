import type { AvatarUpload } from '@markbook/shared/contract/avatars'
import { limits } from '@markbook/shared/limits'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { incomingObject } from '../../files/image-address.ts'
import { png } from '../../testing/pictures.ts'
import { sweepFiles } from '../storage/sweep.ts'
import { type Desk, large, openDesk, PATH, seen, upload } from './uploading.fixtures.ts'

let desk: Desk
const open = async (where: { onS3: boolean }) => {
  desk = await openDesk(where)
}

/** The bytes of an upload that the server has. */
async function offsetOf(address: string, issued: AvatarUpload): Promise<number> {
  const head = await fetch(address, { method: 'HEAD', headers: { ...issued.tus_headers, 'tus-resumable': '1.0.0' } })
  expect(head.status).toBe(200)
  return Number(head.headers.get('upload-offset'))
}

describe.each([
  ['a folder on disk', false],
  ['S3', true],
])('a resumable upload to %s', (_where, onS3) => {
  beforeEach(() => open({ onS3 }))
  afterEach(() => desk.close())

  test('with the unmodified tus-js-client and the reply’s values', async () => {
    const picture = large(4_000_000)
    const issued = await desk.issue(picture.length)
    expect(issued).toMatchObject({
      path: PATH,
      tus_endpoint: `${desk.url}/storage/v1/upload/resumable`,
      tus_headers: { authorization: `Bearer ${issued.token}`, 'x-upsert': 'true' },
      tus_metadata: { bucketName: 'images', objectName: PATH, contentType: 'image/png' },
      chunk_size: 6_291_456,
    })
    await upload(picture, issued)
    expect((await desk.st.as.byrne.auth.me()).avatar_url).toBeNull()
    const { avatar_url } = await desk.complete()
    expect(avatar_url).toContain(`${desk.url}/storage/v1/object/public/images/avatars/`)
    expect(avatar_url).not.toContain(PATH)
    expect((await seen(avatar_url)).equals(picture)).toBe(true)
    expect((await desk.st.as.byrne.auth.me()).avatar_url).toBe(avatar_url)
    // A repeated request, after a lost reply, has the same reply.
    expect(await desk.complete()).toEqual({ avatar_url })
    expect(await desk.st.services.files.head('images', incomingObject(PATH))).toBeNull()
  })

  test('in pieces, cut in the middle of one, is resumed where it was', async () => {
    const picture = large(4_500_000)
    const issued = await desk.issue(picture.length)
    const chunkSize = onS3 ? 1_000_000 : 1_500_000
    const address = await upload(picture, issued, { cutAfter: 2_000_000, chunkSize })
    const offset = await offsetOf(address, issued)
    expect(offset).toBeGreaterThan(0)
    expect(offset).toBeLessThan(picture.length)
    await expect(desk.complete()).rejects.toMatchObject({ status: 404, code: 'avatars.not_uploaded' })
    await upload(picture, issued, { previous: address, chunkSize })
    const { avatar_url } = await desk.complete()
    expect((await seen(avatar_url)).equals(picture)).toBe(true)
  })

  test('cut and never resumed leaves nothing after a day', async () => {
    const picture = large(3_000_000)
    const issued = await desk.issue(picture.length)
    const address = await upload(picture, issued, { cutAfter: 1_000_000, chunkSize: 1_000_000 })
    expect(await offsetOf(address, issued)).toBeGreaterThan(0)
    // The storages use the machine's time, not the test's.
    await desk.st.services.uploads.sweep(Date.now() + 60_000)
    const head = await fetch(address, { method: 'HEAD', headers: { ...issued.tus_headers, 'tus-resumable': '1.0.0' } })
    expect([404, 410]).toContain(head.status)
  })

  test('by one PUT to `signed_url`', async () => {
    const picture = large(100_000)
    const issued = await desk.issue(picture.length)
    const put = (body: BodyInit, type = 'image/png', at = issued.signed_url) =>
      fetch(at, { method: 'PUT', headers: { 'content-type': type }, body })
    expect((await put(picture)).status).toBe(201)
    const { avatar_url } = await desk.complete()
    expect((await seen(avatar_url)).equals(picture)).toBe(true)
  })
})

describe('when the server dies', () => {
  beforeEach(() => open({ onS3: false }))
  afterEach(() => desk.close())

  test('after the last byte and before it was stored: a HEAD request completes it', async () => {
    const picture = large(300_000)
    const issued = await desk.issue(picture.length)
    const { put } = desk.st.services.files
    Object.assign(desk.st.services.files, { put: () => Promise.reject(new Error('killed')) })
    const address = await upload(picture, issued).catch(() => new URL(`${issued.tus_endpoint}/`).href)
    Object.assign(desk.st.services.files, { put })
    await expect(desk.complete()).rejects.toMatchObject({ status: 404 })
    const id = JSON.parse(Buffer.from(issued.token.split('.')[0] ?? '', 'base64url').toString()).id as string
    expect(await offsetOf(`${issued.tus_endpoint}/${id}`, issued)).toBe(picture.length)
    expect(address).toContain(issued.tus_endpoint)
    expect((await seen((await desk.complete()).avatar_url)).equals(picture)).toBe(true)
  })

  test('an upload that is never completed is deleted after a day', async () => {
    const bytes = png()
    await upload(bytes, await desk.issue(bytes.length))
    expect(await sweepFiles(desk.st.services)).toBe(0)
    desk.st.clock.advance(limits.storage.orphanAgeMs + 1)
    expect(await sweepFiles(desk.st.services)).toBe(1)
  })
})
