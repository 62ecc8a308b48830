import { limits } from '@markbook/shared/limits'
import { TUS_PATH } from '../../features/avatars/avatars.policy.ts'
import type { Services } from '../../http/services.ts'
import { LineFailure, type ParentLine, refusalIn } from '../line/parent-line.ts'
import type { Content, NamedFile } from './named.ts'

/** `offset`: how many bytes the parent has; null where nothing was begun. */
type Offered = { file: NamedFile; ticket: string; content: Content; upload: string; offset: number | null }

/** Sends a file to the parent by tus, from where an earlier try broke off. Throws `LineFailure`: the line broke, or the parent refused. */
export async function giveToParent(
  { files }: Pick<Services, 'files'>,
  line: ParentLine,
  { file, ticket, content, upload, offset }: Offered,
  signal: AbortSignal,
): Promise<void> {
  const { size } = content
  const ask = async (method: string, path: string, headers: Record<string, string>, body?: Uint8Array) => {
    const all = { ...headers, authorization: `Bearer ${ticket}`, 'tus-resumable': '1.0.0' }
    const response = await line.carryPlain(path, { method, headers: all, signal, ...(body && { body }) })
    if (!response.ok) throw refusalIn(response, await response.json().catch(() => ({})))
    await response.body?.cancel()
    return Number(response.headers.get('upload-offset') ?? Number.NaN)
  }
  let sent = offset
  if (sent === null) {
    const first = await pieceAt(files, file, 0, size)
    sent = await ask('POST', TUS_PATH, { ...asBytes(first), 'upload-length': String(size) }, first)
  }
  while (sent < size) {
    const piece = await pieceAt(files, file, sent, size)
    const now = await ask('PATCH', `${TUS_PATH}/${upload}`, { ...asBytes(piece), 'upload-offset': String(sent) }, piece)
    if (!(now > sent)) throw new LineFailure('line', 'The other server did not take the piece.')
    sent = now
  }
  if (Number.isNaN(sent)) throw new LineFailure('line', 'The other server did not say how much has come.')
}

const asBytes = ({ length }: Uint8Array) => ({ 'content-type': 'application/offset+octet-stream', 'content-length': String(length) })

async function pieceAt(files: Services['files'], { bucket, path }: NamedFile, at: number, size: number): Promise<Uint8Array> {
  const last = Math.min(at + limits.sync.files.chunkBytes, size) - 1
  const opened = last >= at ? await files.open(bucket, path, { first: at, last }) : null
  const pieces: Uint8Array[] = []
  for await (const piece of opened?.body ?? []) pieces.push(piece as Uint8Array)
  return Buffer.concat(pieces)
}
