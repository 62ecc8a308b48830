import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { declaredFailures } from '../failures.ts'
import { contract } from './contract.ts'
import type { Endpoint } from './endpoint.ts'
import { addedRows, specifiedRows } from './specification.fixtures.ts'

const endpoints = Object.entries(contract).flatMap(([resource, own]) =>
  Object.entries(own).map(([name, endpoint]) => [`${resource}.${name}`, endpoint as Endpoint] as const),
)
const bodies = endpoints.flatMap(([name, endpoint]) => {
  const { body } = endpoint
  return body === undefined || body === 'multipart' ? [] : [[name, { ...endpoint, body }] as const]
})
const rowOf = ({ method, path }: Endpoint) => `${method} ${path}`
const rows = endpoints.map(([, endpoint]) => rowOf(endpoint))
const specified: readonly string[] = specifiedRows
const OWN_BARE_CODES = ['otp_invalid', 'otp_locked', 'otp_too_soon', 'no_active_year', 'already_enrolled']
/** PATCH endpoints that are actions: their body states the action, so an empty one is refused. */
const ACTIONS = [
  '/api/auth/onboard',
  '/api/schools/join-requests/:requestId/approve',
  '/api/subjects/reorder',
  '/api/classes/:classId/class-teacher',
  '/api/assessments/:id/exclude',
  '/api/grades/:id/exclude',
  '/api/reports/:id/approval',
]

const swallows = (earlier: string, later: string): boolean => {
  const [own, other] = [earlier.split('/'), later.split('/')]
  return own.length === other.length && earlier !== later && own.every((part, at) => part === other[at] || part.startsWith(':'))
}
const shapeOf = (body: Endpoint['body']): object => (body instanceof z.ZodObject ? body.shape : {})
const SPECIFICATION = new URL('../../../shared/spec/interface-specification.md', import.meta.url)

describe('the specification', () => {
  test.skipIf(!existsSync(SPECIFICATION))('has exactly the listed rows', () => {
    const tables = readFileSync(SPECIFICATION, 'utf8').matchAll(/^\| (GET|POST|PATCH|PUT|DELETE) \| (\/api\/\S+) \|/gm)
    expect([...tables].map(([, method, path]) => `${method} ${path}`)).toEqual(specified)
  })

  test.each(specified)('%s is in the contract', (row) => {
    expect(rows).toContain(row)
  })

  test.each(rows)('%s is in the specification or in the decisions', (row) => {
    expect([...specified, ...addedRows]).toContain(row)
  })

  test('every addition is in the contract, and none is in the specification', () => {
    expect(rows).toEqual(expect.arrayContaining([...addedRows]))
    expect(addedRows.filter((row) => specified.includes(row))).toEqual([])
  })
})

describe('the contract', () => {
  test('names every method and path once', () => {
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([])
  })

  test('lists fixed paths before those whose parameter would swallow them', () => {
    const swallowed = endpoints.filter(([, endpoint], index) =>
      endpoints.slice(0, index).some(([, before]) => before.method === endpoint.method && swallows(before.path, endpoint.path)),
    )
    expect(swallowed.map(([name]) => name)).toEqual([])
  })

  test.each(endpoints)('%s fails only with codes that are declared', (_name, { fails = [] }) => {
    expect(fails.filter((code) => !declaredFailures.has(code))).toEqual([])
  })

  test('promises every failure that a resource declares', async () => {
    // In a worker, other test files declare failures too; here only those count that the contract imports.
    vi.resetModules()
    await import('./contract.ts')
    const { declaredFailures } = await import('../failures.ts')
    const promised = new Set(endpoints.flatMap(([, { fails = [], fresh }]) => [...fails, ...(fresh ? ['auth.fresh_proof_needed'] : [])]))
    const declared = [...declaredFailures.keys()].filter((code) => code.includes('.') || OWN_BARE_CODES.includes(code))
    expect(declared.filter((code) => !promised.has(code))).toEqual([])
  })

  test.each(endpoints)('%s has its targets in the body or the query', (_name, { targets = [], body, form, query }) => {
    const shape = { ...query?.shape, ...form?.shape, ...shapeOf(body) }
    expect(targets.filter((target) => !(target in shape))).toEqual([])
  })

  test('answers 201 only to POST', () => {
    expect(endpoints.filter(([, { status, method }]) => status === 201 && method !== 'POST')).toEqual([])
  })

  test.each(endpoints)('%s pages its reply where it is a list that is read, and only there', (_name, { method, reply, list = false }) => {
    expect(list).toBe(method === 'GET' && reply instanceof z.ZodArray)
  })

  test('leaves out the session only for what the sign-in page calls', () => {
    expect(endpoints.filter(([, { guard }]) => guard === 'none').map(([name]) => name)).toEqual([
      'auth.sendOtp',
      'auth.verifyOtp',
      'outage.ways',
      'passkeys.ask',
      'passkeys.signIn',
    ])
  })

  test.each(bodies)('%s refuses a field that it does not know, and a body that is no object', (_name, { body }) => {
    for (const wrong of [{ surprise: 1 }, null, [], 'text', 1]) expect(body.safeParse(wrong).success).toBe(false)
  })

  test.each(bodies.filter(([, { method, path }]) => method === 'PATCH' && !ACTIONS.includes(path)))(
    '%s takes an empty change',
    (_name, { body }) => {
      expect(body.safeParse({})).toEqual({ success: true, data: {} })
    },
  )

  test.each(bodies.filter(([, { path }]) => ACTIONS.includes(path)))('%s does not', (_name, { body }) => {
    expect(body.safeParse({}).success).toBe(false)
  })
})
