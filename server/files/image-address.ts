import { decrypt, encryptAlike } from '../store/encryption.ts'

/** The path below which pictures are public to everybody who has the address (decisions §6). */
export const PUBLIC_IMAGES = '/storage/v1/object/public/images/'

/** `?t=` changes with the picture, so that no browser shows the old one. */
export const publicImageUrl = (publicUrl: string, path: string, updatedAt: string | null): string =>
  `${publicUrl}${PUBLIC_IMAGES}${path}?t=${Date.parse(updatedAt ?? '') || 0}`

/**
 * The object of a picture: the row names its content, so that one commit changes path, type and content together, and no stored
 * object is overwritten (docs/design/files.md). Rows of earlier systems name none: their object lies at the path itself.
 */
export const imageObject = (path: string, sha256: string | null): string =>
  sha256 === null ? path : `${path}/${sha256}${path.slice(path.lastIndexOf('.'))}`

/** The folder of uploads that are not yet completed; clients cannot name it. */
const INCOMING = 'incoming.uploads/'
export const incomingObject = (path: string): string => INCOMING + path

const OWNER = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:jpg|jpeg|png|webp)$/
/** The id of the person or school whose picture lies at a path; null for no path of a picture. */
export const ownerOf = (path: string): string | null => OWNER.exec(path)?.[1] ?? null

/** What the address of a person's picture is made of: another picture is always of another instant (`changedAt`). */
export type Avatar = { id: string; avatar_path: string; avatar_updated_at: string | null }

const AVATAR = /^avatars\/([\w-]+)\.[a-z]+$/

/**
 * The public path of a person's picture. Their id is sealed in it, with a nonce that follows from the picture: it says nothing to anybody,
 * nobody can make one, and each picture has one of its own (docs/decisions/0058).
 */
export function avatarAddress({ id, avatar_path, avatar_updated_at }: Avatar, key: Buffer): string {
  const sealed = encryptAlike(Buffer.from(id), key, 'avatar', JSON.stringify([id, avatar_path, avatar_updated_at]))
  return `avatars/${sealed}${avatar_path.slice(avatar_path.lastIndexOf('.'))}`
}

/** The id of the person whose picture had an address, or has it still; null for whatever this server did not make. */
export function personAtAddress(address: string, key: Buffer): string | null {
  const [, sealed = ''] = AVATAR.exec(address) ?? []
  return decrypt(sealed, key, 'avatar')?.toString() ?? null
}
