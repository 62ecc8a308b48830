import { createHash, createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { signatureOf, signedText, withSignature } from '../store/encryption.ts'

const USES = ['access', 'refresh', 'otp', 'seal', 'upload', 'image', 'peers', 'setup', 'cache', 'passkey'] as const
/** Keys for the different uses of the one secret, so that a value made for one use is invalid for another. */
export type Keys = Record<(typeof USES)[number], Buffer>
export const keysOf = (secret: string): Keys =>
  Object.fromEntries(USES.map((use) => [use, createHmac('sha256', secret).update(`markbook:${use}`).digest()])) as Keys

/** Claims of an access token: user, session, times in seconds since 1970. */
export type AccessClaims = { sub: string; sid: string; iat: number; exp: number }

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = encode({ alg: 'HS256', typ: 'JWT' })

export const accessToken = (claims: AccessClaims, key: Buffer): string => withSignature(`${HEADER}.${encode(claims)}`, key)

/** Claims by verified token, for each key: the same token comes with every request of its hour. */
const verified = new WeakMap<Buffer, LRUCache<string, AccessClaims>>()
const VERIFIED_MAX = 5_000

/**
 * The claims of a token that this server signed, expired or not; null for anything else. The algorithm is fixed, whatever the token's
 * header says.
 */
export function readAccessToken(token: string, key: Buffer): AccessClaims | null {
  const cache = verified.get(key) ?? new LRUCache<string, AccessClaims>({ max: VERIFIED_MAX })
  verified.set(key, cache)
  const cached = cache.get(token)
  if (cached) return cached
  const claims = verify(token, key)
  if (claims) cache.set(token, claims)
  return claims
}

function verify(token: string, key: Buffer): AccessClaims | null {
  const [header, payload] = signedText(token, key)?.split('.') ?? []
  if (header !== HEADER || !payload) return null
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as AccessClaims
}

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The successor of a refresh token, always the same one, so that a lost reply can be repeated (decisions §3). */
export const successorOf = (token: string, key: Buffer): string => signatureOf(token, key).toString('base64url')
