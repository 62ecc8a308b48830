import { reportFiles } from '@markbook/shared/contract/report-files'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../../../testing/school.ts'
import { form, pdfOf, storedPaths, workbook } from './files.fixtures.ts'

let st: School
let [before, stored] = ['', [] as string[]]
beforeAll(async () => {
  st = await school()
  before = await st.digest()
  stored = await storedPaths(st)
})
/** No request left a file behind. */
afterAll(async () => {
  expect(await st.digest()).toBe(before)
  expect(await storedPaths(st)).toEqual(stored)
  await st.close()
})

const params = { id: draftReport.id }
const path = reportFiles.uploadPdf.path.replace(':id', draftReport.id)
const answer = ({ status, body }: { status: number; body: unknown }) => `${status} ${(body as { code?: string }).code}`
const upload = (content: Uint8Array | string, type?: string) =>
  st.as.byrne.reportFiles.uploadPdf.raw({ params, body: form(content, type) }).then(answer)
const ofClass = (fileType: string, content: Uint8Array | string) =>
  st.as.byrne.reportFiles.uploadClassFile
    .raw({ body: form(content, '', { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term', fileType }) })
    .then(answer)

const HTML = '<!doctype html><script>alert(1)</script>'
const MACROS = workbook({ 'xl/vbaProject.bin': Buffer.from('x') })
const zip = (files: Record<string, Uint8Array>) => zipSync(files)
/** A workbook whose directory states an unpacked size of four gigabytes. */
function bomb(): Uint8Array {
  const bytes = Buffer.from(workbook())
  bytes.writeUInt32LE(0xffff_fff0, bytes.indexOf('PK\x01\x02', 0, 'latin1') + 24)
  return bytes
}

describe('a file with other content than declared', () => {
  test.each([
    ['a web page', HTML],
    ['a web page before a PDF', `${HTML}\n${pdfOf('x').toString('latin1')}`],
    ['spaces before a PDF', ` ${pdfOf('x').toString('latin1')}`],
    ['the beginning of a PDF', '%PDF-1.7\n1 0 obj'],
    ['a picture', '\x89PNG\r\n\x1a\n'],
    ['nothing', ''],
  ])('415 for %s that is called a PDF', async (_what, content) => {
    expect(await upload(Buffer.from(content, 'latin1'))).toBe('415 reports.wrong_content')
  })

  test.each(['text/html', 'image/svg+xml', 'application/zip'])('415 for a PDF that is called %s', async (type) => {
    expect(await upload(pdfOf('x'), type)).toBe('415 reports.wrong_content')
  })

  test.each<[string, string, () => Uint8Array | string]>([
    ['pdf', 'a workbook', () => workbook()],
    ['xlsx', 'a plain zip', () => zip({ 'readme.txt': Buffer.from('x') })],
    [
      'xlsx',
      'a zip with the parts of a text document',
      () => zip({ '[Content_Types].xml': Buffer.from('<Types/>'), 'xl/workbook.xml': Buffer.from('') }),
    ],
    ['xlsx', 'a workbook with macros', () => MACROS],
    ['xlsx', 'half a workbook', () => workbook().slice(0, 60)],
    ['xlsx', 'a table of text', () => 'a,b\n1,2\n'],
    ['csv', 'a web page', () => HTML],
    ['csv', 'a drawing with a script', () => '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['csv', 'a PDF', () => pdfOf('x')],
    ['csv', 'a workbook', () => workbook()],
    ['csv', 'bytes that are no text', () => Buffer.from('a,b\n1,\x00\n', 'latin1')],
    ['csv', 'nothing', () => ''],
  ])('415 for a %s that is %s', async (fileType, _what, content) => {
    expect(await ofClass(fileType, content())).toBe('415 reports.wrong_content')
  })

  test('413 for a workbook that unpacks to gigabytes', async () => {
    expect(await ofClass('xlsx', bomb())).toBe('413 too_large')
  })
})

describe('a file that is too large', () => {
  test('413 one byte above 20 MB', async () => {
    const content = Buffer.alloc(20_971_521, 0x20)
    pdfOf('x').copy(content)
    expect(await upload(content)).toBe('413 too_large')
  })
})

describe('a body that is not right', () => {
  const send = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}) =>
    st.app.fetch(
      new Request(`http://markbook.test${path}`, {
        method: 'POST',
        headers: { cookie: st.cookieOf('byrne'), 'content-type': 'multipart/form-data; boundary=x', ...headers },
        body,
        duplex: 'half',
      } as RequestInit),
    )
  const part = (content: string, name = 'file', filename = '; filename="a.pdf"') =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${filename}\r\nContent-Type: application/pdf\r\n\r\n${content}\r\n`
  const whole = pdfOf('x').toString('latin1')

  test.each([
    ['without an end', part(whole)],
    ['without a boundary', whole],
    ['with two files', `${part(whole)}${part(whole)}--x--\r\n`],
    ['with the file under another name', `${part(whole, 'picture')}--x--\r\n`],
    ['with a file that has no name', `${part(whole, 'file', '')}--x--\r\n`],
    ['with a field beside the file', `${part('1', 'path', '')}${part(whole)}--x--\r\n`],
    ['with ten thousand parts', `${part('1', 'n', '').repeat(10_000)}${part(whole)}--x--\r\n`],
    ['with a head that never ends', `--x\r\nContent-Disposition: form-data; name="${'n'.repeat(100_000)}`],
  ])('400 %s', async (_what, body) => {
    const response = await send(body)
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([400, 'validation_failed'])
  })

  test('400 where the client disconnects in the middle', async () => {
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from(part(whole).slice(0, 100)))
        controller.error(new Error('aborted'))
      },
    })
    expect((await send(source)).status).toBe(400)
  })

  test('413 where the declared size is too large', async () => {
    expect((await send(part(whole), { 'content-length': '900000000' })).status).toBe(413)
  })
})

test('20 MB cost the memory once, and do not block others', async () => {
  const content = Buffer.alloc(20_971_520, 0x20)
  pdfOf('x').copy(content)
  const whole = new Request(`http://markbook.test${path}`, { method: 'POST', body: form(content, 'text/html') })
  const bytes = Buffer.from(await whole.arrayBuffer())
  const headers = {
    cookie: st.cookieOf('byrne'),
    'content-type': whole.headers.get('content-type') ?? '',
    'content-length': `${bytes.length}`,
  }
  /** The longest step of one request, in ms of this process's CPU time, which other work on the machine does not affect. */
  const longestStep = async () => {
    const cpuMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000
    let [at, last, longest] = [0, cpuMs(), 0]
    const lap = () => {
      longest = Math.max(longest, cpuMs() - last)
      last = cpuMs()
    }
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        lap()
        if (at >= bytes.length) return controller.close()
        controller.enqueue(bytes.subarray(at, at + 65_536))
        at += 65_536
      },
    })
    const reply = await st.app.fetch(new Request(whole.url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit))
    lap()
    expect(reply.status).toBe(415)
    return longest
  }
  const memory = process.memoryUsage().arrayBuffers
  const first = await longestStep()
  expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(64 * 1_048_576)
  // Garbage collection for earlier tests affects one request, the server's own work affects each.
  expect(Math.min(first, await longestStep(), await longestStep())).toBeLessThan(50)
})
