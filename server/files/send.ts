import { Readable } from 'node:stream'
import { common, type Failure } from '@markbook/shared/failures'
import type { HeaderList } from '../http/replies.ts'
import { disposition } from './disposition.ts'
import { rangeOf } from './range.ts'
import type { Bucket, ObjectStorage, StoredObject } from './storage.ts'

/** How a browser is told to take a file: saved unless `inline`, and kept nowhere unless `cacheControl` says so. */
type Manner = { filename: string; inline?: boolean; cacheControl?: string }
export type FileBytes = Manner & { bytes: Uint8Array; contentType: string }
/** Made while it is sent. A failure on the way cuts the connection, so that nobody takes a part for the whole. */
export type FileStream = Manner & { stream: Readable | ReadableStream<Uint8Array>; contentType: string }
/** An object of the storage, with the content type recorded at upload. `missing` is answered where it is not there; else 404. */
export type FileStored = Manner & { stored: { bucket: Bucket; path: string }; missing?: Failure; contentType?: string }
/** A file in a reply. */
export type BinaryReply = FileBytes | FileStream | FileStored

export type Sending = { files: ObjectStorage; request: Request; status: number; headers: HeaderList }

/** Answers a file: always with `nosniff` and a safe Content-Disposition; a stored one also by ETag and in ranges. */
export async function sendFile(sending: Sending, file: BinaryReply): Promise<Response> {
  if ('stored' in file) return sendStored(sending, file)
  const { status } = sending
  const headers = [...headersOf(sending, file), ['content-type', file.contentType]] as HeaderList
  if ('stream' in file) return new Response(webStream(file.stream), { status, headers })
  return new Response(file.bytes as never, { status, headers: [...headers, ['content-length', String(file.bytes.length)]] })
}

async function sendStored(sending: Sending, file: FileStored): Promise<Response> {
  const { files, request, status } = sending
  const { bucket, path } = file.stored
  const known = await files.head(bucket, path)
  if (!known) throw file.missing ?? common.notFound()
  const headers = [...headersOf(sending, file), ...validatorsOf(known)] as HeaderList
  if (isKnown(request, known)) return new Response(null, { status: 304, headers })
  const asked = mayRange(request, known) ? rangeOf(request.headers.get('range'), known.size) : null
  if (asked === 'unsatisfiable')
    return new Response(null, { status: 416, headers: [...headers, ['content-range', `bytes */${known.size}`], ['content-length', '0']] })
  const length = asked ? asked.last - asked.first + 1 : known.size
  const whole: HeaderList = [
    ...headers,
    ['content-type', known.contentType],
    ['content-length', String(length)],
    ...(asked ? ([['content-range', `bytes ${asked.first}-${asked.last}/${known.size}`]] as HeaderList) : []),
  ]
  if (request.method === 'HEAD') return new Response(null, { status: asked ? 206 : status, headers: whole })
  const opened = await files.open(bucket, path, asked ?? undefined)
  if (!opened) throw file.missing ?? common.notFound()
  if (opened.object.etag !== known.etag) {
    // Replaced at this very moment: what is described must be what is sent.
    opened.body.destroy()
    return sendStored(sending, file)
  }
  return new Response(webStream(opened.body), { status: asked ? 206 : status, headers: whole })
}

const webStream = (stream: Readable | ReadableStream<Uint8Array>) =>
  (stream instanceof Readable ? Readable.toWeb(stream) : stream) as ReadableStream<Uint8Array>

const headersOf = ({ headers }: Sending, { filename, inline = false, cacheControl = 'no-store' }: Manner): HeaderList => [
  ['x-content-type-options', 'nosniff'],
  ['cache-control', cacheControl],
  ['content-disposition', disposition(filename, inline)],
  ...headers,
]

const tagOf = ({ etag }: StoredObject) => `"${etag}"`
const validatorsOf = (object: StoredObject): HeaderList => [
  ['etag', tagOf(object)],
  ['last-modified', new Date(object.modifiedAt).toUTCString()],
  ['accept-ranges', 'bytes'],
]

/** The reader has it already. */
function isKnown(request: Request, object: StoredObject): boolean {
  const said = request.headers.get('if-none-match')
  if (said === null) return false
  const tags = said.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(tagOf(object))
}

/** A part of another version would spoil what the reader has. */
function mayRange(request: Request, object: StoredObject): boolean {
  const said = request.headers.get('if-range')
  return said === null || said.trim() === tagOf(object)
}
