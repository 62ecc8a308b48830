import { describe, expect, test } from 'vitest'
import { toBase32 } from '../../store/encryption.ts'
import { fromBase32 } from '../../testing/authenticator.ts'
import { otpauthUri, stepAt, stepsOf, totpOf } from './totp.ts'

const secret = Buffer.from('12345678901234567890')
const SECOND = 1_000

describe('RFC 6238, appendix B, SHA-1', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at %i seconds the code is %s', (seconds, code) => {
    expect(totpOf(secret, stepAt(seconds * SECOND))).toBe(code)
  })
})

describe('the steps of a code', () => {
  const now = 1_234_567_890 * SECOND
  const at = stepAt(now)

  test.each([-1, 0, 1])('one step of drift is accepted: %i', (drift) => {
    expect(stepsOf(secret, totpOf(secret, at + drift), now)).toEqual([at + drift])
  })

  test.each([-2, 2, -10])('more is not: %i', (drift) => {
    expect(stepsOf(secret, totpOf(secret, at + drift), now)).toEqual([])
  })

  test('a code of another secret, or of another length, has no step', () => {
    expect(stepsOf(Buffer.from('another secret of 20'), totpOf(secret, at), now)).toEqual([])
    expect(stepsOf(secret, totpOf(secret, at).slice(1), now)).toEqual([])
  })
})

describe('base 32', () => {
  test.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('RFC 4648: %j is %j without padding', (text, encoded) => {
    expect(toBase32(Buffer.from(text))).toBe(encoded)
    expect(fromBase32(encoded).toString()).toBe(text)
  })
})

test('the QR code names the issuer, the account, the digits and the period', () => {
  const uri = new URL(otpauthUri('o’brien+marks@stbrigids.example', 'MZXW6'))
  expect(uri.protocol).toBe('otpauth:')
  expect(decodeURIComponent(uri.href)).toContain('//totp/Markbook:o’brien+marks@stbrigids.example?')
  expect(uri.href).toContain('%2Bmarks%40')
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: 'MZXW6',
    issuer: 'Markbook',
    algorithm: 'SHA1',
    digits: '8',
    period: '30',
  })
})
