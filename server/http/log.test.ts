import { describe, expect, test } from 'vitest'
import { errorFields, jsonLog, withoutSecrets } from './log.ts'
import { recordRequest } from './request-log.ts'

const lineOf = (write: (log: ReturnType<typeof jsonLog>) => void): string => {
  let text = ''
  const note = (line: string) => {
    text += line
  }
  write(jsonLog('info', { write: note }))
  return text
}

describe('texts in the log', () => {
  test.each([
    ['the code 12345678 is wrong', 'the code … is wrong'],
    ['1234 5678', '…'],
    ['1234-5678!', '…!'],
    ['mail to head@school.example failed', 'mail to … failed'],
    ['token eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'token ….e30.…'],
    ['row 3f2504e0-4f89-41d3-9a0c-0305e82c3301 of term 2', 'row 3f2504e0-4f89-41d3-9a0c-0305e82c3301 of term 2'],
    ['SQLITE_CONSTRAINT: no such table', 'SQLITE_CONSTRAINT: no such table'],
    ['port 5432', 'port 5432'],
  ])('%s', (text, kept) => {
    expect(withoutSecrets(text)).toBe(kept)
  })

  test('are cut to a length', () => {
    expect(withoutSecrets('no '.repeat(10_000)).length).toBeLessThan(600)
  })
})

describe('errors in the log', () => {
  test('keep type and place, also of their causes, and no other field', () => {
    const cause = Object.assign(new Error('Key (email)=(head@school.example)'), {
      code: '23505',
      constraint_name: 'user_email',
      parameters: ['head'],
    })
    const fields = errorFields(
      Object.assign(new Error('Failed query … params: 12345678'), { query: 'insert into "user"', params: ['12345678'], cause }),
    )
    expect(fields).toMatchObject({
      type: 'Error',
      message: 'the database refused a statement',
      statement: 'insert into "user"',
      cause: { code: '23505', constraint: 'user_email', message: 'Key (email)=(…)' },
    })
    expect((fields['stack'] as string[])[0]).toContain('log.test.ts')
    expect(JSON.stringify(fields)).not.toMatch(/12345678|params|head@/)
  })

  test.each([
    ['a text', 'a text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [7, '7'],
  ])('%s is one too', (thrown, message) => {
    expect(errorFields(thrown)).toMatchObject({ message })
  })

  test('with a cycle of causes are cut off', () => {
    const error: { cause?: unknown; message: string } = { message: 'round' }
    error.cause = error
    expect(JSON.stringify(errorFields(error)).length).toBeLessThan(1_000)
  })
})

test('an entry is one line of JSON with its level by name, whatever it contains', () => {
  const text = lineOf((log) => log.warn({ value: 'a\nb\r\u0000\u2028\ud800', err: new Error('x\ny') }, 'first\nsecond'))
  expect(text.trimEnd()).not.toContain('\n')
  expect(JSON.parse(text)).toMatchObject({ level: 'warn', msg: 'first\nsecond' })
})

test('a request is described only where its line is logged; at the level of warnings only refused access is', () => {
  const lines: string[] = []
  const log = jsonLog('warn', { write: (line) => void lines.push(line) })
  let described = 0
  const finished = (status: number) => ({
    ...{ requestId: 'r', actor: null, method: 'GET', route: '/api/terms', path: '/api/terms', input: undefined, status, ms: 1 },
    ...{ failure: undefined, isGone: false },
    address: () => {
      described += 1
      return '127.0.0.1'
    },
  })
  recordRequest(log, finished(200))
  expect({ lines, described }).toEqual({ lines: [], described: 0 })
  recordRequest(log, finished(403))
  expect(described).toBe(1)
  expect(JSON.parse(lines[0] as string)).toMatchObject({ level: 'warn', status: 403, address: '127.0.0.1' })
})

test.each([
  ['POST', '/api/auth/otp/verify', 200, 'sign-in'],
  ['POST', '/api/auth/otp/verify', 400, 'sign-in'],
  ['DELETE', '/api/auth/totp', 200, 'sign-in'],
  ['DELETE', '/api/auth/sessions/:id', 200, 'sign-in'],
  ['POST', '/api/schools/members/:userId/reset-sign-in', 200, 'sign-in'],
  ['POST', '/api/auth/refresh', 200, undefined],
  ['PATCH', '/api/auth/profile', 200, undefined],
  ['GET', '/api/auth/sessions', 200, undefined],
  ['POST', '/api/grades', 200, undefined],
])('at the level of warnings %s %s with %i is kept as %s', (method, route, status, msg) => {
  const lines: string[] = []
  const log = jsonLog('warn', { write: (line) => void lines.push(line) })
  const rest = {
    requestId: 'r',
    actor: null,
    path: route,
    input: undefined,
    ms: 1,
    failure: undefined,
    isGone: false,
    address: () => '127.0.0.1',
  }
  recordRequest(log, { ...rest, method, route, status })
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(msg ? [msg] : [])
})
