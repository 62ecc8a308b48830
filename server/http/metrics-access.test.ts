import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../testing/school.ts'

const TOKEN = 'a-token-of-32-characters-for-this'
let closed: School
let withToken: School
beforeAll(async () => {
  closed = await school({ story: false, env: { TRUST_PROXY: 'local, 10.0.0.2' } })
  withToken = await school({ story: false, env: { METRICS_TOKEN: TOKEN, TRUST_PROXY: 'local' } })
})
afterAll(async () => {
  await closed.close()
  await withToken.close()
})

/** A request from an address, to an address of the server. */
async function asked(
  at: School,
  from: string,
  { to = '192.168.1.20', headers = {} }: { to?: string; headers?: Record<string, string> } = {},
) {
  const request = new Request('http://markbook.test/metrics', { headers })
  const reply = await at.app.fetch(request, { incoming: { socket: { remoteAddress: from, localAddress: to } } })
  const text = await reply.text()
  return reply.status === 200 ? text.includes('markbook_request_seconds') : `${reply.status} ${JSON.parse(text).code}`
}

const REFUSED = '403 metrics_closed'

describe('the metrics', () => {
  test.each(['127.0.0.1', '127.5.5.5', '::1', '::ffff:127.0.0.1'])(
    'are served to %s, and to a request from the same address to which it is made',
    async (from) => {
      expect(await asked(closed, from)).toBe(true)
      expect(await asked(closed, '192.168.1.20')).toBe(true)
      expect(await asked(closed, '::ffff:192.168.1.20')).toBe(true)
    },
  )

  test.each(['192.168.1.21', '203.0.113.9', 'fd00::1', '::ffff:10.0.0.2', '', 'unknown'])('are not served to %j', async (from) => {
    expect(await asked(closed, from)).toBe(REFUSED)
  })

  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-proto', 'via'])(
    'are not served through a proxy on this machine: %s',
    async (name) => {
      for (const value of ['203.0.113.9', '127.0.0.1', ''])
        expect(await asked(closed, '127.0.0.1', { headers: { [name]: value } })).toBe(REFUSED)
    },
  )

  test('are not served to a remote client that names a loopback host', async () => {
    expect(await asked(closed, '203.0.113.9', { headers: { 'x-forwarded-for': '127.0.0.1' } })).toBe(REFUSED)
    expect(await asked(closed, '10.0.0.2', { headers: { 'x-forwarded-for': '127.0.0.1' } })).toBe(REFUSED)
  })

  test('are served to any request with the token, also through a proxy', async () => {
    const by = (authorization: string, more = {}) => asked(withToken, '203.0.113.9', { headers: { authorization, ...more } })
    expect(await by(`Bearer ${TOKEN}`)).toBe(true)
    expect(await by(`bearer ${TOKEN}`, { 'x-forwarded-for': '203.0.113.10' })).toBe(true)
    for (const wrong of [
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      `Basic ${TOKEN}`,
      TOKEN,
      `Bearer ${TOKEN} x`,
    ])
      expect(await by(wrong)).toBe(REFUSED)
  })

  test('are served to no remote client where no token is configured', async () => {
    for (const guess of ['null', 'undefined', '', 'Bearer null'])
      expect(await asked(closed, '203.0.113.9', { headers: { authorization: `Bearer ${guess}` } })).toBe(REFUSED)
  })
})
