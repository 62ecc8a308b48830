import { limits } from '@markbook/shared/limits'
import { zoe } from '@markbook/shared/story/marks'
import { draftReport, hilltopReport, sentReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../../store/tx.ts'
import { meanwhile } from '../../../testing/meanwhile.ts'
import { refused } from '../../../testing/refused.ts'
import { type School, school } from '../../../testing/school.ts'
import { sweepFiles } from '../../storage/sweep.ts'
import { form, pdfOf, storedPaths } from './files.fixtures.ts'
import { BUCKET } from './paths.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const draft = { id: draftReport.id }
const sent = { id: sentReport.id }
const upload = (inside: string, params = draft) => st.as.byrne.reportFiles.uploadPdf({ params, body: form(pdfOf(inside)) })
const put = (path: string, content = pdfOf('put')) => st.services.files.put(BUCKET, path, content, { contentType: 'application/pdf' })
const textOf = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString('latin1')

describe('POST /api/reports/:id/pdf/upload', () => {
  test('stores the file at a path that the server makes, and returns its row', async () => {
    const pdf = await upload('first')
    expect(pdf.file_path).toMatch(new RegExp(`^${draft.id}/${st.clock.now()}-[0-9a-f-]{36}\\.pdf$`))
    expect(pdf).toMatchObject({ report_book_id: draft.id, file_size: pdfOf('first').length, generated_at: '2026-01-12T08:00:00.000Z' })
    const [row] = (await st.rows('report_book_pdf')).filter(({ id }) => id === pdf.id)
    expect(row?.sha256).toBe((await st.services.files.head(BUCKET, pdf.file_path))?.etag)
  })

  test('two within one millisecond are both stored', async () => {
    const [one, other] = await Promise.all([upload('one'), upload('other')])
    expect(one.file_path).not.toBe(other.file_path)
    expect(await st.services.files.head(BUCKET, one.file_path)).toMatchObject({ size: pdfOf('one').length })
    expect(await st.services.files.head(BUCKET, other.file_path)).toMatchObject({ size: pdfOf('other').length })
  })

  test('a path that the client names is no field of the form', async () => {
    const body = form(pdfOf('x'), 'application/pdf', { filePath: `${draft.id}/mine.pdf` })
    expect(await refused(st, () => st.as.byrne.reportFiles.uploadPdf.raw({ params: draft, body }))).toMatchObject({ status: 400 })
  })

  test('409 for a report that was sent to the ministry, and no file is left behind', async () => {
    const before = await storedPaths(st)
    const refusal = await refused(st, () => st.as.byrne.reportFiles.uploadPdf.raw({ params: sent, body: form(pdfOf('late')) }))
    expect(refusal).toEqual({ status: 409, code: 'reports.locked' })
    expect(await storedPaths(st)).toEqual(before)
  })

  test('409 where the report is sent while its file is being uploaded', async () => {
    const { id } = await st.as.byrne.reports
      .generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
      .then(({ reports }) => reports.find(({ student_id }) => student_id === zoe.id) ?? { id: '' })
    const send = meanwhile(
      st,
      async (tx) => {
        const book = await tx.find('report_book', class3B.school_id, id)
        if (book) await tx.update('report_book', [{ before: book, patch: { status: 'sent_to_ministry' } }])
      },
      () => st.as.byrne.reportFiles.uploadPdf.raw({ params: { id }, body: form(pdfOf('race')) }),
    )
    expect((await send).status).toBe(409)
    expect((await st.rows('report_book_pdf')).filter(({ report_book_id }) => report_book_id === id)).toEqual([])
  })

  test('where the program dies between file and row, the file alone is left, and swept a day later', async () => {
    const [before, stored] = [await st.digest(), await storedPaths(st)]
    const { files, store } = st.services
    const [put, write] = [files.put, store.write]
    files.put = async (...given) => {
      const object = await put(...given)
      store.write = () => Promise.reject(new Error('killed'))
      return object
    }
    const { status } = await st.as.byrne.reportFiles.uploadPdf.raw({ params: draft, body: form(pdfOf('killed')) })
    Object.assign(files, { put })
    Object.assign(store, { write })
    expect(status).toBe(500)
    expect(await st.digest()).toBe(before)
    expect((await storedPaths(st)).length).toBe(stored.length + 1)
    const clock = { now: () => Date.now() + limits.storage.orphanAgeMs + 60_000 }
    await sweepFiles({ ...st.services, clock })
    const recorded = (await st.rows('report_book_pdf')).map(({ file_path }) => file_path)
    expect(await storedPaths(st)).toEqual(stored.filter((path) => recorded.includes(path)))
  })
})

describe('POST /api/reports/:id/pdf', () => {
  const record = (filePath: string, fileSize: number, params = draft) =>
    st.as.byrne.reportFiles.recordPdf.raw({ params, body: { filePath, fileSize } })

  test('records a file that lies in the report’s folder', async () => {
    await put(`${draft.id}/put.pdf`)
    const { status, body } = await record(`${draft.id}/put.pdf`, pdfOf('put').length)
    expect({ status, body }).toMatchObject({ status: 201, body: { file_path: `${draft.id}/put.pdf`, file_size: pdfOf('put').length } })
  })

  test.each([
    ['that is not there', () => `${draft.id}/absent.pdf`],
    ['of another report', () => `${hilltopReport.id}/put.pdf`],
    ['beside the folder', () => `${draft.id}.pdf`],
    ['of a folder whose name begins the same', () => `${draft.id}x/put.pdf`],
  ])('400 for a file %s, and nothing is recorded', async (_what, path) => {
    await put(`${hilltopReport.id}/put.pdf`).catch(() => {})
    await put(`${draft.id}.pdf`).catch(() => {})
    expect(await refused(st, () => record(path(), pdfOf('put').length))).toEqual({ status: 400, code: 'reports.no_such_file' })
  })

  test('400 where the size is another, or the file is none', async () => {
    expect(await refused(st, () => record(`${draft.id}/put.pdf`, 7))).toEqual({ status: 400, code: 'reports.no_such_file' })
    await st.services.files.put(BUCKET, `${draft.id}/page.html`, Buffer.from('<p>'), { contentType: 'text/html' })
    expect(await refused(st, () => record(`${draft.id}/page.html`, 3))).toEqual({ status: 400, code: 'reports.no_such_file' })
  })

  test.each(['../x.pdf', '%2e%2e/x.pdf', 'a//b.pdf', '/x.pdf', 'a\\b.pdf', 'a/../b.pdf', 'a\u0000.pdf', ''])(
    '400 for the path %j',
    async (path) => {
      const before = await st.digest()
      const { status, body } = await record(`${draft.id}/${path}`, 10)
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
      expect(await st.digest()).toBe(before)
    },
  )
})

describe('GET /api/reports/:id/pdfs and /pdf/latest', () => {
  test('newest first; the report itself lists them too', async () => {
    st.clock.advance(60_000)
    const latest = await upload('newest')
    const listed = await st.as.byrne.reportFiles.pdfs({ params: draft })
    expect(listed[0]).toEqual(latest)
    expect(await st.as.byrne.reportFiles.latestPdf({ params: draft })).toEqual(latest)
    expect((await st.as.okafor.reports.get({ params: draft })).pdfs).toEqual(listed.map((pdf) => ({ ...pdf, is_draft: true })))
  })

  test('404 reports.no_pdf where there is none', async () => {
    const { status, body } = await st.as.byrne.reportFiles.latestPdf.raw({ params: sent })
    expect({ status, body }).toMatchObject({ status: 404, body: { code: 'reports.no_pdf' } })
  })
})

describe('GET /api/reports/:id/pdf/:pdfId/download', () => {
  const download = (pdfId: string, headers: Record<string, string> = {}, params = draft) =>
    st.as.byrne.reportFiles.downloadPdf.raw({ params: { ...params, pdfId }, headers })

  test('the bytes that were uploaded, under a name that a person can read', async () => {
    const { id } = await upload('to be read')
    const { status, headers, body } = await download(id)
    expect(status).toBe(200)
    expect(textOf(body)).toBe(pdfOf('to be read').toString('latin1'))
    expect(headers.get('content-type')).toBe('application/pdf')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const said = headers.get('content-disposition') ?? ''
    expect(said).toMatch(/^attachment; filename="[\w.-]+\.pdf"; filename\*=UTF-8''/)
    expect(decodeURIComponent(said.split("UTF-8''")[1] ?? '')).toBe('Ó Briain, Élan - 3B - 2025-26 Michaelmas.pdf')
  })

  test('a part of it, and nothing where the reader has it already', async () => {
    const { id } = await upload('parts')
    const part = await download(id, { range: 'bytes=0-4' })
    expect([part.status, textOf(part.body), part.headers.get('content-range')]).toEqual([
      206,
      '%PDF-',
      `bytes 0-4/${pdfOf('parts').length}`,
    ])
    const etag = part.headers.get('etag') ?? ''
    expect((await download(id, { 'if-none-match': etag })).status).toBe(304)
  })

  test('404 for a PDF of another report, byte for byte as for one that nobody has', async () => {
    const { id } = await upload('mine')
    const other = (await st.as.byrne.reports.list({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })).find(
      (one) => one.id !== draft.id,
    )
    const foreign = await download(id, {}, { id: other?.id ?? '' })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual((await download('00000000-0000-7000-8000-999999999999')).body)
  })

  test('a PDF of an earlier system at a flat path can still be downloaded', async () => {
    const flat = await st.services.store.write(asSystem(), async (tx) => {
      const row = {
        id: tx.newId(),
        school_id: draftReport.school_id,
        report_book_id: draft.id,
        file_path: `${draft.id}.pdf`,
        file_size: 10,
      }
      await tx.insert('report_book_pdf', [{ ...row, sha256: null, generated_by: null, generated_at: '2024-01-01T00:00:00.000Z' }])
      return row.id
    })
    expect((await download(flat)).status).toBe(200)
  })

  test('404 reports.file_away while the row is here and its file is not', async () => {
    const { id, file_path } = await upload('gone')
    await st.services.files.remove(BUCKET, file_path)
    const { status, body } = await download(id)
    expect({ status, body }).toMatchObject({ status: 404, body: { code: 'reports.file_away' } })
  })
})

describe('POST /api/reports/:id/pdf/generate', () => {
  test('draws the report, stores it and records it', async () => {
    const pdf = await st.as.byrne.reportFiles.generatePdf({ params: draft })
    const { body } = await st.as.byrne.reportFiles.downloadPdf.raw({ params: { ...draft, pdfId: pdf.id } })
    expect(textOf(body).slice(0, 5)).toBe('%PDF-')
    expect((body as Uint8Array).length).toBe(pdf.file_size)
    expect((await st.as.byrne.reportFiles.pdfs({ params: draft }))[0]).toEqual(pdf)
  })

  test('on Letter where that is asked for', async () => {
    const { file_path } = await st.as.byrne.reportFiles.generatePdf({ params: draft, query: { paper: 'Letter' } })
    const opened = await st.services.files.open(BUCKET, file_path)
    const pieces: Buffer[] = []
    for await (const piece of opened?.body ?? []) pieces.push(piece as Buffer)
    expect(Buffer.concat(pieces).toString('latin1')).toMatch(/MediaBox \[0 0 612 792\]/)
  })

  test('409 for a report that was sent to the ministry', async () => {
    expect(await refused(st, () => st.as.byrne.reportFiles.generatePdf.raw({ params: sent }))).toEqual({
      status: 409,
      code: 'reports.locked',
    })
  })
})
