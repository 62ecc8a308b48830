import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const [NONCE, TAG] = [12, 16]

/** Compares a secret in constant time. */
export const isSameSecret = (sent: Uint8Array, secret: Uint8Array): boolean =>
  sent.length === secret.length && timingSafeEqual(sent, secret)

export const signatureOf = (text: string, key: Buffer): Buffer => createHmac('sha256', key).update(text).digest()

/** The text, a dot and its signature. */
export const withSignature = (text: string, key: Buffer): string => `${text}.${signatureOf(text, key).toString('base64url')}`

/** The text before a signature; null where `key` did not sign it. */
export function signedText(token: string, key: Buffer): string | null {
  const end = token.lastIndexOf('.')
  const text = token.slice(0, Math.max(0, end))
  return text !== '' && isSameSecret(Buffer.from(token.slice(end + 1), 'base64url'), signatureOf(text, key)) ? text : null
}

/**
 * Encrypts a column with AES-256-GCM. `owner` is authenticated with it, so that a secret copied into another person's row does not
 * decrypt.
 */
export const encrypt = (secret: Buffer, key: Buffer, owner: string): string => encryptAt(randomBytes(NONCE), secret, key, owner)

/** The same with a nonce derived from `of`, where equal input must give equal text. */
export const encryptAlike = (secret: Buffer, key: Buffer, owner: string, of: string): string =>
  encryptAt(createHmac('sha256', key).update(of).digest().subarray(0, NONCE), secret, key, owner)

function encryptAt(nonce: Buffer, secret: Buffer, key: Buffer, owner: string): string {
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner))
  const encrypted = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** Null where the text was encrypted with another key or for another owner, or is damaged. */
export function decrypt(text: string, key: Buffer, owner: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < NONCE + TAG) return null
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG }).setAAD(Buffer.from(owner))
    decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()])
  } catch {
    return null
  }
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The stored HMAC of a code for an address. */
export const codeHash = (email: string, code: string, key: Buffer): string =>
  createHmac('sha256', key).update(`${email}\n${code}`).digest('hex')

/** A new printed code: 80 random bits as 16 letters and digits of base 32, in the form that a request carries. */
export const newPrintedCode = (): string => toBase32(randomBytes(10))

/** A printed code for display, in groups of four. */
export const grouped = (code: string): string => code.replace(/.{4}(?=.)/g, '$&-')

/** RFC 4648 without padding, for a secret that a person types or an authenticator app reads. */
export function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}
