import { describe, expect, test } from 'vitest'
import { checkOrigin } from './origins.ts'

const HOST = 'school.test:3443'
const behind = { publicUrl: `https://${HOST}`, allowedOrigins: ['http://app.test'] }
const inside = { publicUrl: 'http://localhost:3000', allowedOrigins: [] }

function outcome(scheme: 'http' | 'https', origin: string, config: Parameters<typeof checkOrigin>[1], method = 'POST'): string {
  const request = new Request(`${scheme}://${HOST}/api/terms`, { method, headers: { host: HOST, origin } })
  try {
    return checkOrigin(request, config).some(([name]) => name === 'access-control-allow-origin') ? 'readable' : 'done'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('a page of the same host without TLS', () => {
  test.each([
    ['asks a server that speaks https', 'https', inside],
    ['asks through a proxy that speaks https', 'http', behind],
  ] as const)('%s: it changes and reads nothing', (_what, scheme, config) => {
    expect(outcome(scheme, `http://${HOST}`, config)).toBe('foreign_origin')
    expect(outcome(scheme, `http://${HOST}`, config, 'GET')).toBe('done')
    expect(outcome(scheme, `https://${HOST}`, config)).toBe('readable')
  })

  test('is trusted where the server only serves http', () => {
    expect(outcome('http', `http://${HOST}`, inside)).toBe('readable')
  })

  test('is allowed where the configuration names it', () => {
    expect(outcome('http', 'http://app.test', behind)).toBe('readable')
    expect(outcome('http', 'http://other.test', behind)).toBe('foreign_origin')
  })
})
