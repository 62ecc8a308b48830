import { createHmac } from 'node:crypto'
import { type ImageType, imageTypes } from '@markbook/shared/contract/avatars'
import { FileTable } from '@markbook/sync/protocol/files'
import { z } from 'zod'
import { isSameSecret } from '../store/encryption.ts'

/**
 * The right to upload one picture: `id` names the upload, `user` the person, `path` the destination, `size` the number of bytes, `until`
 * the end (ms since 1970). Signed, and not stored.
 */
const UploadClaims = z.strictObject({
  id: z.string(),
  user: z.string(),
  path: z.string(),
  type: z.enum(imageTypes),
  size: z.int(),
  until: z.int(),
})
export type UploadClaims = z.infer<typeof UploadClaims> & { type: ImageType }

/**
 * The right of another node to receive or send the file of a row (docs/design/replication.md): `id` names the upload, `peer` the node,
 * `sha256` and `size` the content, `until` as above.
 */
const NodeFileClaims = z.strictObject({
  id: z.string(),
  peer: z.string(),
  table: FileTable,
  row: z.string(),
  give: z.boolean(),
  sha256: z.string(),
  size: z.int(),
  until: z.int(),
})
export type NodeFileClaims = z.infer<typeof NodeFileClaims>
export const isOfNode = (claims: UploadClaims | NodeFileClaims): claims is NodeFileClaims => 'peer' in claims

const AnyClaims = z.union([UploadClaims, NodeFileClaims])

const sign = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest()

export function signToken(claims: UploadClaims | NodeFileClaims, key: Buffer): string {
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${text}.${sign(text, key).toString('base64url')}`
}

/** The claims of a person's token that this server signed and that has not expired; null for anything else. */
export function readUploadToken(token: string, key: Buffer, now: number): UploadClaims | null {
  const claims = readAnyToken(token, key, now)
  return claims && !isOfNode(claims) ? claims : null
}

/** The claims of a person's or another node's token. */
export function readAnyToken(token: string, key: Buffer, now: number): UploadClaims | NodeFileClaims | null {
  const [text, signature, ...rest] = token.split('.')
  if (!text || !signature || rest.length > 0) return null
  if (!isSameSecret(Buffer.from(signature, 'base64url'), sign(text, key))) return null
  const claims = AnyClaims.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  return claims.until > now ? claims : null
}
