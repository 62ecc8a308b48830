import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { FileAnswer, FileAnswers, FileAsk } from '@markbook/sync/protocol/files'
import { isOfNode, type NodeFileClaims, readAnyToken, signToken } from '../../files/upload-tokens.ts'
import { sendFile } from '../../http/send-file.ts'
import type { Services } from '../../http/services.ts'
import type { Peer } from '../../store/peer-row.ts'
import { keyOf } from '../../store/replica/links.ts'
import { asSystem } from '../../store/tx.ts'
import { peerById, syncFailures } from '../identity/enrolment.ts'
import { isToBeWiped } from '../identity/wipe.ts'
import { type Content, fileFailures, filesInScope, isContentOf, type NamedFile } from './named.ts'
import { hurry } from './queue.ts'
import { eachOf, heldOf, LOOKUPS_AT_ONCE, stagedBytes, stagedId, storeStaged } from './store-file.ts'

type FileRequest = FileAsk['files'][number]

const NOTHING = { ticket: null, content: null, upload: null, offset: null }

/** Answers for each file whether the child may take it, or should give it (SPEC, «Files»). */
export async function answerFiles(services: Services, peer: Peer, { files }: FileAsk): Promise<FileAnswers> {
  if (files.length > limits.sync.files.perQuery) throw syncFailures.tooLarge()
  const named = await services.store.read(asSystem(), (tx) => filesInScope(tx, peer, files))
  const answers = new Map<string, FileAnswer>()
  await eachOf(files, LOOKUPS_AT_ONCE, async (asked) => {
    const { table, id } = asked
    const file = named.get(keyOf(asked))
    const answer: Answer = file ? await answerTo(services, peer, asked, file).catch(notNow(services)) : { outcome: 'unknown' }
    answers.set(keyOf(asked), { table, id, ...NOTHING, ...answer })
  })
  return { files: files.map((asked) => answers.get(keyOf(asked)) as FileAnswer) }
}

type Answer = Partial<FileAnswer> & Pick<FileAnswer, 'outcome'>

/** A full disk or an unreachable storage concerns one file at a time. */
const notNow =
  ({ log }: Services) =>
  (error: unknown): Answer => {
    log.warn({ err: error }, 'a file of another node could not be looked up')
    return { outcome: 'away' }
  }

async function answerTo(services: Services, peer: Peer, asked: FileRequest, file: NamedFile): Promise<Answer> {
  if (asked.held === null) {
    const content = await heldOf(services, file)
    if (!content) return { outcome: 'away' }
    return { outcome: 'take', content, ticket: ticketFor(services, peer, asked, content, false).token }
  }
  if (!isContentOf(file, asked.held)) return { outcome: 'refused' }
  if (await heldOf(services, file)) return { outcome: 'here' }
  const { id, token } = ticketFor(services, peer, asked, asked.held, true)
  const offset = await stagedBytes(services, id, asked.held)
  // All bytes had come, and the reply was lost, or this node was stopped just then.
  if (offset === asked.held.size && (await lands(services, id, file, asked.held))) return { outcome: 'here' }
  return { outcome: 'give', upload: id, ticket: token, offset: offset === asked.held.size ? null : offset }
}

const lands = (services: Services, id: string, file: NamedFile, content: Content): Promise<boolean> =>
  storeStaged(services, id, file, content).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Failure) || error.status >= 500) throw error
      return false
    },
  )

function ticketFor({ keys, clock }: Services, peer: Peer, { table, id: row }: FileRequest, content: Content, give: boolean) {
  const id = stagedId(give ? 'up' : 'down', peer.id, row, content)
  const until = clock.now() + limits.resumable.lifetimeMs
  return { id, token: signToken({ id, peer: peer.id, table, row, give, ...content, until }, keys.upload) }
}

/**
 * The file of a ticket. Throws `sync.no_such_file` where the node may no longer have it: revocation and lost rights count from the next
 * request.
 */
export async function fileOfTicket({ store }: Pick<Services, 'store'>, { peer: id, table, row, give }: NodeFileClaims): Promise<NamedFile> {
  const file = await store.read(asSystem(), async (tx) => {
    const peer = await peerById(tx, id)
    if (!peer || peer.revoked_at || (!give && isToBeWiped(peer))) return undefined
    return (await filesInScope(tx, peer, [{ table, id: row }])).get(keyOf({ table, id: row }))
  })
  if (!file) throw fileFailures.noSuchFile()
  return file
}

/** Sends a file, or the part of it that a child still lacks. */
export async function giveFile(services: Services, request: Request): Promise<Response> {
  const { keys, clock, files } = services
  const [, token = ''] = /^Bearer ([\w.-]+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  const ticket = readAnyToken(token, keys.upload, clock.now())
  if (!ticket || !isOfNode(ticket) || ticket.give) throw common.unauthenticated()
  const { bucket, path, sha256 } = await fileOfTicket(services, ticket)
  if (sha256 !== null && sha256 !== ticket.sha256) throw fileFailures.noSuchFile()
  const missing = fileFailures.fileAway()
  return sendFile({ files, request, status: 200, headers: [] }, { stored: { bucket, path }, filename: 'file', missing })
}

/** Stores a file that a child has uploaded completely. */
export async function takeFile(services: Services, ticket: NodeFileClaims): Promise<void> {
  const { id, table, row, sha256, size } = ticket
  const file = await fileOfTicket(services, ticket)
  if (!isContentOf(file, { sha256, size })) throw fileFailures.noSuchFile()
  await storeStaged(services, id, file, { sha256, size })
  // A parent of this node may be waiting for it, too.
  await services.store.write(asSystem(), (tx) => hurry(tx, { table, id: row }))
  services.replication?.carryFiles()
}
