import { common } from '@markbook/shared/failures'
import type { Hono } from 'hono'
import { PUBLIC_IMAGES } from '../../files/image-address.ts'
import { lazily } from '../../files/lazily.ts'
import { readUploadToken, TUS_PATH } from '../../files/upload-tokens.ts'
import type { AppEnv } from '../../http/mount.ts'
import { checkOrigin, preflight } from '../../http/origins.ts'
import { type HeaderList, jsonReply } from '../../http/replies.ts'
import { sendFile } from '../../http/send-file.ts'
import type { Services } from '../../http/services.ts'
import { asSystem } from '../../store/tx.ts'
import { keepIncoming, SIGNED_PATH } from '../avatars/avatars.policy.ts'
import { publicObjectAt } from './storage.queries.ts'
import { claimsOf, tusServer } from './tus.ts'

const TUS_HEADERS =
  'authorization, content-type, tus-resumable, upload-length, upload-defer-length, upload-metadata, upload-offset, upload-checksum, ' +
  'x-http-method-override, x-requested-with, x-request-id, x-upsert'

/** The routes of the storage, outside of the contract (decisions §6): public pictures, and uploads. */
export function serveStorage(app: Hono<AppEnv>, services: Services): void {
  app.get(`${PUBLIC_IMAGES}*`, (c) => {
    c.set('route', `${PUBLIC_IMAGES}*`)
    return publicImage(services, c.req.raw, c.get('replyHeaders'))
  })
  app.put(`${SIGNED_PATH}*`, (c) => {
    c.set('route', `${SIGNED_PATH}*`)
    return signedUpload(services, c.req.raw, c.get('replyHeaders'))
  })
  const tus = lazily(() => tusServer(services))
  const resumable = async (request: Request, headers: HeaderList) => {
    headers.push(...checkOrigin(request, services.config))
    if (request.method !== 'OPTIONS') claimsOf(request, services)
    const response = await (await tus())(request)
    for (const [name, value] of [...headers, ...SAFE]) if (!response.headers.has(name)) response.headers.set(name, value)
    return response
  }
  // HEAD arrives as GET. GET itself is refused: uploads cannot be read here.
  app.on(['POST', 'GET', 'PATCH', 'DELETE', 'OPTIONS'], [TUS_PATH, `${TUS_PATH}/:id`], (c, next) => {
    const { method } = c.req.raw
    if (method === 'GET' || (method === 'OPTIONS' && c.req.header('access-control-request-method'))) return next()
    c.set('route', TUS_PATH)
    return resumable(c.req.raw, c.get('replyHeaders'))
  })
  app.options('/storage/*', (c) => preflight(checkOrigin(c.req.raw, services.config), TUS_HEADERS))
}

const SAFE: HeaderList = [
  ['x-content-type-options', 'nosniff'],
  ['cache-control', 'no-store'],
]

/** The path behind a prefix, undecoded: a path with escapes matches nothing. */
const restOf = (request: Request, prefix: string): string => new URL(request.url).pathname.slice(prefix.length)

/** The row decides which content a path has, so that a picture changes atomically, and an object without a row is not served. */
async function publicImage(services: Services, request: Request, headers: HeaderList): Promise<Response> {
  const path = restOf(request, PUBLIC_IMAGES)
  const found = await services.store.read(asSystem(), (tx) => publicObjectAt(tx, path, services.keys.image))
  if (!found) throw common.noSuchPath()
  headers.push(
    ...checkOrigin(request, services.config),
    ['cross-origin-resource-policy', 'cross-origin'],
    ['content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'"],
  )
  return sendFile(
    { files: services.files, request, status: 200, headers },
    {
      stored: { bucket: 'images', path: found.path },
      filename: path.split('/').at(-1) ?? 'image',
      inline: true,
      // Private for people, so that no proxy serves a picture that was removed.
      cacheControl: found.isOfPerson ? 'private, max-age=3600' : 'public, max-age=3600',
      missing: common.noSuchPath(),
    },
  )
}

/** A whole picture in one PUT, to the URL that was issued for it. */
async function signedUpload(services: Services, request: Request, headers: HeaderList): Promise<Response> {
  headers.push(...checkOrigin(request, services.config))
  const token = new URL(request.url).searchParams.get('token') ?? ''
  const claims = readUploadToken(token, services.keys.upload, services.clock.now())
  if (!claims || claims.path !== restOf(request, SIGNED_PATH))
    throw common.unauthenticated({ message: 'This address was not issued for this upload, or its time is over. Please begin again.' })
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== claims.type) throw common.wrongType({ message: `This upload was issued for the type ${claims.type}.` })
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > claims.size) throw common.tooLarge({ message: `This upload was issued for ${claims.size} bytes.` })
  await keepIncoming(services, claims, (request.body ?? []) as AsyncIterable<Uint8Array>)
  return jsonReply(201, { path: claims.path }, headers)
}
