import { describe, expect, test } from 'vitest'
import { decrypt, encrypt } from './encryption.ts'

const secret = Buffer.from('12345678901234567890')

describe('encryption of columns', () => {
  const key = Buffer.alloc(32, 7)

  test('decrypts with its key for its owner, and gives another text each time', () => {
    const encrypted = encrypt(secret, key, 'byrne')
    expect(decrypt(encrypted, key, 'byrne')).toEqual(secret)
    expect(encrypt(secret, key, 'byrne')).not.toBe(encrypted)
    expect(Buffer.from(encrypted, 'base64url').includes(secret)).toBe(false)
  })

  test('decrypts nothing with another key, for another owner, truncated or changed', () => {
    const encrypted = encrypt(secret, key, 'byrne')
    expect(decrypt(encrypted, Buffer.alloc(32, 8), 'byrne')).toBeNull()
    expect(decrypt(encrypted, key, 'ada')).toBeNull()
    for (const length of [0, 10, 20, 37, 40]) expect(decrypt(encrypted.slice(0, length), key, 'byrne')).toBeNull()
    const bytes = Buffer.from(encrypted, 'base64url')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(decrypt(changed.toString('base64url'), key, 'byrne')).toBeNull()
    }
  })
})
