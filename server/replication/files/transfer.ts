import { Readable } from 'node:stream'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { FileAnswer } from '@markbook/sync/protocol/files'
import { TUS_PATH } from '../../files/upload-tokens.ts'
import { keyOf } from '../../store/replica/links.ts'
import { asSystem } from '../../store/tx.ts'
import { peerById } from '../identity/enrolment.ts'
import { LineFailure, type ParentLine, refusalIn } from '../line/parent-line.ts'
import { type Content, FILE_CONTENT, isContentOf, mostBytes, type NamedFile } from './named.ts'
import { enqueueFiles, type Later, postpone, type Queued, queuedOf, settle } from './queue.ts'
import { bytesOf, type Carrying, eachOf, heldOf, LOOKUPS_AT_ONCE, land, stagedBytes, stagedId, storeStaged } from './store-file.ts'

/** A file that is to be carried, and what this node has of it. */
type Item = Queued & { file: NamedFile; held: Content | null }

/** After so many failures in a row it is the line that is broken. */
const BROKEN = 3

/** Between which node and which of its parents. */
export type Transfer = { services: Carrying; peerId: string; line: ParentLine }

/**
 * Carries every file that is due between this node and one parent, after the rows that name them (SPEC, «Files»). The queue is in the
 * database; a file that fails holds up no other. Throws `LineFailure` where the line or the session is gone, 507 where the disk is full.
 */
export async function transferFiles(transfer: Transfer, signal: AbortSignal = new AbortController().signal): Promise<void> {
  await enqueueFiles(transfer.services, transfer.peerId)
  for (let due = await dueItems(transfer); due.length > 0 && !signal.aborted; due = await dueItems(transfer))
    await carry(transfer, due, signal)
}

/** The files that are due, as they are at this moment. */
async function dueItems(transfer: Transfer): Promise<Item[]> {
  const { services, peerId } = transfer
  const { store, files } = services
  const queued = await store.read(asSystem(), async (tx) => {
    const peer = await peerById(tx, peerId)
    if (!peer) throw new LineFailure('line', 'The parent is no longer known.')
    return queuedOf(tx, peer, { dueOnly: true, limit: limits.sync.files.perQuery })
  })
  const items: Item[] = []
  const over: Queued[] = []
  await eachOf(queued, LOOKUPS_AT_ONCE, async (row) => {
    const { file } = row
    if (file && (file.size ?? 0) <= mostBytes(file)) items.push({ ...row, file, held: await heldOf({ files }, file) })
    else over.push(row)
  })
  if (over.length > 0) await store.write(asSystem(), (tx) => settle(tx, peerId, over))
  return items.length > 0 || over.length === 0 ? items : dueItems(transfer)
}

async function carry(transfer: Transfer, items: readonly Item[], signal: AbortSignal): Promise<void> {
  const { line } = transfer
  if (!line.isGreeted) throw new LineFailure('line', 'The other server has not been greeted yet.')
  const asked = items.map(({ table, id, held }) => ({ table, id, held }))
  const { files: answers } = await line.files({ files: asked }, signal)
  const byKey = new Map(answers.map((answer) => [keyOf(answer), answer]))
  const answered = items.map((item) => ({ item, answer: byKey.get(keyOf(item)) }))
  const moving = answered.filter(({ answer }) => answer?.outcome === 'take' || answer?.outcome === 'give')
  const still = answered.filter((each) => !moving.includes(each))
  await note(
    transfer,
    still.filter(({ answer }) => answer?.outcome === 'here').map(({ item }) => item),
    still
      .filter(({ answer }) => answer?.outcome !== 'here')
      .map(({ item, answer }) => later(item, `sync.file_${answer?.outcome ?? 'unknown'}`)),
  )
  let broken = 0
  const mistakes: unknown[] = []
  await eachOf(moving, limits.sync.files.concurrent, async ({ item, answer }) => {
    if (broken >= BROKEN || mistakes.length > 0 || signal.aborted) return
    try {
      await move(transfer, item, answer as FileAnswer, signal)
      broken = 0
      await note(transfer, [item], [])
    } catch (error) {
      const reason = reasonOf(error)
      if (reason === 'line') broken += 1
      if (reason === MISTAKE) mistakes.push(error)
      await note(transfer, [], [later(item, reason)])
    }
  })
  if (mistakes.length > 0) throw mistakes[0]
  if (broken >= BROKEN) throw new LineFailure('line', 'No file gets through at the moment.')
}

async function move(
  transfer: Transfer,
  item: Item,
  { outcome, ticket, content, upload, offset }: FileAnswer,
  signal: AbortSignal,
): Promise<void> {
  const { file, held, id } = item
  if (ticket === null) throw new LineFailure('line', 'The answer lacks something.')
  if (outcome === 'give' && held && upload !== null) return giveToParent(transfer, { file, ticket, content: held, upload, offset }, signal)
  if (outcome !== 'take' || !content || !isContentOf(file, content)) throw new LineFailure('sync.wrong_content', 'It offers another file.')
  await takeFromParent(transfer, { id, file, ticket, content }, signal)
}

async function note({ services, peerId }: Transfer, done: readonly Queued[], tried: readonly Later[]): Promise<void> {
  if (done.length + tried.length === 0) return
  await services.store.write(asSystem(), async (tx) => {
    await settle(tx, peerId, done)
    await postpone(tx, peerId, tried)
  })
}

const later = ({ table, id, tries, held }: Item, reason: string): Later => ({ table, id, tries, reason, direction: held ? 'up' : 'down' })

/** A full disk, an unreachable storage or an unforeseen error: it stops all transfers for now, and is logged. */
const MISTAKE = 'mistake'
function reasonOf(error: unknown): string {
  if (error instanceof LineFailure) return error.code
  return error instanceof Failure && error.status < 500 ? error.code : MISTAKE
}

/** `offset`: how many bytes the parent has; null where nothing was begun. */
type Offered = { file: NamedFile; ticket: string; content: Content; upload: string; offset: number | null }

/** Sends a file to the parent by tus, from where an earlier try broke off. Throws `LineFailure`: the line broke, or the parent refused. */
async function giveToParent(
  { services: { files }, line }: Transfer,
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

async function pieceAt(files: Carrying['files'], { bucket, path }: NamedFile, at: number, size: number): Promise<Uint8Array> {
  const last = Math.min(at + limits.sync.files.chunkBytes, size) - 1
  const opened = last >= at ? await files.open(bucket, path, { first: at, last }) : null
  return bytesOf(opened?.body)
}

type Wanted = { id: string; file: NamedFile; ticket: string; content: Content }

/**
 * Downloads a file from the parent, from where an earlier try broke off, and stores it once it is complete and what the row names. Throws
 * `LineFailure` where the line broke, and what came is kept, or where the parent refused; `sync.wrong_content`; 507 `storage_full`.
 */
async function takeFromParent(
  { services, line, peerId }: Transfer,
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
  const bytes = await bytesOf(heard.stream())
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
