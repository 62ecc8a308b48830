import type { AddressInfo } from 'node:net'
import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../app/app.ts'
import { jsonLog } from '../http/log.ts'
import { overloadProtection } from '../http/overload.ts'
import { listen } from '../lan/listener.ts'
import { type Browser, browserOf, codeFor, signIn } from '../testing/browser.ts'
import { openSocket } from '../testing/load.ts'
import { type School, school } from '../testing/school.ts'

type Line = { level: string; msg: string; route: string; status: number; request_id: string; [more: string]: unknown }
let st: School
let text = ''
const write = (line: string) => {
  text += line
}
const linesSince = (from: number): Line[] =>
  text
    .slice(from)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
/** The lines of what is done here. */
async function logged(work: () => Promise<unknown>): Promise<Line[]> {
  const from = text.length
  await work()
  return linesSince(from)
}
const raw = async (path: string, init: RequestInit = {}) => st.app.fetch(new Request(`http://markbook.test${path}`, init))

beforeAll(async () => {
  st = await school({ env: { TRUST_PROXY: 'local' } })
  st.services.log = jsonLog('info', { write })
})
afterAll(() => st.close())

describe('a line for each request', () => {
  test('says who, what, how it ended, its number and how long it took', async () => {
    const { id } = (await st.as.okafor.subjects.list())[0] as { id: string }
    const [line, ...rest] = await logged(() =>
      raw(`/api/subjects/${id}?note=quiet`, { headers: { cookie: st.cookieOf('okafor'), 'x-forwarded-for': '192.0.2.7' } }),
    )
    const [own] = await logged(() => raw('/api/auth/me', { headers: { cookie: st.cookieOf('okafor') } }))
    const { id: actor } = await st.as.okafor.auth.me()
    expect(rest).toEqual([])
    expect(line).toMatchObject({
      level: 'info',
      msg: 'request',
      actor,
      address: '192.0.2.7',
      method: 'GET',
      route: '/api/subjects/:id',
      target: [id],
      status: 200,
    })
    expect(line?.request_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(typeof line?.['ms']).toBe('number')
    expect(JSON.stringify(line)).not.toContain('quiet')
    expect(own).not.toHaveProperty('target')
  })

  test('bears the number that the client was told', async () => {
    let told: string | null = ''
    const [line] = await logged(async () => {
      told = (await raw('/nowhere')).headers.get('x-request-id')
    })
    expect(line).toMatchObject({ request_id: told, status: 404, reason: 'no_such_path', actor: null })
  })
})

test('the line of a sign-in says who came, and that of a wrong code nobody', async () => {
  const browser = browserOf(st.app, { address: '192.0.2.46' })
  const email = 'ngozi.okafor@stbrigids.example'
  const lines = await logged(async () => {
    await browser.client.auth.verifyOtp({ body: { email, token: '31415926' } }).catch(() => {})
    await signIn(st, browser, email)
  })
  const { id } = await browser.client.auth.me()
  const tries = lines.filter(({ route }) => route === '/api/auth/otp/verify')
  expect(tries.map(({ level, msg, status, actor }) => ({ level, msg, status, actor }))).toEqual([
    { level: 'warn', msg: 'sign-in', status: 400, actor: null },
    { level: 'warn', msg: 'sign-in', status: 200, actor: id },
  ])
})

test('who signed a member out is a line at the default level', async () => {
  const params = { userId: people.niamh.id }
  const lines = await logged(() => st.as.okafor.sessions.endMembers({ params }))
  expect(lines).toMatchObject([{ level: 'warn', msg: 'sign-in', status: 200, actor: people.okafor.id, target: [people.niamh.id] }])
})

describe('refused access', () => {
  test('is a warning with actor, target and reason, the target from the path or from what was sent', async () => {
    const subject = (await st.as.okafor.subjects.list())[0] as { id: string }
    const { id: actor } = await st.as.byrne.auth.me()
    const [removed] = await logged(() =>
      raw(`/api/subjects/${subject.id}`, { method: 'DELETE', headers: { cookie: st.cookieOf('byrne') } }),
    )
    expect(removed).toMatchObject({ level: 'warn', msg: 'access refused', actor, target: [subject.id], status: 403, reason: 'admin_only' })
    const group = (await st.as.okafor.classes.list())[0] as { id: string }
    const year = (await st.as.okafor.academicYears.active()) as { id: string }
    const term = (await st.as.okafor.terms.list({ query: { yearId: year.id } }))[0] as { id: string }
    const [read] = await logged(() =>
      raw(`/api/calculations/class-term?studentGroupId=${group.id}&termId=${term.id}`, { headers: { cookie: st.cookieOf('tomas') } }),
    )
    expect(read).toMatchObject({ level: 'warn', target: [group.id, term.id], status: 403 })
    const mark = { assessmentId: subject.id, studentId: actor, score: 1 }
    const [written] = await logged(() =>
      raw('/api/grades', {
        method: 'POST',
        headers: { cookie: st.cookieOf('byrne'), 'content-type': 'application/json' },
        body: JSON.stringify(mark),
      }),
    )
    expect(written).toMatchObject({ level: 'info', actor, target: [subject.id, actor], status: 404, reason: 'not_found' })
  })

  test('by a page of another site is a warning; a missing session is every morning’s first request', async () => {
    const [foreign] = await logged(() => raw('/api/auth/logout', { method: 'POST', headers: { origin: 'https://evil.example' } }))
    expect(foreign).toMatchObject({ level: 'warn', status: 403, reason: 'foreign_origin' })
    const [missing] = await logged(() => raw('/api/auth/me'))
    expect(missing).toMatchObject({ level: 'info', status: 401, reason: 'unauthenticated' })
  })
})

/** Everything secret that a person gets or sends in these tests. */
const secrets = new Set<string>()
const keep = (...values: string[]) => {
  for (const value of values) if (value) secrets.add(value)
}
const keepCookies = (browser: Browser) => {
  for (const part of browser.cookie().split('; ')) {
    const value = part.slice(part.indexOf('=') + 1)
    const session = JSON.parse(Buffer.from(value.replace('base64-', ''), 'base64url').toString()) as Record<string, string>
    keep(value, session['access_token'] ?? '', session['refresh_token'] ?? '', ...(session['access_token'] ?? '').split('.'))
  }
}
const expectSilence = () => {
  expect(secrets.size).toBeGreaterThan(0)
  for (const secret of secrets) expect(text.includes(secret), secret).toBe(false)
  for (const line of text.split('\n').filter(Boolean)) expect(() => JSON.parse(line), line).not.toThrow()
}

describe('no secret gets into the log', () => {
  test('not in the whole story of signing in: codes right and wrong, cookies, tokens, the other ways, and signing out', async () => {
    const browser = browserOf(st.app, { address: '192.0.2.44' })
    const email = 'secret.person@school.example'
    keep(email)
    await browser.client.auth.sendOtp({ body: { email } })
    keep(codeFor(st, email), '31415926')
    await browser.client.auth.verifyOtp({ body: { email, token: '31415926' } }).catch(() => {})
    await browser.client.auth.verifyOtp({ body: { email, token: codeFor(st, email) } })
    keepCookies(browser)
    st.clock.advance(3_700_000)
    await browser.client.auth.refresh()
    keepCookies(browser)
    await browser.client.auth.sendOtp({ body: { email } })
    keep(codeFor(st, email), '16180339')
    await browser.client.auth.prove({ body: { token: '16180339' } }).catch(() => {})
    await browser.client.auth.prove({ body: { token: codeFor(st, email) } })
    const { secret, otpauth_uri } = await browser.client.outage.enrolTotp()
    keep(secret, otpauth_uri)
    await browser.client.outage.confirmTotp({ body: { token: '27182818' } }).catch(() => {})
    keep('27182818', ...(await browser.client.outage.newRecoveryCodes()).codes)
    const head = browserOf(st.app, { address: '192.0.2.45' })
    const { user } = await signIn(st, head, 'ngozi.okafor@stbrigids.example')
    keepCookies(head)
    const members = await head.client.schools.members()
    const teacher = members.find(({ role }) => role === 'teacher') as { user_id: string }
    keep((await head.client.outage.issueDeskCode({ body: { userId: teacher.user_id } })).code)
    await browser.client.auth.logout()
    expectSilence()
    expect(linesSince(0).some(({ actor }) => actor === user.id)).toBe(true)
  })

  test('not where people put them in the wrong place: in paths, queries and broken bodies', async () => {
    keep('98765432', 'eyJhbGciOiJIUzI1NiJ9abcdef', 'q1w2e3r4t5y6u7i8o9p0')
    await raw('/api/auth/otp/verify/98765432')
    await raw('/api/subjects/eyJhbGciOiJIUzI1NiJ9abcdef?token=98765432')
    await raw('/q1w2e3r4t5y6u7i8o9p0/98765432')
    await raw('/api/auth/otp/verify', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"token":"98765432' })
    await raw('/api/auth/me', {
      headers: { cookie: 'sb-local-auth-token=base64-q1w2e3r4t5y6u7i8o9p0', 'x-forwarded-for': 'q1w2e3r4t5y6u7i8o9p0' },
    })
    expectSilence()
  })

  test('not in errors: what a driver says holds the values of the statement', async () => {
    keep('55667788', '5566 7788', 'a-refresh-token-of-thirty-two-characters', 'hidden@school.example')
    const fails = async () => {
      const driver = Object.assign(new Error('invalid input "5566 7788" for hidden@school.example'), {
        code: '22P02',
        detail: 'Key (code)=(55667788)',
        parameters: ['55667788'],
      })
      const query = { query: 'select * from session where refresh_hash = ?', params: ['a-refresh-token-of-thirty-two-characters'] }
      throw Object.assign(new Error(`Failed query: ${query.query}\nparams: ${query.params}`, { cause: driver }), query)
    }
    const broken = createApp({ ...st.services, store: { ...st.services.store, read: fails, write: fails } })
    const request = new Request('http://markbook.test/api/subjects', { headers: { cookie: st.cookieOf('okafor') } })
    const [line] = await logged(async () => broken.fetch(request))
    expect(line).toMatchObject({
      level: 'error',
      msg: 'request failed',
      status: 500,
      err: { statement: expect.stringContaining('select'), cause: { code: '22P02' } },
    })
    expectSilence()
  })
})

describe('no line is ever broken', () => {
  test('by line breaks, control characters, rubbish and megabytes in what was asked', async () => {
    const lines = await logged(async () => {
      for (const path of [
        '/a%0Ab',
        '/a%0D%0A{"level":"error"}',
        '/%00%1b[31m',
        '/%ff%fe',
        '/\u2028x',
        `/${'x'.repeat(1_000_000)}`,
        `/${'a/'.repeat(50_000)}`,
      ])
        await raw(path)
      await raw('/api/auth/me', { headers: { 'user-agent': 'x\ty', 'x-forwarded-for': '{"a":1}' } })
    })
    expect(lines).toHaveLength(8)
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(1_000)
  })

  test('by raw bytes on the wire', async () => {
    const { config, log, metrics } = st.services
    const server = await listen(st.app, { host: '127.0.0.1', port: 0 }, null, {
      protection: overloadProtection({ config, log, metrics }),
    })
    const tell = (bytes: Buffer) =>
      new Promise<void>((resolve) => {
        const socket = openSocket({ port: (server.address() as AddressInfo).port })
        socket.resume().once('close', () => resolve())
        socket.write(bytes)
      })
    const request = (path: string, headers = '') =>
      Buffer.from(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}\r\n`, 'latin1')
    await logged(async () => {
      await tell(request('/a\xff\xfe\x80'))
      await tell(request('/\u00e9', 'x-forwarded-for: \xff\xfe\r\n'))
      await tell(request('http://[::1/'))
      await tell(request('/..//../\\..'))
      await tell(Buffer.from('\x00\x01\x02\r\n\r\n', 'latin1'))
      await tell(request('/api/auth/me', 'cookie: \xff\r\n'))
    })
    await new Promise((resolve) => server.close(resolve))
    expectSilence()
  })
})

test('the metrics say numbers of routes, never of people, schools or addresses', async () => {
  const reply = await raw('/metrics')
  const figures = (await reply.text()).split('\n').filter((line) => line.startsWith('markbook_'))
  expect(figures.length).toBeGreaterThan(20)
  for (const figure of figures) {
    expect(figure).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|@|192\.0\.2|\b\d{8}\b(?!$)/)
    for (const secret of secrets) expect(figure.includes(secret)).toBe(false)
  }
})
