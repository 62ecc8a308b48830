import { describe, expect, test } from 'vitest'
import { contract } from './contract.ts'
import type { Endpoint } from './endpoint.ts'
import { openapiOf } from './openapi.ts'

type Parameter = { $ref?: string; name: string; in: string; required: boolean; schema: object }
type Operation = {
  operationId: string
  summary: string
  security?: unknown[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: { type: string; required?: string[] } }> }
  responses: Record<string, { description: string; headers?: object; content: Record<string, { schema?: object }> }>
}
type Document = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { properties: object }> }
}

const document = openapiOf(contract) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [operation.operationId, { path, method, operation }] as const),
)
const endpoints = Object.entries(contract).flatMap(([resource, own]) =>
  Object.entries(own).map(([name, endpoint]) => [`${resource}.${name}`, endpoint as Endpoint] as const),
)
const operationOf = (id: string): Operation => {
  const found = new Map(operations).get(id)
  if (!found) throw new Error(`no operation ${id}`)
  return found.operation
}

/** The target of a reference, or undefined. */
const resolved = (reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)

describe('the OpenAPI document', () => {
  test('is of version 3.1 and plain JSON', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  })

  test('holds every endpoint once, at its path and method', () => {
    const expected = endpoints.map(([id, { method, path }]) => [id, method.toLowerCase(), path.replace(/:(\w+)/g, '{$1}')])
    expect(operations.map(([id, { path, method }]) => [id, method, path]).sort()).toEqual(expected.sort())
  })

  test('has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference as string)
    expect(references.length).toBeGreaterThan(100)
    expect(references.filter((reference) => !reference.startsWith('#/components/') || resolved(reference) === undefined)).toEqual([])
  })

  test('has no leftovers of the schema converter', () => {
    expect(JSON.stringify(document)).not.toMatch(/\$defs|\$schema|~standard|9007199254740991/)
  })

  test.each(operations)('%s declares the parameters of its path, and no others there', (_id, { path, operation }) => {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    expect(inPath.every(({ required }) => required)).toBe(true)
  })

  test.each(endpoints)('%s declares its query, and paging where it is a list', (id, { query, list }) => {
    const inQuery = operationOf(id).parameters.filter((parameter) => parameter.in === 'query')
    expect(inQuery.map(({ name }) => name)).toEqual([...Object.keys(query?.shape ?? {}), ...(list ? ['limit', 'offset'] : [])])
  })

  test.each(endpoints)('%s answers its status, and describes each failure it names', (id, { status = 200, fails = [] }) => {
    const { responses } = operationOf(id)
    expect(Object.keys(responses)).toContain(String(status))
    const described = Object.values(responses).map(({ description }) => description)
    for (const code of fails) expect(described.filter((text) => text.includes(`\`${code}\``))).toHaveLength(1)
    expect(described.filter((text) => text.includes('Not declared'))).toEqual([])
  })

  test.each(endpoints)('%s has a body exactly where the contract has one', (id, { body }) => {
    expect(Object.keys(operationOf(id).requestBody?.content ?? {})).toEqual(
      body === undefined ? [] : [body === 'multipart' ? 'multipart/form-data' : 'application/json'],
    )
  })
})

test('the keys of a row stand in the order of its reply', () => {
  expect(Object.keys(document.components.schemas['Grade']?.properties ?? {})).toEqual(Object.keys(contract.grades.create.reply.shape))
})

test('a term is created with the six fields it needs, by its administrator', () => {
  const { requestBody, responses } = operationOf('terms.create')
  expect(requestBody?.content['application/json']?.schema.required).toEqual([
    'academicYearId',
    'name',
    'startDate',
    'endDate',
    'examWeight',
    'courseworkWeight',
  ])
  expect(responses['201']?.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Term' })
  expect(responses['403']?.description).toContain('`admin_only`')
})

test('every operation needs a session, except those of the sign-in page', () => {
  const open = operations.filter(([, { operation }]) => operation.security?.length === 0).map(([id]) => id)
  expect(open).toEqual(['auth.sendOtp', 'auth.verifyOtp', 'outage.ways', 'passkeys.ask', 'passkeys.signIn'])
})

test('only a join request has an optional body', () => {
  expect(operations.filter(([, { operation }]) => operation.requestBody?.required === false).map(([id]) => id)).toEqual([
    'schools.requestToJoin',
  ])
})

test('every operation takes the version header', () => {
  const without = operations.filter(
    ([, { operation }]) => !operation.parameters.some(({ $ref }) => $ref === '#/components/parameters/version'),
  )
  expect(without).toEqual([])
})

test('a list has the total in a header, and a file has no JSON schema', () => {
  expect(operationOf('terms.list').responses['200']?.headers).toHaveProperty('X-Total-Count')
  expect(operationOf('terms.get').responses['200']?.headers).toBeUndefined()
  expect(Object.keys(operationOf('imports.gradeSheet').responses['200']?.content ?? {})).toEqual(['application/octet-stream'])
})
