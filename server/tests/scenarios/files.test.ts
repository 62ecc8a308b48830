import { setTimeout as after } from 'node:timers/promises'
import { limits } from '@markbook/shared/limits'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B } from '@markbook/shared/story/school-year'
import { afterEach, describe, expect, test } from 'vitest'
import { form } from '../../features/reports/files/files.fixtures.ts'
import { sweepFiles } from '../../features/storage/sweep.ts'
import { sha256Of } from '../../files/digest.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { withLowerLimit } from '../../testing/lower-limit.ts'
import { carrierTo, carryFiles, lineOf, signedIn } from '../../testing/nodes.ts'
import { png } from '../../testing/pictures.ts'
import type { School } from '../../testing/school.ts'
import { keepOnS3 } from '../../testing/storage.ts'
import { downloadedAt, metered, meterWith, of3B, pdfOfSize, report, uploadedAt } from './files.fixtures.ts'
import { settle } from './scenarios.fixtures.ts'

const open: School[] = []
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  for (const stop of stops.splice(0)) await stop()
})

const statusAt = async (node: School) => (await signedIn(node, 'okafor')).replication.status()
const waitingAt = async (node: School) => {
  const { files_to_send, files_to_come } = await statusAt(node)
  return { up: files_to_send, down: files_to_come }
}
const queueAt = ({ services: { store } }: School) => store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_file))
const LARGE = 3_000_000

describe.each(['disk', 'S3'])('files follow their rows, the centre’s on %s', (where) => {
  const joined = async () => {
    const at = await centreAndSchool(open)
    if (where === 'S3') stops.push(await keepOnS3(at.centre))
    return at
  }

  test('the school makes a report’s PDF, and the centre downloads it byte by byte', async () => {
    const { centre, box, link } = await joined()
    const pdf = await (await signedIn(box, 'byrne')).reportFiles.generatePdf({ params: report })
    await link.round()
    expect(await downloadedAt(centre, pdf)).toBe('reports.file_away')
    await link.files()
    const [row] = await box.rows('report_book_pdf')
    expect(await downloadedAt(box, pdf)).toBe(row?.sha256)
    expect(await downloadedAt(centre, pdf)).toBe(row?.sha256)
    expect(await waitingAt(box)).toEqual({ up: 0, down: 0 })
  })

  test('the centre’s go down to the school, a class’s file among them', async () => {
    const { centre, box, link } = await joined()
    const content = pdfOfSize(70_000)
    const pdf = await uploadedAt(centre, content)
    await (await signedIn(centre, 'byrne')).reportFiles.generateClassFile({ body: { ...of3B, fileType: 'csv' } })
    await link.round()
    expect(await downloadedAt(box, pdf)).toBe('reports.file_away')
    await link.files()
    expect(await downloadedAt(box, pdf)).toBe(sha256Of(content))
    const query = { ...of3B, fileType: 'csv' as const }
    const [here, there] = await Promise.all(
      [box, centre].map(async (at) => (await signedIn(at, 'byrne')).reportFiles.downloadClassFile.raw({ query })),
    )
    expect(here?.status).toBe(200)
    expect(here?.body).toEqual(there?.body)
  })

  test('cut in the middle of a large file on its way down, and on its way up, it goes on from there', async () => {
    const { centre, box, link } = await joined()
    const [down, up] = [pdfOfSize(LARGE), pdfOfSize(LARGE)]
    const [first, second] = [await uploadedAt(centre, down), await uploadedAt(box, up)]
    await link.round()
    const meter = meterWith({ down: 1_000_000, up: 900_000 })
    const carry = metered(carrierTo(centre), meter)
    await carryFiles(box, carry)
    expect([meter.down, meter.up]).toEqual([1_000_000, 900_000])
    box.clock.advance(limits.sync.files.retryMaxMs)
    await carryFiles(box, carry)
    expect(await downloadedAt(box, first)).toBe(sha256Of(down))
    expect(await downloadedAt(centre, second)).toBe(sha256Of(up))
    expect(await waitingAt(box)).toEqual({ up: 0, down: 0 })
    expect(meter.down).toBe(down.length)
    expect(meter.requests.filter((each) => each.startsWith('GET'))).toEqual(['GET all', 'GET bytes=1000000-'])
    expect(meter.up).toBe(up.length)
  })

  test('pictures of people and the crest follow too, and until then there is none', async () => {
    const { centre, box, link } = await joined()
    const [face, crest] = [png({ width: 40, height: 40 }), png({ width: 37, height: 41 })]
    await (await signedIn(box, 'ada')).avatars.upload({ body: form(face, 'image/png') })
    await (await signedIn(centre, 'okafor')).schools.putCrest({ body: form(crest, 'image/png') })
    await link.round()
    const pictureAt = async (node: School) => (await signedIn(node, 'ada')).avatars.get.raw()
    expect(await pictureAt(centre)).toMatchObject({ status: 404, body: { code: 'avatars.away' } })
    const { avatar_url } = await (await signedIn(centre, 'ada')).auth.me()
    const publicAt = (node: School, url: string | null) => node.app.fetch(new Request(String(url)))
    expect((await publicAt(centre, avatar_url)).status).toBe(404)
    await link.files()
    expect(Buffer.from((await pictureAt(centre)).body as unknown as Uint8Array)).toEqual(face)
    expect((await publicAt(centre, avatar_url)).status).toBe(200)
    const atSchool = (await (await signedIn(box, 'ada')).auth.me()).avatar_url
    expect((await publicAt(box, atSchool)).status).toBe(200)
    const { crest_url } = await (await signedIn(box, 'okafor')).schools.mine()
    const shown = await publicAt(box, crest_url)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(crest)
    await (await signedIn(box, 'ada')).avatars.remove()
    await settle(link)
    expect((await publicAt(centre, avatar_url)).status).toBe(404)
    expect((await (await signedIn(centre, 'ada')).auth.me()).avatar_url).toBeNull()
  })
})

describe('a file that is not what its row names', () => {
  /** A parent whose files come changed by one byte. */
  const poisoned =
    (carry: Carrier, isPoison: { on: boolean }): Carrier =>
    async (request) => {
      const response = await carry(request)
      if (!isPoison.on || new URL(request.url).pathname !== '/sync/files/content') return response
      const bytes = new Uint8Array(await response.arrayBuffer())
      bytes[bytes.length - 1] = 0
      return new Response(bytes, { status: response.status, headers: response.headers })
    }

  test('is thrown away and asked for again, ever more seldom; once it is right it is kept', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const content = pdfOfSize(5_000)
    const pdf = await uploadedAt(centre, content)
    await link.round()
    const isPoison = { on: true }
    const meter = meterWith()
    const carry = metered(poisoned(carrierTo(centre), isPoison), meter)
    for (let day = 0; day < 20; day += 1) {
      await carryFiles(box, carry)
      expect(await downloadedAt(box, pdf)).toBe('reports.file_away')
      expect(await queueAt(box)).toMatchObject([{ tries: day + 1, reason: 'sync.wrong_content' }])
      await carryFiles(box, carry)
      box.clock.advance(limits.sync.files.retryWrongContentMs)
    }
    // At once again only after a while, which has an end.
    expect(meter.requests).toHaveLength(20)
    isPoison.on = false
    await carryFiles(box, carry)
    expect(await downloadedAt(box, pdf)).toBe(sha256Of(content))
    expect(await queueAt(box)).toEqual([])
  })

  test('and one that the parent lost do not hold the others up', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const lost = await uploadedAt(centre, pdfOfSize(4_000))
    const damaged = await uploadedAt(centre, pdfOfSize(4_000))
    const others = []
    for (let more = 0; more < 8; more += 1) others.push(await uploadedAt(centre, pdfOfSize(1_000)))
    await centre.services.files.remove('report-books', lost.file_path)
    await link.round()
    const { files } = centre.services
    const head: typeof files.head = async (bucket, path) => {
      if (path === damaged.file_path) throw new Error('its description is damaged')
      return files.head(bucket, path)
    }
    Object.assign(centre.services, { files: { ...files, head } })
    await link.files()
    for (const { id } of others) expect(await downloadedAt(box, { id })).toMatch(/^[0-9a-f]{64}$/)
    const away = { direction: 'down', tries: 1, reason: 'sync.file_away' }
    expect((await queueAt(box)).sort((a, b) => (a.row_id < b.row_id ? -1 : 1))).toMatchObject(
      [lost.id, damaged.id].sort().map((row_id) => ({ row_id, ...away })),
    )
    const status = await statusAt(box)
    expect(status.files_to_come).toBe(2)
    expect(status.sentence).toContain('2 files are still on the way.')
  })

  test('is not taken from a child either', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const pdf = await uploadedAt(box, pdfOfSize(2_000))
    await link.round()
    const carry: Carrier = async (request) => {
      if (request.method !== 'POST' || !request.url.includes('/storage/')) return carrierTo(centre)(request)
      const bytes = new Uint8Array(await request.arrayBuffer())
      bytes[100] = (bytes[100] ?? 0) ^ 1
      return carrierTo(centre)(new Request(request.url, { method: 'POST', headers: request.headers, body: bytes }))
    }
    await carryFiles(box, carry)
    expect(await downloadedAt(centre, pdf)).toBe('reports.file_away')
    expect(await queueAt(box)).toMatchObject([{ direction: 'up', reason: 'sync.wrong_content' }])
    box.clock.advance(limits.sync.files.retryWrongContentMs)
    await link.files()
    expect(await downloadedAt(centre, pdf)).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('whose files a node gets', () => {
  test('the neighbour’s file does not exist for it, whichever way it asks', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const [theirs] = (await centre.rows('report_book')).filter(({ school_id }) => school_id === hilltop)
    if (!theirs) throw new Error('the neighbour has no report')
    const content = pdfOfSize(3_000)
    const upload = { params: { id: theirs.id }, body: form(content) }
    const pdf = await centre.as.marker.reportFiles.uploadPdf(upload)
    const own = await uploadedAt(centre, pdfOfSize(3_000))
    await link.round()
    const line = await lineOf(box, centre)
    const ask = (id: string, held: { sha256: string; size: number } | null = null) =>
      line.files({ files: [{ table: 'report_book_pdf', id, held }] }).then(({ files }) => files[0])
    expect(await ask(pdf.id)).toMatchObject({ outcome: 'unknown', ticket: null })
    expect(await ask(pdf.id, { sha256: sha256Of(content), size: content.length })).toMatchObject({ outcome: 'unknown', ticket: null })
    const mine = await ask(own.id)
    expect(mine).toMatchObject({ outcome: 'take' })
    const get = (ticket: string | null | undefined) =>
      centre.app.fetch(new Request('https://parent.test/sync/files/content', { headers: { authorization: `Bearer ${ticket}` } }))
    expect((await get(mine?.ticket)).status).toBe(200)
    expect((await get(`${mine?.ticket}x`)).status).toBe(401)
    // Revoked, it gets nothing more, whatever was promised.
    await centre.services.store.write(asSystem(), async (tx) => {
      await tx.connection.db.update(tx.t.sync_peer).set({ revoked_at: tx.now })
    })
    const refused = await get(mine?.ticket)
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([404, 'sync.no_such_file'])
    await expect(ask(own.id)).rejects.toMatchObject({ code: 'sync.revoked' })
  })

  test('a row that names the neighbour’s file is not taken', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const path = `${hilltop}/1-stolen.pdf`
    await box.services.store.write(asSystem(people.byrne.id), async (tx) => {
      const file = { file_path: path, file_size: 3, sha256: sha256Of(Buffer.from('abc')), generated_at: tx.now, generated_by: null }
      await tx.insert('report_book_pdf', [{ ...file, id: tx.newId(), school_id: stBrigids, report_book_id: draftReport.id }])
    })
    await settle(link)
    await link.files()
    expect((await centre.rows('report_book_pdf')).filter(({ file_path }) => file_path === path)).toEqual([])
    expect(await centre.services.files.head('report-books', path)).toBeNull()
  })

  test('nor is a profile that names the picture of somebody else', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await (await signedIn(box, 'byrne')).avatars.upload({ body: form(png(), 'image/png') })
    await settle(link)
    const row = async (node: School, id: string) => (await node.rows('user_profile')).find((each) => each.id === id)
    const byrne = await row(box, people.byrne.id)
    await box.services.store.write(asSystem(people.ada.id), async (tx) => {
      const ada = await tx.find('user_profile', '', people.ada.id)
      if (ada && byrne) await tx.update('user_profile', ada, { avatar_path: byrne.avatar_path, avatar_type: byrne.avatar_type })
    })
    await settle(link)
    expect((await row(centre, people.ada.id))?.avatar_path).toBeNull()
    expect((await row(centre, people.byrne.id))?.avatar_path).toBe(byrne?.avatar_path)
  })

  test('a laptop gets those of its user’s classes, gives its own, and loses them with the right', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const pdf = await uploadedAt(box, pdfOfSize(2_000))
    const { laptop: adas, link: toAdas } = await laptopOf(open, box, people.ada.id, 'adas')
    const { laptop, link: toByrnes } = await laptopOf(open, box, people.byrne.id, 'byrnes')
    await toAdas.files()
    await toByrnes.files()
    expect(await adas.services.files.list('report-books', { prefix: '', limit: 9 })).toEqual([])
    expect(await downloadedAt(laptop, pdf)).toBe(await downloadedAt(box, pdf))
    const line = await lineOf(adas, box)
    const { files } = await line.files({ files: [{ table: 'report_book_pdf', id: pdf.id, held: null }] })
    expect(files).toMatchObject([{ outcome: 'unknown', ticket: null }])
    // Laptop, school, centre.
    const own = await uploadedAt(laptop, pdfOfSize(2_500))
    await settle(toByrnes, link)
    await link.files()
    expect(await queueAt(box)).toMatchObject([{ row_id: own.id, direction: 'down' }])
    await toByrnes.files()
    await link.files()
    expect(await downloadedAt(centre, own)).toBe(await downloadedAt(laptop, own))
    await (await signedIn(box, 'okafor')).classes.handOver({ params: { classId: class3B.id }, body: { teacherId: people.ada.id } })
    await settle(toByrnes)
    expect(await laptop.rows('report_book_pdf')).toEqual([])
    expect(await laptop.services.files.list('report-books', { prefix: '', limit: 9 })).toEqual([])
    await settle(toAdas)
    await toAdas.files()
    expect(await adas.services.files.list('report-books', { prefix: '', limit: 9 })).toHaveLength(2)
  })
})

describe('what is kept', () => {
  test('a parent that was restored without its files gets them again', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const pdf = await uploadedAt(box, pdfOfSize(2_000))
    await link.round()
    await link.files()
    await centre.services.files.remove('report-books', pdf.file_path)
    await link.files()
    expect(await downloadedAt(centre, pdf)).toBe('reports.file_away')
    await centre.services.store.renewNode()
    await settle(link)
    await link.files()
    expect(await downloadedAt(centre, pdf)).toMatch(/^[0-9a-f]{64}$/)
  })

  test('a file without a row is left for a month where another node may yet bring the row', async () => {
    const { box } = await centreAndSchool(open)
    await box.services.files.put('report-books', `${draftReport.id}/lost.pdf`, pdfOfSize(10), { contentType: 'application/pdf' })
    box.clock.advance(limits.storage.orphanAgeMs + 1)
    expect(await sweepFiles(box.services)).toBe(0)
    box.clock.advance(limits.storage.orphanAgeAmongNodesMs)
    expect(await sweepFiles(box.services)).toBe(1)
  })
})

describe('B6: a node', () => {
  /** As many files at the centre as the school lacks. */
  async function missing(count: number) {
    const at = await centreAndSchool(open)
    for (let each = 0; each < count; each += 1) await uploadedAt(at.centre, pdfOfSize(2_000))
    await at.link.round()
    return at
  }
  /** A line that counts questions, and how many files are on it at once. */
  function watched(to: School) {
    const seen = { questions: 0, atOnce: 0 }
    let under = 0
    const carry: Carrier = async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/sync/files') seen.questions += 1
      if (pathname !== '/sync/files/content') return carrierTo(to)(request)
      under += 1
      seen.atOnce = Math.max(seen.atOnce, under)
      await after(20)
      return carrierTo(to)(request).finally(() => {
        under -= 1
      })
    }
    return { seen, carry }
  }

  test('carries three at once', async () => {
    const { centre, box } = await missing(5)
    const { seen, carry } = watched(centre)
    await carryFiles(box, carry)
    expect([seen.atOnce, await waitingAt(box)]).toEqual([3, { up: 0, down: 0 }])
  })

  test('asks about no more at once than its parent answers', async () => {
    const { centre, box } = await missing(5)
    const { seen, carry } = watched(centre)
    await withLowerLimit(limits.sync.files, 'perQuery', 2, () => carryFiles(box, carry))
    expect([seen.questions, await waitingAt(box)]).toEqual([3, { up: 0, down: 0 }])
  })

  test('neither asks for a file that is too large, nor takes one', async () => {
    const { centre, box, link } = await missing(1)
    const { seen, carry } = watched(centre)
    const large = await uploadedAt(box, pdfOfSize(2_000))
    await link.round()
    const [row] = (await box.rows('report_book_pdf')).filter(({ id }) => id === large.id)
    await withLowerLimit(limits, 'reportFileBytes', 1_500, async () => {
      await carryFiles(box, carry)
      const held = { sha256: row?.sha256 ?? '', size: row?.file_size ?? 0 }
      const { files } = await (await lineOf(box, centre)).files({ files: [{ table: 'report_book_pdf', id: large.id, held }] })
      expect(files).toMatchObject([{ outcome: 'refused', ticket: null }])
    })
    expect([seen, await downloadedAt(centre, large)]).toEqual([{ questions: 0, atOnce: 0 }, 'reports.file_away'])
  })
})
