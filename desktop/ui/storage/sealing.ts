import { hexOf } from './hex.ts'

/**
 * The cookie with the key of the stored replies. Browsers usually encrypt cookies on the disk for the account of the operating system. A
 * sign-out removes it; data left on the disk can then not be decrypted.
 */
const COOKIE = 'markbook-key'
const MAX_AGE_S = 30 * 86_400
const ALGORITHM = 'AES-GCM'

export type Sealed = { iv: Uint8Array<ArrayBuffer>; bytes: ArrayBuffer }

/** The key; made where there is none. Null over http, where pages have no cryptography: then nothing is stored. */
export async function sealingKey(): Promise<CryptoKey | null> {
  if (!globalThis.crypto?.subtle) return null
  const known = new RegExp(`(?:^|;\\s*)${COOKIE}=([0-9a-f]{64})(?:;|$)`).exec(document.cookie)?.[1]
  const hex = known ?? hexOf(crypto.getRandomValues(new Uint8Array(32)))
  // Written again each time, so that it expires in thirty days from now.
  writeCookie(hex, MAX_AGE_S)
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['encrypt', 'decrypt'])
}

export const forgetSealingKey = (): void => writeCookie('', 0)

function writeCookie(value: string, maxAge: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser in use has the Cookie Store API.
  document.cookie = `${COOKIE}=${value}; Path=/; SameSite=Strict; Max-Age=${maxAge}${secure}`
}

/** Encrypts a value that can be written as JSON. */
export async function seal(key: CryptoKey, value: unknown): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  return { iv, bytes: await crypto.subtle.encrypt({ name: ALGORITHM, iv }, key, new TextEncoder().encode(JSON.stringify(value))) }
}

/** Decrypts; throws where it was encrypted with another key. */
export async function unseal(key: CryptoKey, { iv, bytes }: Sealed): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await crypto.subtle.decrypt({ name: ALGORITHM, iv }, key, bytes)))
}

/** The digest by which a reply is found: the request itself may have names, as in a search. */
export async function digestOf(request: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(request))
  return hexOf(new Uint8Array(digest))
}
