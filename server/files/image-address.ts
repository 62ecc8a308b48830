/** Where pictures are served to everybody who has the address (decisions §6). */
export const PUBLIC_IMAGES = '/storage/v1/object/public/images/'

/** `?t=` changes with the picture, so that no browser shows the old one. */
export const publicImageUrl = (publicUrl: string, path: string, updatedAt: string | null): string =>
  `${publicUrl}${PUBLIC_IMAGES}${path}?t=${Date.parse(updatedAt ?? '') || 0}`

/**
 * The object that holds a picture: the row names its content, so that one commit changes path, type and content together, and nothing
 * that is stored is ever written over (decision 252). Rows of earlier systems name none: their object lies at the path itself.
 */
export const imageObject = (path: string, sha256: string | null): string =>
  sha256 === null ? path : `${path}/${sha256}${path.slice(path.lastIndexOf('.'))}`

/** Where an upload to the storage waits to be completed. No folder that a client may name is called so. */
export const INCOMING = 'incoming.uploads/'
export const incomingObject = (path: string): string => INCOMING + path

const OWNER = /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:jpg|jpeg|png|webp)$/
/** The id of the person or school whose picture lies at a path; null for no path of a picture. */
export const ownerOf = (path: string): string | null => OWNER.exec(path)?.[1] ?? null
