import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Upload } from '@tus/server'
import { isOfNode, type NodeFileClaims, readAnyToken, TUS_PATH, type UploadClaims } from '../../files/upload-tokens.ts'
import type { Services } from '../../http/services.ts'
import { fileOfTicket, takeFile } from '../../replication/files/serve.ts'
import { count, countOf, forget } from '../../store/attempts.ts'
import { asSystem } from '../../store/tx.ts'
import { keepIncoming } from '../avatars/avatars.policy.ts'

/** The claims of the token that a request sends. Throws 401 without a token, for one of another server, and for one that has expired. */
export function claimsOf({ headers }: { headers: Headers }, { keys, clock }: Services): UploadClaims | NodeFileClaims {
  const [, token = ''] = /^Bearer ([\w.-]+)$/i.exec(headers.get('authorization') ?? '') ?? []
  const claims = readAnyToken(token, keys.upload, clock.now())
  if (!claims || (isOfNode(claims) && !claims.give))
    throw common.unauthenticated({ message: 'This upload was not issued by this server, or its time is over. Please begin again.' })
  return claims
}

/** Checks that the upload has the size, type and place of its token. */
function checkIssued(claims: UploadClaims | NodeFileClaims, upload: Upload): void {
  const { size } = claims
  // For an upload of another node, the row states type and place.
  if (!isOfNode(claims)) checkPlace(claims, upload)
  if (upload.size === undefined || upload.size < size)
    throw common.validationFailed({ issues: [{ path: 'Upload-Length', message: `must be ${size}, as it was issued` }] })
}

function checkPlace({ path, type }: UploadClaims, { metadata }: Upload): void {
  const { bucketName, objectName, contentType } = metadata ?? {}
  if (contentType !== type) throw common.wrongType({ message: `This upload was issued for the type ${type}.` })
  if (bucketName !== 'images' || objectName !== path) throw common.forbidden({ message: 'This upload was issued for another place.' })
}

/** Records that an upload's bytes were stored, so that they do not later overwrite those of another upload. */
const noteOf = (id: string) => `uploaded:${id}`

async function deliver(services: Services, claims: UploadClaims | NodeFileClaims): Promise<void> {
  if (isOfNode(claims)) return takeFile(services, claims)
  const { store, uploads } = services
  if ((await store.read(asSystem(), (tx) => countOf(tx, noteOf(claims.id)))) > 0) return
  await keepIncoming(services, claims, await uploads.read(claims.id))
  await store.write(asSystem(), (tx) => count(tx, noteOf(claims.id), limits.storage.orphanAgeMs))
}

const ONE_UPLOAD = 'An upload is one file here, whose size is said at the beginning and whose pieces come one after another.'

/**
 * Resumable uploads with the tus protocol, version 1.0.0 (docs/design/files.md). A token permits only the upload for which it was issued.
 */
export async function tusServer(services: Services): Promise<(request: Request) => Promise<Response>> {
  const { Server } = await import('@tus/server')
  /** Failures of this server, which get the usual reply. */
  const failed = new WeakMap<object, Failure>()
  const server = new Server({
    path: TUS_PATH,
    datastore: await services.uploads.store(),
    relativeLocation: true,
    allowedOrigins: () => false,
    maxSize: (request, id) => {
      // A request for the server's capabilities needs no token.
      const claims = request.method === 'OPTIONS' ? null : claimsOf(request, services)
      return claims && (id !== null || isOfNode(claims)) ? claims.size : limits.image.bytes
    },
    namingFunction: (request) => claimsOf(request, services).id,
    getFileIdFromRequest: (request, id) => (id === claimsOf(request, services).id ? id : undefined),
    onUploadCreate: async (request, upload) => {
      const claims = claimsOf(request, services)
      checkIssued(claims, upload)
      await services.uploads.requireSpace(claims.size)
      await services.store.write(asSystem(), (tx) => forget(tx, noteOf(claims.id)))
      return {}
    },
    onUploadFinish: async (request) => {
      await deliver(services, claimsOf(request, services))
      return {}
    },
    onResponseError: (request, error) => {
      if (error instanceof Failure) failed.set(request, error)
      // An unsupported part of the protocol (501 of the library) is a fault of the request, not of the server.
      else if ('status_code' in error && error.status_code === 501) failed.set(request, common.validationFailed({ message: ONE_UPLOAD }))
      return undefined
    },
  })
  return async (input) => {
    const claims = input.method === 'OPTIONS' ? null : claimsOf(input, services)
    const isNode = claims !== null && isOfNode(claims)
    if (isNode) await fileOfTicket(services, claims)
    const request = isNode && input.body ? await withWhatComes(input) : input
    if (claims && request.method === 'HEAD') await deliverFinished(services, claims)
    const response = await server.handleWeb(request)
    const failure = failed.get(request)
    if (failure) throw failure
    return response
  }
}

/**
 * A piece from another node, buffered until it is complete or the connection breaks: an S3 would lose the upload so far if a piece broke
 * off during its write.
 */
async function withWhatComes(request: Request): Promise<Request> {
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
      size += piece.length
      if (size > limits.resumable.chunkBytes) throw common.tooLarge()
      pieces.push(piece)
    }
  } catch (error) {
    if (error instanceof Failure) throw error
  }
  const headers = new Headers(request.headers)
  headers.set('content-length', String(size))
  return new Request(request.url, { method: request.method, headers, body: Buffer.concat(pieces) })
}

/** After a crash behind the last byte, the client learns by HEAD that everything has arrived, and sends nothing more. */
async function deliverFinished(services: Services, claims: UploadClaims | NodeFileClaims): Promise<void> {
  const store = await services.uploads.store()
  const upload = await store.getUpload(claims.id).catch(() => null)
  if (upload && upload.offset === upload.size) await deliver(services, claims)
}
