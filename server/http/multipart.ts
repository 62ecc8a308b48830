import { common } from '@markbook/shared/failures'
import type { Upload } from './handler.ts'

/** Bounds of an upload beside its file: no form of ours has more fields, and none of them is long. */
const PARTS_MAX = 16
const FIELD_BYTES = 4_096
const HEADER_BYTES = 8_192
/** What a body may hold beside its file: headers of parts, fields, boundaries. */
const ENVELOPE_BYTES = 65_536

/** The fields of an upload and its file; a field that was sent twice is an issue of the form, as is a second file. */
export type Multipart = { fields: Record<string, string>; file: Upload | null }

const cutOff = () =>
  common.validationFailed({ issues: [{ path: 'file', message: 'was cut off on its way, or is no multipart/form-data at all' }] })
export const oneFile = () =>
  common.validationFailed({ issues: [{ path: 'file', message: 'send exactly one file, in the part named file' }] })
const tooLarge = (bytes: number) => common.tooLarge({ message: `The file is larger than ${bytes / 1_048_576} MB.` })

/** Bytes that come piece by piece, in one block that grows: a file is in memory once, whatever length was announced. */
class Collected {
  private block: Buffer
  size = 0

  constructor(
    expected: number,
    private readonly most: number,
    private readonly overflow: () => Error,
  ) {
    this.block = Buffer.allocUnsafeSlow(Math.max(1_024, Math.min(expected, most)))
  }

  add(bytes: Buffer): void {
    const size = this.size + bytes.length
    if (size > this.most) throw this.overflow()
    if (size > this.block.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.most, Math.max(size, this.block.length * 2)))
      this.block.copy(larger, 0, 0, this.size)
      this.block = larger
    }
    bytes.copy(this.block, this.size)
    this.size = size
  }

  bytes = (): Buffer => this.block.subarray(0, this.size)
}

type Part = { name: string; filename: string | null; contentType: string; content: Collected }

/** The boundary of RFC 2046, or null where the header names none. */
function boundaryOf(contentType: string): Buffer | null {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  return boundary === undefined ? null : Buffer.from(`\r\n--${boundary}`, 'latin1')
}

/** Browsers write `"` and line breaks in a name as %22, %0D and %0A (HTML standard, «multipart/form-data encoding»). */
const named = (disposition: string, name: string): string | null => {
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(disposition)?.[1]
  return value === undefined ? null : value.replaceAll('%22', '"').replace(/%0[DA]/gi, ' ')
}

class Parts {
  readonly multipart: Multipart = { fields: {}, file: null }
  private count = 0

  constructor(
    private readonly fileBytes: number,
    private readonly announced: number,
  ) {}

  begin(head: string): Part {
    this.count += 1
    if (this.count > PARTS_MAX) throw oneFile()
    const headers = new Map(head.split('\r\n').map((line) => [line.split(':')[0]?.trim().toLowerCase() ?? '', line]))
    const disposition = headers.get('content-disposition') ?? ''
    const name = named(disposition, 'name')
    if (name === null) throw cutOff()
    const filename = named(disposition, 'filename')
    if (filename !== null && (name !== 'file' || this.multipart.file)) throw oneFile()
    const contentType = /:\s*([^\s;]+)/.exec(headers.get('content-type') ?? '')?.[1]?.toLowerCase() ?? ''
    const content =
      filename === null
        ? new Collected(0, FIELD_BYTES, () => common.tooLarge({ message: 'A field of the form is too long.' }))
        : new Collected(this.announced, this.fileBytes, () => tooLarge(this.fileBytes))
    return { name, filename, contentType, content }
  }

  end({ name, filename, contentType, content }: Part): void {
    const bytes = content.bytes()
    if (filename !== null) this.multipart.file = { filename, contentType, bytes }
    else if (name === 'file') throw oneFile()
    else if (Object.hasOwn(this.multipart.fields, name))
      throw common.validationFailed({ issues: [{ path: name, message: 'was sent more than once' }] })
    else this.multipart.fields[name] = bytes.toString('utf8')
  }
}

/**
 * Reads an upload as it comes, so that neither a large one nor one of ten thousand parts holds anybody up: the fields, and the one
 * file of at most `fileBytes`. Throws `Failure` 400 `validation_failed`, 413 `too_large`.
 */
export async function readParts(request: Request, fileBytes: number): Promise<Multipart> {
  const boundary = boundaryOf(request.headers.get('content-type') ?? '')
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > fileBytes + ENVELOPE_BYTES) throw tooLarge(fileBytes)
  if (!boundary || !request.body) throw cutOff()
  const parts = new Parts(fileBytes, announced)
  let part: Part | null = null
  // The first boundary has no line before it.
  let rest: Buffer = Buffer.from('\r\n')
  let total = 0
  let at: 'preamble' | 'head' | 'content' | 'after' = 'preamble'
  const source = request.body as unknown as AsyncIterable<Uint8Array>
  for await (const piece of whole(source)) {
    total += piece.length
    if (total > fileBytes + ENVELOPE_BYTES) throw tooLarge(fileBytes)
    rest = rest.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength) : Buffer.concat([rest, piece])
    for (;;) {
      if (at === 'after') {
        if (rest.length < 2) break
        if (rest[0] === 0x2d && rest[1] === 0x2d) return parts.multipart
        if (rest[0] !== 0x0d || rest[1] !== 0x0a) throw cutOff()
        at = 'head'
      }
      if (at === 'head') {
        const end = rest.indexOf('\r\n\r\n')
        if (end > HEADER_BYTES || (end < 0 && rest.length > HEADER_BYTES)) throw cutOff()
        if (end < 0) break
        part = parts.begin(rest.toString('utf8', 2, end))
        rest = rest.subarray(end + 4)
        at = 'content'
      }
      const found = rest.indexOf(boundary)
      const known = found < 0 ? Math.max(0, rest.length - boundary.length + 1) : found
      part?.content.add(rest.subarray(0, known))
      rest = rest.subarray(found < 0 ? known : found + boundary.length)
      if (found < 0) break
      if (part) parts.end(part)
      part = null
      at = 'after'
    }
  }
  throw cutOff()
}

/** The other end that goes away in the middle has sent less than it said. */
async function* whole(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await pieces.next().catch(() => {
        throw cutOff()
      })
      if (next.done) return
      yield next.value
    }
  } finally {
    await pieces.return?.().catch(() => {})
  }
}
