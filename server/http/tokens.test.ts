import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { accessToken, hashOf, keysOf, readAccessToken, successorOf } from './tokens.ts'

const { access, refresh, otp } = keysOf('a secret that only the tests of Markbook know')
const claims = { sub: 'somebody', sid: 'a session', iat: 1_768_204_800, exp: 1_768_208_400 }
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signedAs = (header: unknown, body: unknown, key: Buffer) => {
  const text = `${encoded(header)}.${encoded(body)}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

describe('access tokens', () => {
  test('are read as they were signed, expired or not', () => {
    expect(readAccessToken(accessToken(claims, access), access)).toEqual(claims)
    expect(readAccessToken(signedAs({ alg: 'HS256', typ: 'JWT' }, claims, access), access)).toEqual(claims)
  })

  const [header, body, signature] = accessToken(claims, access).split('.')
  test.each([
    ['no algorithm', `${encoded({ alg: 'none', typ: 'JWT' })}.${body}.`],
    ['no algorithm, signed', signedAs({ alg: 'none', typ: 'JWT' }, claims, access)],
    ['another algorithm', signedAs({ alg: 'HS512', typ: 'JWT' }, claims, access)],
    ['another secret', accessToken(claims, keysOf('a secret that the server does not know at all').access)],
    ['a key for another use', accessToken(claims, refresh)],
    ['other claims', `${header}.${encoded({ ...claims, sub: 'somebody else' })}.${signature}`],
    ['a signature cut short', `${header}.${body}.${signature?.slice(0, 20)}`],
    ['no signature', `${header}.${body}.`],
    ['a fourth part', `${header}.${body}.${signature}.x`],
    ['nothing', ''],
    ['dots', '...'],
  ])('with %s are none', (_what, token) => {
    expect(readAccessToken(token, access)).toBeNull()
  })
})

describe('keys and refresh tokens', () => {
  test('each use has a key of its own', () => {
    expect(new Set([access, refresh, otp].map((key) => key.toString('hex'))).size).toBe(3)
  })

  test('a token has one successor, of 256 bits, that cannot be computed without the secret', () => {
    const successor = successorOf('a token', refresh)
    expect(successorOf('a token', refresh)).toBe(successor)
    expect(Buffer.from(successor, 'base64url')).toHaveLength(32)
    expect(successorOf('a token', access)).not.toBe(successor)
    expect(hashOf('a token')).not.toContain('token')
  })
})
