import { limits } from '@markbook/shared/limits'
import { hilltop, stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jpeg, png, pngOf, webp } from '../../testing/pictures.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

type Bytes = Uint8Array<ArrayBuffer>
const formOf = (bytes: Bytes, type: string) => {
  const form = new FormData()
  form.set('file', new File([bytes], 'crest.png', { type }))
  return form
}
const put = (bytes: Bytes, type: string, who: 'okafor' | 'marker' = 'okafor') => st.as[who].schools.putCrest({ body: formOf(bytes, type) })
const seen = async (url: string | null) => Buffer.from(await (await st.app.fetch(new Request(url ?? ''))).arrayBuffer())
const stored = () => st.services.files.list('images', { prefix: '', limit: 99 })

describe('PUT /api/schools/mine/crest', () => {
  test('stores the crest; everybody of the school sees its address with the school', async () => {
    expect((await st.as.niamh.schools.mine()).crest_url).toBeNull()
    const school = await put(png(), 'image/png')
    const url = `http://markbook.test/storage/v1/object/public/images/crests/${stBrigids}.png?t=${st.clock.now()}`
    expect(school).toEqual({ ...(await st.as.okafor.schools.mine()), crest_url: url })
    expect((await st.as.niamh.schools.mine()).crest_url).toBe(url)
    expect((await seen(url)).equals(png())).toBe(true)
    expect((await st.as.marker.schools.mine()).crest_url).toBeNull()
  })

  test('takes the place of the one before, and that of no other school', async () => {
    const { crest_url: first } = await put(png(), 'image/png')
    const { crest_url: other } = await put(png({ width: 9 }), 'image/png', 'marker')
    const { crest_url: second } = await put(jpeg, 'image/jpeg')
    expect(second).not.toBe(first)
    expect((await seen(second)).equals(jpeg)).toBe(true)
    expect(other).toContain(hilltop)
    expect((await seen(other)).equals(png({ width: 9 }))).toBe(true)
  })

  test('changing the school otherwise leaves it', async () => {
    const { crest_url } = await put(png(), 'image/png')
    await st.as.okafor.schools.updateMine({ body: { phone: '045 123456' } })
    expect(await st.as.okafor.schools.mine()).toMatchObject({ crest_url, phone: '045 123456' })
  })

  test.each([
    ['a WebP, which no document can hold', webp, 'image/webp', 415],
    ['an SVG called .png', Buffer.from('<svg/>'), 'image/png', 415],
    ['too many pixels', png({ width: 30_000, height: 30_000, padding: 1_000 }), 'image/png', 413],
    ['more pixels than documents print', png({ width: 4_100, height: 4_000, padding: 1_000 }), 'image/png', 413],
    ['more than 5 MB', pngOf(limits.image.bytes + 1), 'image/png', 413],
  ] as const)('refuses %s, and nothing changes', async (_what, bytes, type, status) => {
    const before = await st.digest()
    await expect(put(bytes as Bytes, type)).rejects.toMatchObject({ status })
    expect(await st.digest()).toBe(before)
    expect(await stored()).toEqual([])
  })

  test('403 for a teacher and a member, and nothing is stored', async () => {
    const before = await st.digest()
    for (const who of ['byrne', 'niamh'] as const) {
      const refusal = st.as[who].schools.putCrest({ body: formOf(png(), 'image/png') })
      await expect(refusal).rejects.toMatchObject({ status: 403, code: 'admin_only' })
    }
    expect(await st.digest()).toBe(before)
    expect(await stored()).toEqual([])
  })
})
