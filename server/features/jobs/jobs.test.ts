import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { mei, pupilsOf3B } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { sentReport } from '@markbook/shared/story/reports'
import { class3A, class3B, hilary, lastMichaelmas, lastYears2B, michaelmas, trinity } from '@markbook/shared/story/school-year'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { unzipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'
import { makeReportPdfs } from '../reports/files/report-pdfs.job.ts'
import { openJobs } from './open-jobs.ts'
import { forgetEndedJobs } from './runner.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const of3B = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } as const
const start = (more: object = {}) => st.as.byrne.reportFiles.generatePdfs({ body: { ...of3B, ...more } })
const read = (id: string) => st.as.byrne.jobs.get({ params: { id } })
const change = (id: string, values: Partial<Row<'job'>>) =>
  st.services.store.write(asSystem(), async (tx) => void (await tx.local.update(tx.t.job).set(values).where(eq(tx.t.job.id, id))))
const add = (rows: (tx: WriteTx) => Row<'job'>[]) =>
  st.services.store.write(asSystem(), async (tx) => void (await tx.local.insert(tx.t.job).values(rows(tx))))
const jobRows = () => st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.job))
/** As if the program were not running: no waiting job is started. */
const asleep = async <T>(work: () => Promise<T>): Promise<T> => {
  const { wake } = st.services.jobs
  st.services.jobs.wake = () => {}
  try {
    return await work()
  } finally {
    st.services.jobs.wake = wake
  }
}
const ended = async (id: string) => {
  await st.services.jobs.idle()
  return read(id)
}
const pdfsByReport = async () => countBy((await st.rows('report_book_pdf')).map(({ report_book_id }) => report_book_id))
const countBy = (ids: readonly string[]) => ids.reduce((counts, id) => counts.set(id, (counts.get(id) ?? 0) + 1), new Map<string, number>())

describe('POST /api/reports/generate-pdfs', () => {
  test('makes a PDF of every report, and their zip is where the job says', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    const { job_id } = await start()
    expect(await read(job_id)).toMatchObject({ id: job_id, total: pupilsOf3B.length })
    const job = await ended(job_id)
    expect(job).toMatchObject({ status: 'done', done: pupilsOf3B.length, total: pupilsOf3B.length })
    const response = await st.app.fetch(new Request(`http://markbook.test${job.result_url}`, { headers: { cookie: st.cookieOf('byrne') } }))
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
    expect(Object.keys(files).filter((name) => name.endsWith('.pdf'))).toHaveLength(pupilsOf3B.length - 1)
    expect((await st.rows('report_book_pdf')).every(({ generated_by }) => generated_by === people.byrne.id)).toBe(true)
  })

  test('a report that was sent to the ministry gets none, and the job says so', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    const { failures } = await ended((await start()).job_id)
    expect(failures).toEqual([
      { id: sentReport.id, code: 'reports.locked', message: 'This report was sent to the ministry and can no longer be changed.' },
    ])
    expect((await pdfsByReport()).has(sentReport.id)).toBe(false)
  })

  test('failed where not one could be made', async () => {
    await st.services.store.write(asSystem(), async (tx) => {
      const books = await tx.db.select().from(tx.t.report_book).where(eq(tx.t.report_book.school_id, class3B.school_id))
      await tx.update(
        'report_book',
        books.map((before) => ({ before, patch: { status: 'sent_to_ministry' as const } })),
      )
    })
    expect(await ended((await start()).job_id)).toMatchObject({ status: 'failed', done: 2, total: 2, result_url: null })
  })

  test('404 where nothing was generated', async () => {
    await expect(start({ termId: hilary.id })).rejects.toMatchObject({ status: 404, code: 'reports.no_books' })
  })

  test('a repeated request gets the open job; after its end, a new one', async () => {
    const [first, second] = await asleep(async () => [await start(), await start()])
    expect(second).toEqual(first)
    st.services.jobs.wake()
    await ended(first?.job_id ?? '')
    expect((await start()).job_id).not.toBe(first?.job_id)
  })

  test('ten at once for the same class make one job', async () => {
    const all = await asleep(() => Promise.all(Array.from({ length: 10 }, () => start())))
    expect(new Set(all.map(({ job_id }) => job_id)).size).toBe(1)
  })

  test('where there is room for one, one of two concurrent requests for different classes is accepted', async () => {
    const of = [class3A, class3B].map(({ id }) => ({ ...of3B, studentGroupId: id }))
    for (const body of of) await st.as.okafor.reports.generate({ body })
    await add((tx) => Array.from({ length: limits.jobs.perSchool - 1 }, () => jobRow(tx, class3B.school_id)))
    const replies = await asleep(() => Promise.all(of.map((body) => st.as.okafor.reportFiles.generatePdfs.raw({ body }))))
    expect(replies.map(({ status }) => status).sort()).toEqual([202, 429])
  })

  test('429 jobs.too_many where so many wait already, of a school or of all', async () => {
    const waiting = (count: number, school_id: string) => (tx: WriteTx) => Array.from({ length: count }, () => jobRow(tx, school_id))
    await add(waiting(limits.jobs.perSchool, class3B.school_id))
    const { status, body, headers } = await asleep(() => st.as.byrne.reportFiles.generatePdfs.raw({ body: of3B }))
    expect({ status, body }).toMatchObject({ status: 429, body: { code: 'jobs.too_many' } })
    expect(headers.get('retry-after')).toBe('60')
    await st.services.store.write(asSystem(), async (tx) => void (await tx.local.delete(tx.t.job)))
    await add(waiting(limits.jobs.total, people.marker.school_id ?? ''))
    expect((await asleep(() => st.as.byrne.reportFiles.generatePdfs.raw({ body: of3B }))).status).toBe(429)
  })
})

const jobRow = (tx: WriteTx, school_id: string): Row<'job'> => ({
  id: tx.newId(),
  school_id,
  kind: 'report_pdfs',
  status: 'queued',
  wanted: tx.newId(),
  input: { student_group_id: class3B.id, term_id: michaelmas.id, report_type: 'term', paper: 'A4', reports: [] },
  done: 0,
  total: 0,
  result_url: null,
  failures: [],
  created_by: people.byrne.id,
  created_at: tx.now,
  ended_at: null,
  runner: null,
  leased_until: null,
  taken: 0,
})

describe('a job that was interrupted', () => {
  const interrupted = async (values: Partial<Row<'job'>>) => {
    await st.as.byrne.reports.generate({ body: of3B })
    const { job_id } = await asleep(() => start())
    const [row] = await jobRows()
    await change(job_id, { status: 'running', runner: '00000000-0000-7000-8000-00000000dead', taken: 1, ...values })
    return { job_id, reports: row?.input.reports ?? [] }
  }
  const later = (ms: number) => new Date(st.clock.now() + ms).toISOString()

  test('continues once its lease has expired, and makes no PDF twice', async () => {
    const { job_id, reports } = await interrupted({ done: 2, leased_until: later(-1) })
    st.services.jobs.wake()
    expect(await ended(job_id)).toMatchObject({ status: 'done', done: reports.length })
    const counts = await pdfsByReport()
    expect(reports.map((id) => counts.get(id) ?? 0)).toEqual(reports.map((id, at) => (at < 2 || id === sentReport.id ? 0 : 1)))
  })

  test('is not taken while another holds it', async () => {
    const { job_id } = await interrupted({ done: 2, leased_until: later(limits.jobs.leaseMs) })
    st.services.jobs.wake()
    expect(await ended(job_id)).toMatchObject({ status: 'running', done: 2 })
  })

  test('is done once where two instances look at the same moment', async () => {
    const { job_id, reports } = await interrupted({ leased_until: later(-1) })
    const other = openJobs(st.services, { report_pdfs: makeReportPdfs })
    for (const jobs of [st.services.jobs, other]) jobs.wake()
    await Promise.all([st.services.jobs.idle(), other.idle()])
    await other.stop()
    expect(await read(job_id)).toMatchObject({ status: 'done', done: reports.length })
    expect([...(await pdfsByReport()).values()].every((count) => count === 1)).toBe(true)
  })

  test('fails clearly where that happened too often', async () => {
    const { job_id } = await interrupted({ leased_until: later(-1), taken: limits.jobs.attempts })
    st.services.jobs.wake()
    expect(await ended(job_id)).toMatchObject({
      status: 'failed',
      failures: [{ id: job_id, code: 'jobs.interrupted', message: 'This was interrupted too often. Please start it again.' }],
    })
  })

  test('by the end of the program is released at once', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    const { job_id } = await start()
    await st.services.jobs.stop()
    const [row] = await jobRows()
    expect(row).toMatchObject({ id: job_id, runner: null, leased_until: null, taken: row?.status === 'queued' ? 0 : 1 })
    const next = openJobs(st.services, { report_pdfs: makeReportPdfs })
    next.wake()
    await next.idle()
    await next.stop()
    expect(await read(job_id)).toMatchObject({ status: 'done', done: pupilsOf3B.length })
    expect([...(await pdfsByReport()).values()].every((count) => count === 1)).toBe(true)
  })

  test('a report that was deleted meanwhile is named among the failures', async () => {
    const { job_id } = await interrupted({ leased_until: later(-1) })
    const gone = (await st.rows('report_book')).find(({ student_id }) => student_id === mei.id)
    await st.services.store.write(asSystem(), (tx) => tx.remove('report_book', gone ? [gone] : []))
    st.services.jobs.wake()
    const { status, failures } = await ended(job_id)
    expect(status).toBe('done')
    expect(failures).toContainEqual({
      id: gone?.id,
      code: 'jobs.report_gone',
      message: 'This report was deleted, or is of another class now.',
    })
  })

  test('a full disk ends it with a sentence, and finished PDFs stay', async () => {
    const { job_id } = await interrupted({ leased_until: later(-1) })
    const { put } = st.services.files
    let left = 2
    Object.assign(st.services.files, {
      put: (...given: Parameters<typeof put>) => {
        left -= 1
        return left >= 0 ? put(...given) : Promise.reject(new Failure(507, 'storage_full', 'The disk of the server is full.'))
      },
    })
    st.services.jobs.wake()
    expect(await ended(job_id)).toMatchObject({
      status: 'failed',
      failures: expect.arrayContaining([
        { id: job_id, code: 'jobs.storage_full', message: 'The disk of the server is full, so the rest was not made.' },
      ]),
    })
    expect(await st.rows('report_book_pdf')).toHaveLength(2)
  })
})

describe('GET /api/jobs/:id', () => {
  test('a job of an older program has sentences without codes', async () => {
    const { job_id: id } = await asleep(() => start())
    const failures = [{ id, message: 'The disk of the server is full.' }]
    await change(id, { status: 'failed', failures })
    expect((await read(id)).failures).toEqual(failures)
  })

  test('for its author and for administrators', async () => {
    const { job_id: id } = await asleep(() => start())
    const status = async (person: 'byrne' | 'okafor' | 'ada' | 'niamh' | 'marker') =>
      (await st.as[person].jobs.get.raw({ params: { id } })).status
    expect([await status('byrne'), await status('okafor'), await status('ada'), await status('niamh'), await status('marker')]).toEqual([
      200, 200, 403, 403, 404,
    ])
  })

  test('a job is forgotten a week after it ended', async () => {
    const { job_id } = await start()
    await ended(job_id)
    st.clock.advance(limits.jobs.retentionMs + 1_000)
    await forgetEndedJobs(st.services)
    expect(await jobRows()).toEqual([])
  })
})

describe('GET /api/jobs/:id/events', () => {
  const follow = async (id: string, onFirst = () => {}) => {
    const seen: { status: string; done: number }[] = []
    for await (const { status, done } of await st.as.byrne.jobs.events({ params: { id } })) {
      seen.push({ status, done })
      if (seen.length === 1) onFirst()
    }
    return seen
  }

  test('sends every step until the job is done, and ends', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    const { job_id } = await asleep(() => start())
    const seen = await follow(job_id, () => st.services.jobs.wake())
    expect(seen[0]).toMatchObject({ done: 0 })
    expect(seen.at(-1)).toEqual({ status: 'done', done: pupilsOf3B.length })
    expect(seen.map(({ done }) => done)).toEqual([...seen.map(({ done }) => done)].sort((a, b) => a - b))
  })

  test('an ended job is sent once', async () => {
    const { job_id } = await start()
    await ended(job_id)
    expect(await follow(job_id)).toEqual([{ status: 'done', done: 2 }])
  })

  test('has headers of an event stream that is neither cached nor buffered', async () => {
    const { job_id } = await start()
    await ended(job_id)
    const { headers } = await st.as.byrne.jobs.events.raw({ params: { id: job_id } })
    expect(['content-type', 'cache-control', 'x-accel-buffering'].map((name) => headers.get(name))).toEqual([
      'text/event-stream; charset=UTF-8',
      'no-store',
      'no',
    ])
  })

  test('429 where one person follows too many at once; a closed stream frees its place', async () => {
    const { job_id } = await asleep(() => start())
    const listen = () =>
      st.app.fetch(new Request(`http://markbook.test/api/jobs/${job_id}/events`, { headers: { cookie: st.cookieOf('byrne') } }))
    const open: Response[] = []
    for (let count = 0; count < limits.jobs.streamsPerUser; count += 1) open.push(await listen())
    expect((await listen()).status).toBe(429)
    for (const response of open) await response.body?.cancel()
    expect((await listen()).status).toBe(200)
  })

  test('the end of the program ends the stream', async () => {
    const { job_id } = await asleep(() => start())
    const following = follow(job_id)
    await st.services.jobs.stop()
    expect((await following).at(-1)).toMatchObject({ status: 'queued' })
  })
})

test('reports of other classes and terms are not touched', async () => {
  for (const [studentGroupId, termId] of [
    [class3A.id, michaelmas.id],
    [class3B.id, trinity.id],
    [lastYears2B.id, lastMichaelmas.id],
  ] as const)
    await st.as.okafor.reports.generate({ body: { studentGroupId, termId, reportType: 'term' } })
  await ended((await start()).job_id)
  const books = new Map((await st.rows('report_book')).map((book) => [book.id, book]))
  const of = [...(await pdfsByReport()).keys()].map((id) => books.get(id))
  expect(of.every((book) => book?.student_group_id === class3B.id && book.term_id === michaelmas.id)).toBe(true)
})
