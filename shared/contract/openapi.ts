import { z } from 'zod'
import { declaredFailures } from '../failures.ts'
import { limits } from '../limits.ts'
import type { Endpoint, Guard, Resource } from './endpoint.ts'

type Json = { [key: string]: unknown }
type Schemas = Record<string, Json>

const GUARDS: Record<Guard, string> = {
  none: 'For anybody.',
  session: 'For anybody who is signed in.',
  school: 'For everybody who belongs to the school.',
  staff: 'For teachers, where they are assigned, and administrators of the school.',
  admin: 'For administrators of the school.',
}

const REFUSALS: Record<Guard, readonly string[]> = {
  none: [],
  session: ['unauthenticated'],
  school: ['unauthenticated', 'no_school', 'inactive', 'forbidden'],
  staff: ['unauthenticated', 'no_school', 'inactive', 'forbidden'],
  admin: ['unauthenticated', 'no_school', 'inactive', 'admin_only'],
}

const FRESH = `Only within ${limits.proof.validMs / 60_000} minutes of a sign-in or of POST /api/auth/proof.`

const VERSION_HEADER = {
  name: 'X-API-Version',
  in: 'header',
  description: 'The version of the interface; 1 when absent. The reply names it again.',
  schema: { type: 'string', enum: ['1'], default: '1' },
}

const ERROR = {
  type: 'object',
  properties: {
    statusCode: { type: 'integer' },
    error: { type: 'string' },
    code: { type: 'string' },
    message: { type: 'string', description: 'One sentence for a teacher.' },
    issues: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } }, required: ['path', 'message'] },
    },
  },
  required: ['statusCode', 'error', 'code', 'message'],
}

/** The contract as an OpenAPI 3.1 document. Written by hand is only what all endpoints share. */
export function openapiOf(contract: Record<string, Resource>): Json {
  const schemas: Schemas = { Error: ERROR }
  const paths: Record<string, Json> = {}
  for (const [resource, endpoints] of Object.entries(contract)) {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
      const operation = { operationId: `${resource}.${name}`, tags: [resource], ...operationOf(endpoint, schemas) }
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Markbook', version: '1', description: 'School grading and reporting.' },
    servers: [{ url: '/' }],
    security: [{ session: [] }],
    tags: Object.keys(contract).map((name) => ({ name })),
    paths,
    components: {
      schemas,
      parameters: { version: VERSION_HEADER },
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'sb-local-auth-token',
          description: 'The session cookie `<COOKIE_PREFIX>-<PROJECT_REF>-auth-token`, set on signing in; long ones come in chunks.',
        },
      },
    },
  }
}

function operationOf(endpoint: Endpoint, schemas: Schemas): Json {
  return {
    summary: endpoint.summary,
    description: [endpoint.who ?? GUARDS[endpoint.guard], endpoint.fresh && FRESH, endpoint.notes].filter(Boolean).join(' '),
    ...(endpoint.guard === 'none' ? { security: [] } : {}),
    parameters: parametersOf(endpoint, schemas),
    ...(endpoint.body ? { requestBody: requestBodyOf(endpoint, schemas) } : {}),
    responses: { [endpoint.status ?? 200]: successOf(endpoint, schemas), ...failuresOf(endpoint) },
  }
}

function parametersOf(endpoint: Endpoint, schemas: Schemas): Json[] {
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  }))
  const { properties = {}, required = [] } = (endpoint.query ? schemaOf(endpoint.query, schemas) : {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  const inQuery = Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
  return [...inPath, ...inQuery, ...(endpoint.list ? PAGING : []), { $ref: '#/components/parameters/version' }]
}

const PAGING = [
  { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: limits.page.max } },
  { name: 'offset', in: 'query', required: false, schema: { type: 'integer', minimum: 0 } },
]

function requestBodyOf({ body, form }: Endpoint, schemas: Schemas): Json {
  if (body && body !== 'multipart')
    return { required: !body.safeParse(undefined).success, content: { 'application/json': { schema: schemaOf(body, schemas) } } }
  const { properties = {}, required = [] } = (form ? schemaOf(form, schemas) : {}) as { properties?: Json; required?: string[] }
  const parts = {
    type: 'object',
    properties: { ...properties, file: { type: 'string', contentMediaType: 'application/octet-stream' } },
    required: [...required, 'file'],
  }
  return { required: true, content: { 'multipart/form-data': { schema: parts } } }
}

function successOf({ summary, reply, event, list }: Endpoint, schemas: Schemas): Json {
  const content =
    reply === 'binary'
      ? { 'application/octet-stream': {} }
      : reply === 'events'
        ? { 'text/event-stream': event ? { 'x-event-data': schemaOf(event, schemas) } : {} }
        : { 'application/json': { schema: schemaOf(reply, schemas) } }
  const total = { 'X-Total-Count': { description: 'Rows in the whole list.', schema: { type: 'integer' } } }
  return { description: summary, ...(list ? { headers: total } : {}), content }
}

/** The failures that the endpoint's kind may give, and those that it names, by status. */
function failuresOf(endpoint: Endpoint): Record<string, Json> {
  const named = endpoint.path.includes(':')
  const checked = named || endpoint.body || endpoint.query || endpoint.list
  const codes = [
    ...(checked ? ['validation_failed'] : []),
    ...REFUSALS[endpoint.guard],
    ...(endpoint.fresh ? ['auth.fresh_proof_needed'] : []),
    ...(named || endpoint.targets.length > 0 ? ['not_found'] : []),
    ...(endpoint.body ? ['too_large', 'wrong_type'] : []),
    ...(endpoint.fails ?? []),
  ]
  const linesByStatus = new Map<number, string[]>()
  for (const code of codes) {
    const [status, message] = declaredFailures.get(code) ?? [500, 'Not declared.']
    linesByStatus.set(status, [...(linesByStatus.get(status) ?? []), `\`${code}\`: ${message}`])
  }
  const byStatus = [...linesByStatus].map(([status, lines]) => [String(status), failure(lines.join('\n\n'))] as const)
  return { ...Object.fromEntries(byStatus), default: failure('Any other failure.') }
}

const failure = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

/** JSON Schema of a request or reply. A row with a name is added to the components once and referenced. */
function schemaOf(schema: z.ZodType, schemas: Schemas): Json {
  const {
    $schema: _dialect,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, { io: 'input', override: withoutSafeBounds }) as Json & { $defs?: Schemas }
  for (const [name, definition] of Object.entries($defs)) schemas[name] = withComponentRefs(definition)
  return withComponentRefs(own)
}

/** Removes the bounds of safe integers, which zod adds. */
const withoutSafeBounds = ({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

const withComponentRefs = (schema: Json): Json => JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
