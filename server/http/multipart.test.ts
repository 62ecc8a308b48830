import { describe, expect, test } from 'vitest'
import { readParts } from './multipart.ts'

/** What follows the form, and how the stream ends. */
type Ending = { epilogue?: string; end?: (controller: ReadableStreamDefaultController) => void }

/** The form as sent over the network, in chunks of `size` bytes. */
async function inPieces(form: FormData, size: number, ending: Ending = {}): Promise<Request> {
  const whole = new Request('http://markbook.test', { method: 'POST', body: form })
  const bytes = Buffer.concat([Buffer.from(await whole.arrayBuffer()), Buffer.from(ending.epilogue ?? '')])
  const end = ending.end ?? ((controller) => controller.close())
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return end(controller)
      controller.enqueue(bytes.subarray(at, at + size))
      at += size
    },
  })
  const headers = { 'content-type': whole.headers.get('content-type') ?? '' }
  return new Request('http://markbook.test', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
}

const CONTENT = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 256))
function form(content: Uint8Array = CONTENT, name = 'Élan’s “card”.pdf'): FormData {
  const made = new FormData()
  made.set('reportType', 'term')
  made.set('note', 'two\r\n--lines\r\n')
  made.set('file', new File([content as never], name, { type: 'application/pdf' }))
  return made
}

describe('readParts', () => {
  test.each([1, 2, 3, 7, 64, 65_536])('reads fields and file in chunks of %i bytes', async (size) => {
    const { fields, file } = await readParts(await inPieces(form(), size), 10_000)
    expect(fields).toEqual({ reportType: 'term', note: 'two\r\n--lines\r\n' })
    expect(file).toMatchObject({ filename: 'Élan’s “card”.pdf', contentType: 'application/pdf' })
    expect(Buffer.from(file?.bytes ?? []).equals(CONTENT)).toBe(true)
  })

  test('content that looks like a boundary, and an empty file', async () => {
    const looksLike = Buffer.from('\r\n--\r\n----\r\n------formdata-undici-0\r\n--x--\r\n')
    expect(Buffer.from((await readParts(await inPieces(form(looksLike), 5), 1_000)).file?.bytes ?? [])).toEqual(looksLike)
    expect((await readParts(await inPieces(form(new Uint8Array()), 5), 1_000)).file?.bytes.length).toBe(0)
  })

  test('a file name with quotation marks and a line break becomes one line', async () => {
    const { file } = await readParts(await inPieces(form(CONTENT, 'a"b\r\nc.pdf'), 100), 10_000)
    expect(file?.filename).toBe('a"b  c.pdf')
  })

  test('the limit applies to the file alone, to the byte', async () => {
    await expect(readParts(await inPieces(form(), 100), CONTENT.length)).resolves.toBeDefined()
    await expect(readParts(await inPieces(form(), 100), CONTENT.length - 1)).rejects.toMatchObject({ status: 413, code: 'too_large' })
  })

  test('text before the first boundary is ignored, and a file without a type has an empty one', async () => {
    const body = 'preamble\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a.xlsx"\r\n\r\nbytes\r\n--x--\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary="x"' }
    const { file } = await readParts(new Request('http://markbook.test', { method: 'POST', headers, body }), 1_000)
    expect(file).toMatchObject({ filename: 'a.xlsx', contentType: '', bytes: Buffer.from('bytes') })
  })

  test('text after the last part is ignored, but must be complete', async () => {
    const gone: Ending = { epilogue: 'an epilogue', end: (controller) => controller.error(new Error('gone')) }
    expect((await readParts(await inPieces(form(), 100, { epilogue: 'an epilogue' }), 10_000)).file?.bytes.length).toBe(CONTENT.length)
    await expect(readParts(await inPieces(form(), 100, gone), 10_000)).rejects.toMatchObject({ status: 400, code: 'validation_failed' })
  })

  test('a refused upload is read to its end, so that the connection stays open', async () => {
    let wasRead = false
    const end = (controller: ReadableStreamDefaultController) => {
      wasRead = true
      controller.close()
    }
    const twoFiles = form()
    twoFiles.append('file', new File(['x'.repeat(2_000)], 'second.pdf'))
    await expect(readParts(await inPieces(twoFiles, 100, { end }), 10_000)).rejects.toMatchObject({ status: 400 })
    expect(wasRead).toBe(true)
  })
})
