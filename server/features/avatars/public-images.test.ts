import { people } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { png } from '../../testing/pictures.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const PUBLIC = 'http://markbook.test/storage/v1/object/public/images/'
const look = (url: string, init: RequestInit = {}) => st.app.fetch(new Request(url, init))
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const rowOfByrne = async () => (await st.rows('user_profile')).find(({ id }) => id === people.byrne.id)
async function upload(): Promise<string> {
  const form = new FormData()
  form.set('file', new File([png()], 'me.png', { type: 'image/png' }))
  return (await st.as.byrne.avatars.upload({ body: form })).avatar_url
}

describe('GET /storage/v1/object/public/images/<path>', () => {
  test('needs no session, and sends nothing that a page could run', async () => {
    const url = await upload()
    for (const address of [url, url.replace(/\?.*/, ''), url.replace(/\?.*/, '?t=abc')]) {
      const response = await look(address)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'cache-control': 'private, max-age=3600',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'cross-origin',
        'content-length': String(png().length),
      })
      expect(response.headers.get('set-cookie')).toBeNull()
      expect((await bytesOf(response)).equals(png())).toBe(true)
    }
    const etag = (await look(url)).headers.get('etag') ?? ''
    expect((await look(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await look(url, { headers: { range: 'bytes=0-3' } })).status).toBe(206)
    const head = await look(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), (await bytesOf(head)).length]).toEqual([200, String(png().length), 0])
  })

  test('404 for a path without a picture', async () => {
    const url = await upload()
    const row = await rowOfByrne()
    await st.services.files.put('report-books', 'a/one.png', png(), { contentType: 'image/png' })
    const own = `avatars/${people.byrne.id}.png`
    for (const path of [
      '',
      own,
      own.replace('png', 'jpg'),
      url.replace(PUBLIC, '').replace('.png', '.jpg'),
      url.replace(PUBLIC, '').replace('avatars/', 'other/'),
      url.replace(PUBLIC, '').replace('.png', '%2epng'),
      `other/${people.byrne.id}.png`,
      `avatars/${people.ada.id}.png`,
      `${own}/${row?.avatar_sha256}.png`,
      `incoming.uploads/${own}`,
      `../report-books/a/one.png`,
      `..%2freport-books%2fa%2fone.png`,
      `%2e%2e/${own}`,
      `avatars%2f${people.byrne.id}.png`,
      `avatars/x/..%5c${people.byrne.id}.png`,
      `avatars//${people.byrne.id}.png`,
      `AVATARS/${people.byrne.id}.png`,
      `${own}%00`,
    ])
      expect(`${path} ${(await look(PUBLIC + path)).status}`).toBe(`${path} 404`)
    expect((await look(url, { method: 'POST' })).status).toBe(404)
    expect((await look(url, { method: 'DELETE' })).status).toBe(404)
  })

  test('a page of another site may show it, and not read it', async () => {
    const url = await upload()
    const response = await look(url, { headers: { origin: 'https://evil.example' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})
