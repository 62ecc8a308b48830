import { Readable } from 'node:stream'
import { limits } from '@markbook/shared/limits'
import { LineFailure, type ParentLine, refusalIn } from '../line/parent-line.ts'
import { type Content, FILE_CONTENT, type NamedFile } from './named.ts'
import { type Carrying, land, stagedBytes, stagedId, storeStaged } from './store-file.ts'

type Wanted = { id: string; file: NamedFile; ticket: string; content: Content }

/**
 * Downloads a file from the parent, from where an earlier try broke off, and stores it once it is complete and what the row names. Throws
 * `LineFailure` where the line broke, and what came is kept, or where the parent refused; `sync.wrong_content`; 507 `storage_full`.
 */
export async function takeFromParent(
  services: Carrying,
  { line, peerId }: { line: ParentLine; peerId: string },
  { id: row, file, ticket, content }: Wanted,
  signal: AbortSignal,
): Promise<void> {
  const ask = (offset: number) => askFrom(line, ticket, offset, content.size, signal)
  if (content.size <= limits.sync.files.chunkBytes) return land(services, file, await wholeOf(await ask(0), content), content)
  const { uploads } = services
  const id = stagedId('down', peerId, row, content)
  let offset = await stagedBytes(services, id, content)
  if (offset === null) {
    await uploads.requireSpace(content.size)
    await begin(services, id, content)
    offset = 0
  }
  if (offset < content.size) {
    const heard = await ask(offset)
    offset = await (await uploads.store()).write(heard.stream(), id, offset)
    if (offset < content.size) throw new LineFailure('line', heard.why)
  }
  await storeStaged(services, id, file, content)
}

async function askFrom(line: ParentLine, ticket: string, offset: number, size: number, signal: AbortSignal): Promise<Heard> {
  const headers = { authorization: `Bearer ${ticket}`, ...(offset > 0 && { range: `bytes=${offset}-` }) }
  const response = await line.carryPlain(FILE_CONTENT, { method: 'GET', headers, signal })
  if (!response.ok) throw refusalIn(response, await response.json().catch(() => ({})))
  if (offset > 0 && response.status !== 206) throw new LineFailure('line', 'The other server does not go on from where it broke off.')
  return new Heard(response, size - offset)
}

/** A small file is read into memory, and does not wait in pieces. */
async function wholeOf(heard: Heard, { size }: Content): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of heard.stream()) pieces.push(piece as Uint8Array)
  const bytes = Buffer.concat(pieces)
  if (bytes.length < size) throw new LineFailure('line', heard.why)
  return bytes
}

async function begin({ uploads }: Carrying, id: string, { size }: Content): Promise<void> {
  const { Upload } = await import('@tus/server')
  await uploads.remove(id)
  await (await uploads.store()).create(new Upload({ id, size, offset: 0 }))
}

/** A body as far as it comes before the line breaks, or is silent for too long: all of that is kept. */
class Heard {
  why = 'The file broke off.'

  constructor(
    private readonly response: Response,
    private readonly bytes: number,
  ) {}

  stream(): Readable {
    return Readable.from(this.pieces(), { objectMode: false })
  }

  private async *pieces(): AsyncGenerator<Uint8Array> {
    const reader = this.response.body?.getReader()
    let left = this.bytes
    try {
      while (reader && left > 0) {
        const { done, value } = await inTime(reader.read())
        if (done) break
        const piece = value.subarray(0, left)
        left -= piece.length
        yield piece
      }
    } catch (error) {
      this.why = error instanceof Error ? error.message : String(error)
    } finally {
      await reader?.cancel().catch(() => {})
    }
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The line was silent for too long.')), limits.connection.stallTimeoutMs).unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
