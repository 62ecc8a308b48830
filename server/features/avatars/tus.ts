import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Upload } from '@tus/server'
import { isOfNode, type NodeTicket, readAnyTicket, type Ticket } from '../../files/tickets.ts'
import type { Services } from '../../http/services.ts'
import { fileOfTicket, takeFile } from '../../peers/files/serve.ts'
import { asSystem } from '../../store/tx.ts'
import { count, countOf, forget } from '../auth/attempts.ts'
import { keepIncoming } from './incoming.ts'
import { TUS_PATH } from './issue.ts'

type Asks = { headers: Headers }

/** The ticket that a request brings along. Throws 401 for none, for one that is not ours, and for one whose time is over. */
export function ticketOf({ headers }: Asks, { keys, clock }: Services): Ticket | NodeTicket {
  const [, token = ''] = /^Bearer ([\w.-]+)$/i.exec(headers.get('authorization') ?? '') ?? []
  const ticket = readAnyTicket(token, keys.upload, clock.now())
  if (!ticket || (isOfNode(ticket) && !ticket.give))
    throw common.unauthenticated({ message: 'This upload was not issued by this server, or its time is over. Please begin again.' })
  return ticket
}

/** The upload is the one that was issued: its size, type and place. */
function checkIssued(ticket: Ticket | NodeTicket, upload: Upload): void {
  const { size } = ticket
  // Of what another node gives, its row says type and place.
  if (!isOfNode(ticket)) checkPlace(ticket, upload)
  if (upload.size === undefined || upload.size < size)
    throw common.validationFailed({ issues: [{ path: 'Upload-Length', message: `must be ${size}, as it was issued` }] })
}

function checkPlace({ path, type }: Ticket, { metadata }: Upload): void {
  const { bucketName, objectName, contentType } = metadata ?? {}
  if (contentType !== type) throw common.wrongType({ message: `This upload was issued for the type ${type}.` })
  if (bucketName !== 'images' || objectName !== path) throw common.forbidden({ message: 'This upload was issued for another place.' })
}

/** That the bytes of an upload were kept is noted, so that they are not kept again over those of a later one. */
const noteOf = (id: string) => `uploaded:${id}`

async function deliver(services: Services, ticket: Ticket | NodeTicket): Promise<void> {
  if (isOfNode(ticket)) return takeFile(services, ticket)
  const { store, uploads } = services
  if ((await store.read(asSystem(), (tx) => countOf(tx, noteOf(ticket.id)))) > 0) return
  await keepIncoming(services, ticket, await uploads.read(ticket.id))
  await store.write(asSystem(), (tx) => count(tx, noteOf(ticket.id), limits.storage.orphan))
}

/** Resumable uploads by the tus protocol, version 1.0.0 (decision 254). A ticket opens the one upload that it was issued for. */
export async function tusServer(services: Services): Promise<(request: Request) => Promise<Response>> {
  const { Server } = await import('@tus/server')
  /** Failures of ours, which are answered as everywhere else. */
  const failed = new WeakMap<object, Failure>()
  const server = new Server({
    path: TUS_PATH,
    datastore: await services.uploads.store(),
    relativeLocation: true,
    allowedOrigins: () => false,
    maxSize: (request, id) => {
      // What the server can at all is asked without a ticket.
      const ticket = request.method === 'OPTIONS' ? null : ticketOf(request, services)
      return ticket && (id !== null || isOfNode(ticket)) ? ticket.size : limits.image.bytes
    },
    namingFunction: (request) => ticketOf(request, services).id,
    getFileIdFromRequest: (request, id) => (id === ticketOf(request, services).id ? id : undefined),
    onUploadCreate: async (request, upload) => {
      const ticket = ticketOf(request, services)
      checkIssued(ticket, upload)
      await services.uploads.needRoom(ticket.size)
      await services.store.write(asSystem(), (tx) => forget(tx, noteOf(ticket.id)))
      return {}
    },
    onUploadFinish: async (request) => {
      await deliver(services, ticketOf(request, services))
      return {}
    },
    onResponseError: (request, error) => {
      if (error instanceof Failure) failed.set(request, error)
      return undefined
    },
  })
  return async (asked) => {
    const ticket = asked.method === 'OPTIONS' ? null : ticketOf(asked, services)
    const isNode = ticket !== null && isOfNode(ticket)
    if (isNode) await fileOfTicket(services, ticket)
    const request = isNode && asked.body ? await withWhatComes(asked) : asked
    if (ticket && request.method === 'HEAD') await deliverFinished(services, ticket)
    const response = await server.handleWeb(request)
    const failure = failed.get(request)
    if (failure) throw failure
    return response
  }
}

/**
 * A piece from another node, once all of it has come, or the line has broken: an S3 would lose what it has of an upload where a piece
 * breaks off while it is written.
 */
async function withWhatComes(request: Request): Promise<Request> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
      size += piece.length
      if (size > limits.resumable.chunk) throw common.tooLarge()
      pieces.push(piece)
    }
  } catch (error) {
    if (error instanceof Failure) throw error
  }
  const headers = new Headers(request.headers)
  headers.set('content-length', String(size))
  return new Request(request.url, { method: request.method, headers, body: Buffer.concat(pieces) })
}

/** A kill after the last byte: the client learns by HEAD that all has come, and sends nothing more. */
async function deliverFinished(services: Services, ticket: Ticket | NodeTicket): Promise<void> {
  const store = await services.uploads.store()
  const upload = await store.getUpload(ticket.id).catch(() => null)
  if (upload && upload.offset === upload.size) await deliver(services, ticket)
}
