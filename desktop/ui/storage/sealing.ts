import { hexOf } from './hex.ts'

/**
 * The key of what this browser keeps for when the server is away. It lies in a cookie, which the usual browsers write to the disk encrypted for
 * the account of the operating system, and goes at the sign-out: what may be left on the disk then opens to nobody.
 */
const COOKIE = 'markbook-key'
const MAX_AGE_S = 30 * 86_400
const ALGORITHM = 'AES-GCM'

export type Sealed = { iv: Uint8Array<ArrayBuffer>; bytes: ArrayBuffer }

/** Null over http, where a browser has no cryptography for a page: nothing is kept then. Makes a key where there is none. */
export async function sealingKey(): Promise<CryptoKey | null> {
  if (!globalThis.crypto?.subtle) return null
  const known = new RegExp(`(?:^|;\\s*)${COOKIE}=([0-9a-f]{64})(?:;|$)`).exec(document.cookie)?.[1]
  const hex = known ?? hexOf(crypto.getRandomValues(new Uint8Array(32)))
  // Also where it is known: it lasts for thirty days from now.
  writeCookie(hex, MAX_AGE_S)
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['encrypt', 'decrypt'])
}

export const forgetSealingKey = (): void => writeCookie('', 0)

function writeCookie(value: string, maxAge: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that people have.
  document.cookie = `${COOKIE}=${value}; Path=/; SameSite=Strict; Max-Age=${maxAge}${secure}`
}

export async function seal(key: CryptoKey, value: unknown): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  return { iv, bytes: await crypto.subtle.encrypt({ name: ALGORITHM, iv }, key, new TextEncoder().encode(JSON.stringify(value))) }
}

/** Throws where it was sealed with another key. */
export async function unseal(key: CryptoKey, { iv, bytes }: Sealed): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await crypto.subtle.decrypt({ name: ALGORITHM, iv }, key, bytes)))
}

/** By which a reply is found: what was asked may have names in it, as a search has. */
export async function digestOf(request: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(request))
  return hexOf(new Uint8Array(digest))
}
