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
