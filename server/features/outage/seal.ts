import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const [NONCE, TAG] = [12, 16]

/** Encrypts what the database keeps and must not know. `owner` is bound to it, so that nobody's secret can be put in another's row. */
export function seal(secret: Buffer, key: Buffer, owner: string): string {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** What was sealed; null where it was sealed with another key or for another owner, or is damaged. */
export function unseal(text: string, key: Buffer, owner: string): Buffer | null {
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
