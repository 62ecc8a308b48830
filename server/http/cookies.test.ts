import { describe, expect, test } from 'vitest'
import { type CookieSession, cookieName, readSessionCookie, sessionCookies } from './cookies.ts'

const name = cookieName('sb', 'local')
const settings = { name, secure: true }
const session: CookieSession = {
  access_token: 'access',
  refresh_token: 'refresh',
  expires_in: 3600,
  expires_at: 1_768_208_400,
  token_type: 'bearer',
}
/** Long enough for three chunks. */
const long: CookieSession = { ...session, access_token: 'a'.repeat(6_000) }
const written = (value: CookieSession | null, sent?: string) => sessionCookies(value, settings, 60, sent)
const header = (cookies: readonly string[]) => cookies.map((cookie) => cookie.split(';')[0]).join('; ')
const encoded = (text: string) => `${name}=base64-${Buffer.from(text).toString('base64url')}`

describe('writing', () => {
  test('the name consists of prefix and project', () => {
    expect(name).toBe('sb-local-auth-token')
  })

  test('one cookie with its attributes', () => {
    const value = Buffer.from(JSON.stringify(session)).toString('base64url')
    expect(written(session)).toEqual([`${name}=base64-${value}; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure`])
    expect(sessionCookies(session, { name, secure: false }, 60, undefined)[0]).not.toContain('Secure')
  })

  test('up to 3,180 characters stay whole, and longer ones are split into chunks of that length', () => {
    const lengthOf = (value: CookieSession) => header(written(value)).length - name.length - 1
    const fill = (count: number) => ({ ...session, access_token: 'a'.repeat(count) })
    const whole = Array.from({ length: 2_400 }, (_, count) => fill(count)).findLast((value) => written(value).length === 1) ?? session
    expect(lengthOf(whole)).toBeLessThanOrEqual(3_180)
    expect(lengthOf(whole)).toBeGreaterThan(3_176)
    const chunks = header(written(long)).split('; ')
    expect(chunks.map((chunk) => chunk.split('=')[0])).toEqual([`${name}.0`, `${name}.1`, `${name}.2`])
    for (const chunk of chunks) expect(chunk.length - name.length - 3).toBeLessThanOrEqual(3_180)
  })

  test('cookies of an earlier session are cleared, and no others', () => {
    const sent = `${header(written(long))}; theme=dark; ${name}.x=1; ${name}-2=1; sb-other-auth-token=1`
    const cleared = (cookies: readonly string[]) =>
      cookies.filter((cookie) => cookie.includes('Max-Age=0')).map((cookie) => cookie.split('=')[0])
    expect(cleared(written(session, sent))).toEqual([`${name}.0`, `${name}.1`, `${name}.2`])
    expect(cleared(written(long, header(written(session))))).toEqual([name])
    expect(cleared(written(null, sent))).toEqual([name, `${name}.0`, `${name}.1`, `${name}.2`])
    expect(written(null)).toEqual([`${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure`])
  })
})

describe('reading', () => {
  test('what was written comes back, whole or in chunks, among other cookies', () => {
    expect(readSessionCookie(`theme=dark; ${header(written(session))}; x=y=z`, name)).toEqual(session)
    expect(readSessionCookie(header(written(long).reverse()), name)).toEqual(long)
  })

  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['no value', `${name}=`],
    ['no prefix', `${name}=eyJh`],
    ['another encoding', `${name}=base32-abc`],
    ['no base64', `${name}=base64-%%%***`],
    ['no JSON', encoded('access')],
    ['null', encoded('null')],
    ['a number', encoded('1')],
    ['a list', encoded('["access_token"]')],
    ['no tokens', encoded('{}')],
    ['one token', encoded('{"access_token":"a"}')],
    ['tokens that are no text', encoded('{"access_token":{},"refresh_token":["x"]}')],
    ['tokens of a prototype', encoded('{"__proto__":{"access_token":"a","refresh_token":"b"}}')],
    ['tokens of a constructor', encoded('{"constructor":{"prototype":{"access_token":"a","refresh_token":"b"}}}')],
    ['deep JSON', encoded(`${'['.repeat(4_000)}${']'.repeat(4_000)}`)],
    ['bytes that are no text', `${name}=base64-${Buffer.from([0xff, 0xfe, 0x00]).toString('base64url')}`],
    ['a missing first chunk', `${name}.1=base64-e30`],
    ['100 KB', `${name}=base64-${'A'.repeat(100_000)}`],
    ['100 KB beside a good one', `${header(written(session))}; other=${'A'.repeat(100_000)}`],
    ['only separators', ';;;=;=;'],
  ])('%s is no session', (_what, sent) => {
    expect(readSessionCookie(sent, name)).toBeNull()
  })

  test('a repeated header gives the same session, and a different one its own', () => {
    const other = { ...session, access_token: 'another' }
    for (const sent of [session, other, session, other]) expect(readSessionCookie(header(written(sent)), name)).toEqual(sent)
    expect(readSessionCookie(header(written(session)), cookieName('sb', 'another'))).toBeNull()
  })

  test('reading malformed cookies changes no other objects', () => {
    readSessionCookie(encoded('{"__proto__":{"polluted":true}}'), name)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
