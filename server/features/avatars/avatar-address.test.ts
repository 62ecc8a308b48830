import { limits } from '@markbook/shared/limits'
import { type PersonName, people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keysOf } from '../../http/tokens.ts'
import { asSystem } from '../../store/tx.ts'
import { png } from '../../testing/pictures.ts'
import { type School, school } from '../../testing/school.ts'
import { keepOnS3 } from '../../testing/storage.ts'
import { sweepFiles } from '../storage/sweep.ts'

let st: School
let close = async () => {}
const open = async ({ onS3 = false } = {}) => {
  st = await school()
  const stopS3 = onS3 ? await keepOnS3(st) : async () => {}
  close = async () => {
    await stopS3()
    await st.close()
  }
}
afterEach(() => close())

const STORAGE = 'http://markbook.test/storage/v1/object/public/'
const PUBLIC = `${STORAGE}images/`
async function upload(who: PersonName, bytes: Uint8Array<ArrayBuffer> = png()): Promise<string> {
  const body = new FormData()
  body.set('file', new File([bytes], 'me.png', { type: 'image/png' }))
  return (await st.as[who].avatars.upload({ body })).avatar_url
}
/** The whole reply that a stranger gets at an address. */
async function told(url: string, init: RequestInit = {}) {
  const response = await st.app.fetch(new Request(url, init))
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'x-request-id'))
  return { status: response.status, headers, body: (await response.text()).replace(/"request_id":"[^"]*"/, '') }
}
const stored = async () => (await st.services.files.list('images', { prefix: '', limit: 99 })).map(({ path }) => path)

describe.each([
  ['a folder on disk', false],
  ['S3', true],
])('the public address of a picture that lies in %s', (_where, onS3) => {
  beforeEach(() => open({ onS3 }))

  test('differs for each upload, even of the same picture, and is 404 after the next one', async () => {
    const urls = [await upload('byrne'), await upload('byrne'), await upload('byrne', png({ width: 3 }))]
    expect(new Set(urls.map((url) => url.split('?')[0])).size).toBe(3)
    expect(await Promise.all(urls.map(async (url) => (await told(url)).status))).toEqual([404, 404, 200])
  })

  test('is 404 when the picture is removed, at once from the profile and later from the storage', async () => {
    const url = await upload('byrne')
    expect((await st.as.byrne.auth.me()).avatar_url).toBe(url)
    await st.as.byrne.avatars.remove()
    expect(await told(url)).toEqual(await told(`${PUBLIC}avatars/nobody.png`))
    expect((await st.as.byrne.auth.me()).avatar_url).toBeNull()
    expect((await st.as.byrne.avatars.get.raw()).body).toMatchObject({ code: 'avatars.none' })
    const [row] = (await st.rows('user_profile')).filter(({ id }) => id === people.byrne.id)
    expect(row).toMatchObject({ avatar_path: null, avatar_type: null, avatar_size: null, avatar_sha256: null })
    // Removing again is no failure.
    const digest = await st.digest()
    await st.as.ada.avatars.remove()
    expect(await st.digest()).toBe(digest)
    // An S3 uses the machine's time, not the test's.
    st.clock.advance(Math.max(0, Date.now() - st.clock.now()) + limits.storage.orphanAgeMs + 60_000)
    await sweepFiles(st.services)
    expect(await stored()).toEqual([])
  })
})

describe('the public address of a picture', () => {
  beforeEach(() => open())

  test('reveals nothing about the person, and two of one person have nothing in common', async () => {
    const [one, two] = [await upload('byrne'), await upload('byrne')].map(
      (url) => url.slice(`${PUBLIC}avatars/`.length).split('.')[0] ?? '',
    )
    for (const sealed of [one, two] as string[]) {
      const bytes = Buffer.from(sealed, 'base64url').toString('latin1')
      for (const said of [people.byrne.id, people.byrne.email]) expect(bytes).not.toContain(said)
    }
    const shared = [...(one ?? '')].filter((letter, at) => letter === two?.[at]).length
    expect(shared).toBeLessThan(12)
  })

  test('cannot be guessed: people with and without a picture have the same reply', async () => {
    const own = await upload('ada')
    await upload('byrne')
    const nothing = await told(`${PUBLIC}avatars/nobody.png`)
    expect(nothing.status).toBe(404)
    const [, name = ''] = /avatars\/([\w-]+)\.png/.exec(own) ?? []
    const changed = Buffer.from(name, 'base64url')
    const seals = [0, 15, 30, 63].map((at) => {
      const bytes = Buffer.from(changed)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      return bytes.toString('base64url')
    })
    for (const guess of [
      ...[people.byrne.id, people.quinn.id, '00000000-0000-7000-8000-000000000000', ...seals].map((each) => `avatars/${each}.png`),
      `avatars/${name}.png/`,
      `avatars/${name}=.png`,
      `avatars/${name}.webp`,
      `crests/${people.byrne.id}.png`,
    ])
      expect({ guess, ...(await told(PUBLIC + guess)) }).toEqual({ guess, ...nothing })
    expect((await told(own)).status).toBe(200)
  })

  test('depends on the server’s secret', async () => {
    const url = await upload('byrne')
    st.services.keys.image = keysOf('a secret that the server did not have before').image
    expect((await told(url)).status).toBe(404)
  })

  test('opens only the own picture, whatever path a row has', async () => {
    await upload('byrne')
    const byrne = (await st.rows('user_profile')).find(({ id }) => id === people.byrne.id)
    await st.services.store.write(asSystem(), async (tx) => {
      const ada = await tx.find('user_profile', '', people.ada.id)
      const { avatar_path, avatar_sha256, avatar_type, avatar_updated_at } = byrne ?? {}
      if (ada && avatar_path) await tx.update('user_profile', ada, { avatar_path, avatar_sha256, avatar_type, avatar_updated_at })
    })
    const { avatar_url } = await st.as.ada.auth.me()
    expect((await told(String(avatar_url))).status).toBe(404)
  })
})

describe('report files', () => {
  beforeEach(() => open())

  test('are public at no address', async () => {
    const path = `${draftReport.id}/1.pdf`
    await st.services.files.put('report-books', path, Buffer.from('%PDF-1.4'), { contentType: 'application/pdf' })
    await st.services.store.write(asSystem(), async (tx) => {
      const { id: report_book_id, school_id } = draftReport
      const file = { file_path: path, file_size: 8, sha256: null, generated_by: null, generated_at: tx.now }
      await tx.insert('report_book_pdf', [{ ...file, id: tx.newId(), school_id, report_book_id }])
    })
    const [row] = await st.rows('report_book_pdf')
    for (const at of [
      'report-books/',
      'images/',
      'images/../report-books/',
      'images/%2e%2e/report-books/',
      'images/report-books/',
      'images/avatars/',
    ])
      for (const headers of [{}, { cookie: st.cookieOf('okafor') }] as Record<string, string>[])
        expect({ at, status: (await told(`${STORAGE}${at}${path}`, { headers })).status }).toEqual({ at, status: 404 })
    const download = `http://markbook.test/api/reports/${draftReport.id}/pdf/${row?.id}/download`
    expect((await told(download)).status).toBe(401)
    expect((await told(download, { headers: { cookie: st.cookieOf('okafor') } })).status).toBe(200)
  })
})
