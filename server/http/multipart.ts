import { common, Failure } from '@markbook/shared/failures'
import type { Upload } from './handler.ts'

/** Limits for the fields of an upload; no form of the contract has more or longer ones. */
const PARTS_MAX = 16
const FIELD_BYTES = 4_096
const HEADER_BYTES = 8_192
/** Bytes that a body may have besides its file: headers of parts, fields, boundaries. */
const ENVELOPE_BYTES = 65_536
const LINE_BREAK = Buffer.from('\r\n')

/** The fields of an upload and its file. A repeated field or a second file is reported as an issue. */
export type Multipart = { fields: Record<string, string>; file: Upload | null }

const cutOff = () =>
  common.validationFailed({ issues: [{ path: 'file', message: 'was cut off on its way, or is no multipart/form-data at all' }] })
export const oneFile = () =>
  common.validationFailed({ issues: [{ path: 'file', message: 'send exactly one file, in the part named file' }] })
const tooLarge = (bytes: number) => common.tooLarge({ message: `The file is larger than ${bytes / 1_048_576} MB.` })

/** Reads an upload: the fields, and the one file of at most `fileBytes`. Throws `Failure` 400 `validation_failed`, 413 `too_large`. */
export async function readParts(request: Request, fileBytes: number): Promise<Multipart> {
  const boundary = boundaryOf(request.headers.get('content-type') ?? '')
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > fileBytes + ENVELOPE_BYTES) throw tooLarge(fileBytes)
  if (!boundary || !request.body) throw cutOff()
  return partsOf(await bodyOf(request.body, announced, fileBytes), boundary, fileBytes)
}

/** The boundary of RFC 2046, or null where the header names none. */
function boundaryOf(contentType: string): Buffer | null {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  return boundary === undefined ? null : Buffer.from(`\r\n--${boundary}`, 'latin1')
}

/**
 * Reads the whole body, preceded by a line break, which the first boundary lacks. Into one growing block, so that it is in memory once,
 * however small the chunks are. Reads to the end before anything is refused, because an unread rest would make the connection close.
 */
async function bodyOf(stream: ReadableStream<Uint8Array>, announced: number, fileBytes: number): Promise<Buffer> {
  const most = LINE_BREAK.length + fileBytes + ENVELOPE_BYTES
  let block = Buffer.allocUnsafeSlow(Math.max(1_024, LINE_BREAK.length + announced))
  let size = LINE_BREAK.copy(block)
  try {
    for await (const piece of stream as unknown as AsyncIterable<Uint8Array>) {
      if (size + piece.length > most) throw tooLarge(fileBytes)
      if (size + piece.length > block.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(size + piece.length, block.length * 2)))
        block.copy(larger, 0, 0, size)
        block = larger
      }
      block.set(piece, size)
      size += piece.length
    }
  } catch (error) {
    // A client that disconnects in the middle has sent less than it announced.
    throw error instanceof Failure ? error : cutOff()
  }
  return block.subarray(0, size)
}

/** The parts between the boundaries. Text before the first and after the last is ignored. */
function partsOf(body: Buffer, boundary: Buffer, fileBytes: number): Multipart {
  const multipart: Multipart = { fields: {}, file: null }
  let at = body.indexOf(boundary)
  for (let count = 1; at >= 0; count += 1) {
    at += boundary.length
    const after = body.toString('latin1', at, at + 2)
    if (after === '--') return multipart
    const headEnd = body.indexOf('\r\n\r\n', at)
    if (after !== '\r\n' || headEnd < 0 || headEnd - at > HEADER_BYTES) throw cutOff()
    if (count > PARTS_MAX) throw oneFile()
    const part = partOf(body.toString('utf8', at + 2, headEnd), multipart)
    const start = headEnd + 4
    at = body.indexOf(boundary, start)
    // A file that is too long is refused as such, even where its end was cut off.
    const content = body.subarray(start, at < 0 ? Math.max(start, body.length - boundary.length + 1) : at)
    if (part.filename !== null && content.length > fileBytes) throw tooLarge(fileBytes)
    if (part.filename === null && content.length > FIELD_BYTES) throw common.tooLarge({ message: 'A field of the form is too long.' })
    if (at >= 0) addPart(multipart, part, content)
  }
  throw cutOff()
}

type Part = { name: string; filename: string | null; contentType: string }

function partOf(head: string, { file }: Multipart): Part {
  const headers = new Map(head.split('\r\n').map((line) => [line.split(':')[0]?.trim().toLowerCase() ?? '', line]))
  const disposition = headers.get('content-disposition') ?? ''
  const name = parameterOf(disposition, 'name')
  if (name === null) throw cutOff()
  const filename = parameterOf(disposition, 'filename')
  if (filename !== null && (name !== 'file' || file)) throw oneFile()
  return { name, filename, contentType: /:\s*([^\s;]+)/.exec(headers.get('content-type') ?? '')?.[1]?.toLowerCase() ?? '' }
}

/** Browsers write `"` and line breaks in a name as %22, %0D and %0A (HTML standard, «multipart/form-data encoding»). */
function parameterOf(disposition: string, name: string): string | null {
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(disposition)?.[1]
  return value === undefined ? null : value.replaceAll('%22', '"').replace(/%0[DA]/gi, ' ')
}

function addPart(multipart: Multipart, { name, filename, contentType }: Part, bytes: Buffer): void {
  if (filename !== null) multipart.file = { filename, contentType, bytes }
  else if (name === 'file') throw oneFile()
  else if (Object.hasOwn(multipart.fields, name))
    throw common.validationFailed({ issues: [{ path: name, message: 'was sent more than once' }] })
  else multipart.fields[name] = bytes.toString('utf8')
}
