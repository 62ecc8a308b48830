import { contract } from '@markbook/shared/contract/contract'
import { desktopFailures } from '@markbook/shared/contract/desktop'
import { common, declaredFailures } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cookieName } from '../../http/cookies.ts'
import { accessToken, keysOf } from '../../http/tokens.ts'
import { fileFailures } from '../../replication/files/named.ts'
import { syncFailures } from '../../replication/identity/enrolment.ts'
import { type Ask, requestFor, tell } from '../../testing/ask.ts'
import { changing, endpoints, type Furnished, furnished, guarded, type Named, withJson } from '../matrix/furnished.ts'
import { withoutCode } from '../matrix/row.ts'
import { endless } from '../sweep/endless.ts'
import { faultsOf, refusalOf } from '../sweep/refusal.ts'

let at: Furnished
let before: string
beforeAll(async () => {
  at = await furnished()
  before = await at.st.digest()
})
afterAll(async () => {
  expect(await at.st.digest()).toBe(before)
  await at.st.close()
})

/** The endpoint's own request, changed as the test likes, from somebody who would get it. */
const own = (named: Named, headers: Record<string, string> = {}, change: Partial<Ask> = {}) =>
  requestFor(named.endpoint, { ...at.ownAsk(named), ...change }, { cookie: at.ownCookie(named), ...headers })
const toldTo = async (named: Named, headers: Record<string, string>, change: Partial<Ask> = {}) =>
  tell(at.st.app, own(named, headers, change))

describe('every guarded endpoint is 401', () => {
  const session = (value: object) => `base64-${Buffer.from(JSON.stringify(value)).toString('base64url')}`
  const claims = { sub: 'x', sid: '00000000-0000-7000-8000-999999999999', iat: 0, exp: 99_999_999_999 }
  const unsigned = (header: object) =>
    `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`
  const tokens = (access_token: unknown) =>
    session({ access_token, refresh_token: 'x'.repeat(43), expires_in: 3_600, expires_at: 9e9, token_type: 'bearer' })

  /** Cookies that nobody was given. */
  const junk = (): string[] => {
    const name = cookieName(at.st.services.config.cookiePrefix, at.st.services.config.projectRef)
    const foreign = keysOf('another secret that this server does not know')
    const values = [
      '',
      'junk',
      'base64-',
      'base64-%%%',
      'base64-bnVsbA',
      session({}),
      session([]),
      tokens(7),
      tokens('a.b.c'),
      tokens(null),
    ]
    return [
      ...values,
      tokens(unsigned({ alg: 'none', typ: 'JWT' })),
      tokens(accessToken(claims, foreign.access)),
      `base64-${'A'.repeat(limits.session.cookieHeaderBytes * 2)}`,
    ]
      .map((value) => `${name}=${value}`)
      .concat([`${name}.1=base64-AAAA`, `${name}.0=base64-; ${name}.99=x`, '=; ;;=', `${name}=%E0%A4%A`])
  }

  test.each(guarded)('$name: without a session, and with cookies that are none', async (named) => {
    const seen = new Set<string>()
    for (const cookie of ['', ...junk()])
      seen.add(refusalOf(await tell(at.st.app, requestFor(named.endpoint, at.ownAsk(named), cookie ? { cookie } : {}))))
    expect([...seen]).toEqual(['401 unauthenticated'])
  })

  test.each([
    ['after its thirty days', 31 * 86_400_000],
    ['after fourteen days without use', 15 * 86_400_000],
  ])('%s', async (_what, later) => {
    at.st.clock.advance(later)
    const seen = await Promise.all(guarded.map(async (named) => `${named.name} ${refusalOf(await toldTo(named, {}))}`))
    at.st.clock.advance(-later)
    expect(seen).toEqual(guarded.map(({ name }) => `${name} 401 unauthenticated`))
  })
})

describe('what is sent has to be JSON', () => {
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'text/json', 'application/json-patch+json', '']
  test.each(changing.filter(({ endpoint }) => endpoint.body !== 'multipart'))('$name: 415 for another content type', async (named) => {
    const seen = new Set<string>()
    for (const type of types) seen.add(refusalOf(await toldTo(named, { 'content-type': type }, { body: at.ownAsk(named).body ?? {} })))
    expect([...seen]).toEqual(['415 wrong_type'])
  })

  test.each(changing.filter(({ endpoint }) => endpoint.body === 'multipart'))(
    '$name: 415 for JSON where a file is wanted',
    async (named) => {
      const { file: _file, ...asked } = at.ownAsk(named)
      const request = requestFor(named.endpoint, { ...asked, body: {} }, { cookie: at.ownCookie(named) })
      expect(refusalOf(await tell(at.st.app, request))).toBe('415 wrong_type')
    },
  )

  test.each(changing.filter(({ endpoint }) => !endpoint.body))('$name: 400 for a body where none is taken', async (named) => {
    expect(refusalOf(await toldTo(named, {}, { body: { status: 'published' } }))).toBe('400 validation_failed')
  })
})

describe('what is too large is 413, and is not read to its end', () => {
  const asJson = { 'content-type': 'application/json' }
  const sized = (named: Named, bytes: number) => {
    const text = JSON.stringify(at.ownAsk(named).body)
    return text + ' '.repeat(bytes - Buffer.byteLength(text))
  }

  test.each(withJson)('$name: 1 MB is taken, or 32 KB without a session, and one byte more is not', async (named) => {
    const most = named.endpoint.guard === 'none' ? 32_768 : 1_048_576
    const fits = await tell(at.dry, own(named, {}, { body: sized(named, most) }))
    if (!withoutCode.includes(named.name)) expect(fits.status).toBe(named.endpoint.status ?? 200)
    expect(refusalOf(await toldTo(named, {}, { body: sized(named, most + 1) }))).toBe('413 too_large')
  })

  test.each(changing)('$name: 50 MB that say nothing of their length', async (named) => {
    const isFile = named.endpoint.body === 'multipart'
    const headers = isFile ? { 'content-type': 'multipart/form-data; boundary=x' } : asJson
    const stream = endless(50)
    const { file: _file, body: _body, ...asked } = at.ownAsk(named)
    const bare = requestFor(named.endpoint, asked, { cookie: at.ownCookie(named), ...headers })
    const told = await tell(at.st.app, new Request(bare, { body: stream.body, duplex: 'half' } as RequestInit))
    expect(faultsOf(told)).toEqual([])
    expect(told.status).toBe(413)
    expect(stream.megabytesRead()).toBeLessThan(isFile ? 22 : 3)
  })

  test.each(guarded.filter(({ endpoint }) => endpoint.method !== 'GET'))('$name: a stranger is not listened to at all', async (named) => {
    const stream = endless(50)
    const { file: _file, body: _body, ...asked } = at.ownAsk(named)
    const bare = requestFor(named.endpoint, asked, asJson)
    const told = await tell(at.st.app, new Request(bare, { body: stream.body, duplex: 'half' } as RequestInit))
    expect(refusalOf(told)).toBe('401 unauthenticated')
    expect(stream.megabytesRead()).toBeLessThan(1)
  })
})

describe('pages of other sites', () => {
  const foreign = ['https://evil.example', 'null', 'http://markbook.test.evil.example', 'http://markbook.test:81', 'markbook.test', '']
  test.each(changing)('$name: 403 for a change from a foreign Origin', async (named) => {
    const seen = new Set<string>()
    for (const origin of foreign) seen.add(refusalOf(await toldTo(named, { origin })))
    expect([...seen]).toEqual(['403 foreign_origin'])
  })

  test.each(changing)('$name: 403 for a change without Origin that the browser says is of another site', async (named) => {
    const seen = new Set<string>()
    for (const site of ['cross-site', 'same-site']) seen.add(refusalOf(await toldTo(named, { 'sec-fetch-site': site })))
    expect([...seen]).toEqual(['403 foreign_origin'])
  })

  test.each(['same-origin', 'none'])('what the browser says is of this site, or of no page, passes: %s', async (site) => {
    const named = endpoints.find(({ name }) => name === 'terms.create') as Named
    expect((await at.dry.fetch(own(named, { 'sec-fetch-site': site }))).status).toBe(201)
  })

  test.each(endpoints)('$name: no other site may read the reply', async (named) => {
    for (const origin of foreign) expect((await at.dry.fetch(own(named, { origin }))).headers.get('access-control-allow-origin')).toBeNull()
  })
})

const SITE = 'https://app.example'
async function allowing<T>(site: string, work: () => T | Promise<T>): Promise<T> {
  const { config } = at.st.services
  const { allowedOrigins } = config
  Object.assign(config, { allowedOrigins: [site] })
  try {
    return await work()
  } finally {
    Object.assign(config, { allowedOrigins })
  }
}

describe('X-API-Version', () => {
  test.each(endpoints)('$name: 400 for any but 1, with the supported ones named', async (named) => {
    for (const version of ['abc', '0', '2', '1.0', '-1', '1,2', 'v1', '01']) {
      const told = await toldTo(named, { 'x-api-version': version })
      expect(refusalOf(told)).toBe('400 unsupported_version')
      expect(JSON.parse(told.text).message).toMatch(/Supported: 1\.$/)
    }
  })

  test('the refusal can be read by a page of an allowed site', async () => {
    const headers = { origin: SITE, 'x-api-version': '2' }
    const told = await allowing(SITE, () => at.st.app.fetch(new Request('http://markbook.test/api/schools', { headers })))
    expect([told.status, told.headers.get('access-control-allow-origin')]).toEqual([400, SITE])
  })

  test.each(endpoints)('$name: 1 is echoed, said or unsaid', async (named) => {
    for (const headers of [{}, { 'x-api-version': '1' }] as Record<string, string>[]) {
      expect((await at.dry.fetch(own(named, headers))).headers.get('x-api-version')).toBe('1')
    }
  })
})

describe('addresses', () => {
  const call = (method: string, path: string) =>
    tell(at.st.app, new Request(`http://markbook.test${path}`, { method, headers: { cookie: at.cookies.okafor } }))

  test.each([
    '/api',
    '/api/',
    '/api/nothing',
    '/api/terms/x/y',
    '/API/terms',
    '/api/terms//',
    '/api//terms',
    '/api/%00',
    '/api/terms%2Fx/..%2f',
  ])('404 for %s', async (path) => {
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']) expect(refusalOf(await call(method, path))).toBe('404 no_such_path')
  })

  test('the refusal can be read by a page of an allowed site, and by no other', async () => {
    const seen = async (method: string, path: string, origin: string) => {
      const told = await at.st.app.fetch(new Request(`http://markbook.test${path}`, { method, headers: { origin } }))
      return [told.status, told.headers.get('access-control-allow-origin')]
    }
    await allowing(SITE, async () => {
      expect(await seen('GET', '/api/nothing', SITE)).toEqual([404, SITE])
      expect(await seen('PUT', '/api/terms', SITE)).toEqual([405, SITE])
      expect(await seen('GET', '/api/nothing', 'https://evil.example')).toEqual([404, null])
    })
  })

  const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const
  const pattern = (path: string) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
  const paths = [...new Set(endpoints.map(({ endpoint }) => endpoint.path))].map((path) =>
    path.replace(/:\w+/g, '00000000-0000-7000-8000-999999999999'),
  )
  test.each(paths)('405 for the methods that %s does not take', async (path) => {
    const taken = new Set(endpoints.filter(({ endpoint }) => pattern(endpoint.path).test(path)).map(({ endpoint }) => endpoint.method))
    for (const method of METHODS.filter((method) => !taken.has(method)))
      expect(`${method} ${refusalOf(await call(method, path))}`).toBe(`${method} 405 method_not_allowed`)
  })
})

describe('codes of failures', () => {
  const everywhere = new Set(Object.values(common).map((failure) => failure().code))
  const promised = new Set(
    Object.values(contract).flatMap((resource) =>
      Object.values(resource).flatMap((endpoint) => ('fails' in endpoint ? [...endpoint.fails] : [])),
    ),
  )

  test('the contract promises none that is declared nowhere', () => {
    expect([...promised].filter((code) => !declaredFailures.has(code))).toEqual([])
  })

  test('none is declared that the contract does not promise somewhere', () => {
    // What nodes say to each other has a protocol of its own, beside the contract.
    const amongNodes = new Set(Object.values({ ...syncFailures, ...fileFailures }).map((make) => make().code))
    // So has the window of the teachers' program.
    const inWindow = new Set(Object.values(desktopFailures).map((make) => make().code))
    const elsewhere = (code: string) => [everywhere, promised, amongNodes, inWindow].some((known) => known.has(code))
    expect([...declaredFailures.keys()].filter((code) => !elsewhere(code))).toEqual([])
  })
})
