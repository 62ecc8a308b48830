import { Readable } from 'node:stream'
import { common, type Failure } from '@markbook/shared/failures'
import type { Bucket, ByteRange, ObjectStorage, StoredObject } from '../files/storage.ts'
import type { HeaderList } from './replies.ts'

/** How a browser treats a file: it saves it unless `inline`, and caches it only as `cacheControl` allows. */
type FileHeaders = { filename: string; inline?: boolean; cacheControl?: string }
type FileBytes = FileHeaders & { bytes: Uint8Array; contentType: string }
/** Content that is made while it is sent. On a failure the connection is cut, so that no client takes the part for the whole. */
type FileStream = FileHeaders & { stream: Readable | ReadableStream<Uint8Array>; contentType: string }
/** An object of the storage, with the content type recorded at upload. Where it does not exist, `missing` is the reply; by default 404. */
type FileStored = FileHeaders & { stored: { bucket: Bucket; path: string }; missing?: Failure; contentType?: string }
/** A file in a reply. */
export type BinaryReply = FileBytes | FileStream | FileStored

export type ReplyContext = { files: ObjectStorage; request: Request; status: number; headers: HeaderList }

/** Replies with a file: always with `nosniff` and a safe Content-Disposition; a stored one also with ETag and ranges. */
export async function sendFile(context: ReplyContext, file: BinaryReply): Promise<Response> {
  if ('stored' in file) return sendStored(context, file)
  const { status } = context
  const headers = [...headersOf(context, file), ['content-type', file.contentType]] as HeaderList
  if ('stream' in file) return new Response(webStream(file.stream), { status, headers })
  return new Response(file.bytes as Uint8Array<ArrayBuffer>, {
    status,
    headers: [...headers, ['content-length', String(file.bytes.length)]],
  })
}

async function sendStored(context: ReplyContext, file: FileStored): Promise<Response> {
  const { files, request, status } = context
  const { bucket, path } = file.stored
  const known = await files.head(bucket, path)
  if (!known) throw file.missing ?? common.notFound()
  const headers = [...headersOf(context, file), ...validatorsOf(known)] as HeaderList
  if (isKnown(request, known)) return new Response(null, { status: 304, headers })
  const range = mayRange(request, known) ? rangeOf(request.headers.get('range'), known.size) : null
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: [...headers, ['content-range', `bytes */${known.size}`], ['content-length', '0']] })
  const length = range ? range.last - range.first + 1 : known.size
  const whole: HeaderList = [
    ...headers,
    ['content-type', known.contentType],
    ['content-length', String(length)],
    ...(range ? ([['content-range', `bytes ${range.first}-${range.last}/${known.size}`]] as HeaderList) : []),
  ]
  if (request.method === 'HEAD') return new Response(null, { status: range ? 206 : status, headers: whole })
  const opened = await files.open(bucket, path, range ?? undefined)
  if (!opened) throw file.missing ?? common.notFound()
  if (opened.object.etag !== known.etag) {
    // The object was replaced meanwhile: the headers must describe the content that is sent.
    opened.body.destroy()
    return sendStored(context, file)
  }
  return new Response(webStream(opened.body), { status: range ? 206 : status, headers: whole })
}

const webStream = (stream: Readable | ReadableStream<Uint8Array>) =>
  (stream instanceof Readable ? Readable.toWeb(stream) : stream) as ReadableStream<Uint8Array>

const headersOf = ({ headers }: ReplyContext, { filename, inline = false, cacheControl = 'no-store' }: FileHeaders): HeaderList => [
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

/** Whether the client has this version (If-None-Match). */
function isKnown(request: Request, object: StoredObject): boolean {
  const header = request.headers.get('if-none-match')
  if (header === null) return false
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(tagOf(object))
}

/** Whether a range may be sent: not where If-Range names another version than this one. */
function mayRange(request: Request, object: StoredObject): boolean {
  const header = request.headers.get('if-range')
  return header === null || header.trim() === tagOf(object)
}

/** One range; its numbers are short enough to be exact. */
const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

/**
 * The range that a Range header requests from `size` bytes. Null where the whole is to be sent: no header, several ranges, or a malformed
 * one (RFC 9110 allows ignoring those).
 */
export function rangeOf(header: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const [, from = '', to = ''] = ONE_RANGE.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return null
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(from) > Number(to)) return null
  return first >= size || (from === '' && Number(to) === 0) ? 'unsatisfiable' : { first, last }
}

/** A plain file name: no folders, not hidden, and without characters that change the direction of text. */
const plainName = (name: string) =>
  name
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}/\\]/gu, '_')
    .replace(/^\.+/, '_')

const extended = (name: string) =>
  encodeURIComponent(plainName(name)).replace(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Content-Disposition: a name that is safe in headers and file systems, and the full one for browsers that read it. */
export function disposition(filename: string, inline = false): string {
  const plain = filename.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^\.+/, '_')
  return `${inline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${extended(filename)}`
}
