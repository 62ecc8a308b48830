import { type ImageType, imageTypes } from '@markbook/shared/contract/avatars'
import { FileTable } from '@markbook/sync/protocol/files'
import { z } from 'zod'
import { signedText, withSignature } from '../store/encryption.ts'

/** Where pieces of a file are uploaded, with such a right: by tus. */
export const TUS_PATH = '/storage/v1/upload/resumable'

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

export const signToken = (claims: UploadClaims | NodeFileClaims, key: Buffer): string =>
  withSignature(Buffer.from(JSON.stringify(claims)).toString('base64url'), key)

/** The claims of a person's token that this server signed and that has not expired; null for anything else. */
export function readUploadToken(token: string, key: Buffer, now: number): UploadClaims | null {
  const claims = readAnyToken(token, key, now)
  return claims && !isOfNode(claims) ? claims : null
}

/** The claims of a person's or another node's token. */
export function readAnyToken(token: string, key: Buffer, now: number): UploadClaims | NodeFileClaims | null {
  const text = signedText(token, key)
  if (text === null) return null
  const claims = AnyClaims.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  return claims.until > now ? claims : null
}
