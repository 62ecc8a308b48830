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
  private part: Part | null = null
  // The first boundary has no line before it.
  private rest: Buffer = Buffer.from('\r\n')
  private at: 'preamble' | 'head' | 'content' | 'after' | 'over' = 'preamble'

  constructor(
    private readonly boundary: Buffer,
    private readonly fileBytes: number,
    private readonly announced: number,
  ) {}

  isWhole = (): boolean => this.at === 'over'

  take(piece: Uint8Array): void {
    if (this.at === 'over') return
    this.rest = this.rest.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength) : Buffer.concat([this.rest, piece])
    while (this.step());
  }

  /** One step on, or false where more bytes are needed for it, or none any more. */
  private step(): boolean {
    if (this.at === 'after') return this.afterBoundary()
    if (this.at === 'head') return this.readHead()
    const found = this.rest.indexOf(this.boundary)
    const known = found < 0 ? Math.max(0, this.rest.length - this.boundary.length + 1) : found
    this.part?.content.add(this.rest.subarray(0, known))
    this.rest = this.rest.subarray(found < 0 ? known : found + this.boundary.length)
    if (found < 0) return false
    if (this.part) this.end(this.part)
    this.part = null
    this.at = 'after'
    return true
  }

  private afterBoundary(): boolean {
    if (this.rest.length < 2) return false
    const isLast = this.rest[0] === 0x2d && this.rest[1] === 0x2d
    if (!isLast && (this.rest[0] !== 0x0d || this.rest[1] !== 0x0a)) throw cutOff()
    this.at = isLast ? 'over' : 'head'
    return !isLast
  }

  private readHead(): boolean {
    const end = this.rest.indexOf('\r\n\r\n')
    if (end > HEADER_BYTES || (end < 0 && this.rest.length > HEADER_BYTES)) throw cutOff()
    if (end < 0) return false
    this.part = this.begin(this.rest.toString('utf8', 2, end))
    this.rest = this.rest.subarray(end + 4)
    this.at = 'content'
    return true
  }

  private begin(head: string): Part {
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

  private end({ name, filename, contentType, content }: Part): void {
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
  const parts = new Parts(boundary, fileBytes, announced)
  let total = 0
  let failure: unknown
  for await (const piece of whole(request.body as unknown as AsyncIterable<Uint8Array>)) {
    total += piece.length
    if (total > fileBytes + ENVELOPE_BYTES) throw tooLarge(fileBytes)
    try {
      if (!failure) parts.take(piece)
    } catch (error) {
      // Read to its end all the same: where a rest stays unread, the connection is cut half a second later, whatever goes over it then.
      failure = error
    }
  }
  if (failure) throw failure
  // Only at the end of the body: one that is shorter than was announced is none, even where its last part came whole.
  if (!parts.isWhole()) throw cutOff()
  return parts.multipart
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
