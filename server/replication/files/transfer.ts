import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { FileAnswer } from '@markbook/sync/protocol/files'
import { asSystem } from '../../store/tx.ts'
import { peerById } from '../identity/enrolment.ts'
import { LineFailure, type ParentLine } from '../line/parent-line.ts'
import { enqueueFiles, LOOKUPS_AT_ONCE } from './enqueue.ts'
import { giveToParent } from './give.ts'
import { type Content, isContentOf, mostBytes, type NamedFile } from './named.ts'
import { type Later, postpone, type Queued, queuedOf, settle } from './queue.ts'
import { type Carrying, eachOf, heldOf } from './store-file.ts'
import { takeFromParent } from './take.ts'

type Peer = Row<'sync_peer'>
/** A file that is to be carried, and what this node has of it. */
type Item = Queued & { file: NamedFile; held: Content | null }

/** After so many failures in a row it is the line that is broken. */
const BROKEN = 3

/**
 * Carries files between this node and one parent, after the rows that name them (SPEC, «Files»). The queue is in the database; a file that
 * fails holds up no other.
 */
export class FileTransfer {
  private readonly services: Carrying
  private readonly peerId: string
  private readonly line: ParentLine

  constructor(services: Carrying, peerId: string, line: ParentLine) {
    this.services = services
    this.peerId = peerId
    this.line = line
  }

  /** Carries everything that is due. Throws `LineFailure` where the line or the session is gone, 507 where the disk is full. */
  async run(signal: AbortSignal = new AbortController().signal): Promise<void> {
    await enqueueFiles(this.services, this.peerId)
    for (let due = await this.due(); due.length > 0 && !signal.aborted; due = await this.due()) await this.carry(due, signal)
  }

  private readonly peer = async (tx: Parameters<typeof peerById>[0]): Promise<Peer> => {
    const peer = await peerById(tx, this.peerId)
    if (!peer) throw new LineFailure('line', 'The parent is no longer known.')
    return peer
  }

  /** The files that are due, as they are at this moment. */
  private async due(): Promise<Item[]> {
    const { store, files } = this.services
    const queued = await store.read(asSystem(), async (tx) =>
      queuedOf(tx, await this.peer(tx), { dueOnly: true, limit: limits.sync.files.perQuery }),
    )
    const items: Item[] = []
    const over: Queued[] = []
    await eachOf(queued, LOOKUPS_AT_ONCE, async (row) => {
      const { file } = row
      if (file && (file.size ?? 0) <= mostBytes(file)) items.push({ ...row, file, held: await heldOf({ files }, file) })
      else over.push(row)
    })
    if (over.length > 0) await store.write(asSystem(), (tx) => settle(tx, this.peerId, over))
    return items.length > 0 || over.length === 0 ? items : this.due()
  }

  private async carry(items: readonly Item[], signal: AbortSignal): Promise<void> {
    if (!this.line.isGreeted) throw new LineFailure('line', 'The other server has not been greeted yet.')
    const asked = items.map(({ table, id, held }) => ({ table, id, held }))
    const { files: answers } = await this.line.files({ files: asked }, signal)
    const byKey = new Map(answers.map((answer) => [`${answer.table} ${answer.id}`, answer]))
    const answered = items.map((item) => ({ item, answer: byKey.get(`${item.table} ${item.id}`) }))
    const moving = answered.filter(({ answer }) => answer?.outcome === 'take' || answer?.outcome === 'give')
    const still = answered.filter((each) => !moving.includes(each))
    await this.note(
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
        await this.move(item, answer as FileAnswer, signal)
        broken = 0
        await this.note([item], [])
      } catch (error) {
        const reason = reasonOf(error)
        if (reason === 'line') broken += 1
        if (reason === MISTAKE) mistakes.push(error)
        await this.note([], [later(item, reason)])
      }
    })
    if (mistakes.length > 0) throw mistakes[0]
    if (broken >= BROKEN) throw new LineFailure('line', 'No file gets through at the moment.')
  }

  private async move(item: Item, { outcome, ticket, content, upload, offset }: FileAnswer, signal: AbortSignal): Promise<void> {
    const { file, held, id } = item
    if (ticket === null) throw new LineFailure('line', 'The answer lacks something.')
    if (outcome === 'give' && held && upload !== null)
      return giveToParent(this.services, this.line, { file, ticket, content: held, upload, offset }, signal)
    if (outcome !== 'take' || !content || !isContentOf(file, content))
      throw new LineFailure('sync.wrong_content', 'It offers another file.')
    await takeFromParent(this.services, { line: this.line, peerId: this.peerId }, { id, file, ticket, content }, signal)
  }

  private async note(done: readonly Queued[], tried: readonly Later[]): Promise<void> {
    if (done.length + tried.length === 0) return
    await this.services.store.write(asSystem(), async (tx) => {
      await settle(tx, this.peerId, done)
      await postpone(tx, this.peerId, tried)
    })
  }
}

const later = ({ table, id, tries, held }: Item, reason: string): Later => ({ table, id, tries, reason, direction: held ? 'up' : 'down' })

/** A full disk, an unreachable storage or an unforeseen error: it stops all transfers for now, and is logged. */
const MISTAKE = 'mistake'
function reasonOf(error: unknown): string {
  if (error instanceof LineFailure) return error.code
  return error instanceof Failure && error.status < 500 ? error.code : MISTAKE
}
