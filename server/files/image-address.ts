import { decrypt, encryptAlike } from '../store/encryption.ts'

/** The path of pictures that are public to everybody who has the URL (decisions §6). */
export const PUBLIC_IMAGES = '/storage/v1/object/public/images/'

/** `?t=` changes with the picture, so that no browser shows the old one. */
export const publicImageUrl = (publicUrl: string, path: string, updatedAt: string | null): string =>
  `${publicUrl}${PUBLIC_IMAGES}${path}?t=${Date.parse(updatedAt ?? '') || 0}`

/**
 * The storage path of a picture: the row names its content, so that one commit changes path, type and content together, and no stored
 * object is overwritten (docs/design/files.md). Rows of earlier systems name no content: their object is at the path itself.
 */
export const imageObject = (path: string, sha256: string | null): string =>
  sha256 === null ? path : `${path}/${sha256}${path.slice(path.lastIndexOf('.'))}`

/** The folder of uploads that are not yet completed; clients cannot name it. */
const INCOMING = 'incoming.uploads/'
export const incomingObject = (path: string): string => INCOMING + path

const OWNER = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:jpg|jpeg|png|webp)$/
/** The id of the person or school of a picture's path; null for another path. */
export const ownerOf = (path: string): string | null => OWNER.exec(path)?.[1] ?? null

/** The inputs of the URL of a person's picture; every picture has another `changedAt`. */
export type Avatar = { id: string; avatar_path: string; avatar_updated_at: string | null }

const AVATAR = /^avatars\/([\w-]+)\.[a-z]+$/

/**
 * The public path of a person's picture: their id, encrypted with a nonce derived from the picture. It reveals nothing, nobody can
 * construct one, and each picture has its own (docs/decisions/0058).
 */
export function avatarAddress({ id, avatar_path, avatar_updated_at }: Avatar, key: Buffer): string {
  const sealed = encryptAlike(Buffer.from(id), key, 'avatar', JSON.stringify([id, avatar_path, avatar_updated_at]))
  return `avatars/${sealed}${avatar_path.slice(avatar_path.lastIndexOf('.'))}`
}

/** The id of the person to whose picture an address belongs or belonged; null for an address that this server did not make. */
export function personAtAddress(address: string, key: Buffer): string | null {
  const [, sealed = ''] = AVATAR.exec(address) ?? []
  return decrypt(sealed, key, 'avatar')?.toString() ?? null
}
