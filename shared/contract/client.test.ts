import { describe, expect, test } from 'vitest'
import { Failure } from '../failures.ts'
import { clientOf, pathOf, type Send } from './client.ts'
import { contract } from './contract.ts'

const id = '0190a1b2-c3d4-7e5f-8a9b-000000000001'
const baseUrl = 'http://school.test'

/** A service with one fixed answer, and the requests that it received. */
function service(answer: () => Response) {
  const asked: Request[] = []
  const send: Send = async (request) => {
    asked.push(request)
    return answer()
  }
  return { client: clientOf(contract, { baseUrl, send }), asked }
}
const json = (body: unknown, init?: ResponseInit) => () => Response.json(body, init)
const only = (asked: readonly Request[]): Request => {
  expect(asked).toHaveLength(1)
  return asked[0] as Request
}

describe('a call', () => {
  test('sends a body as JSON to the path of the endpoint and gives the reply', async () => {
    const { client, asked } = service(json({ id, score: 71.5 }, { status: 201 }))
    const body = { assessmentId: id, studentId: id, score: 71.5 }
    expect(await client.grades.create({ body })).toEqual({ id, score: 71.5 })
    const request = only(asked)
    expect([request.method, request.url]).toEqual(['POST', `${baseUrl}/api/grades`])
    expect(request.headers.get('content-type')).toBe('application/json')
    expect(await request.json()).toEqual(body)
  })

  test('fills every parameter into the path', async () => {
    const { client, asked } = service(json({ message: 'Removed.' }))
    await client.classes.removeStudentSubject({ params: { id: 'a', sid: 'b', subjectId: 'c' } })
    expect([only(asked).method, only(asked).url]).toEqual(['DELETE', `${baseUrl}/api/classes/a/students/b/subjects/c`])
  })

  test('sends the query without undefined values', async () => {
    const { client, asked } = service(json([]))
    await client.students.list({ query: { search: 'Élan & co', isActive: 'true', classId: undefined, limit: 20 } })
    const url = new URL(only(asked).url)
    expect([...url.searchParams]).toEqual([
      ['search', 'Élan & co'],
      ['isActive', 'true'],
      ['limit', '20'],
    ])
  })

  test('without a body sends no content type', async () => {
    const { client, asked } = service(json({ message: 'Bye.' }))
    await client.auth.logout()
    expect(only(asked).headers.get('content-type')).toBeNull()
    expect(only(asked).body).toBeNull()
  })

  test('sends a file as multipart', async () => {
    const { client, asked } = service(json({ rows: [] }))
    const body = new FormData()
    body.append('file', new Blob(['first_name']), 'students.csv')
    await client.imports.students({ query: { dryRun: 'true' }, body })
    expect(only(asked).headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/)
    const part = (await only(asked).formData()).get('file') as File
    expect([part.name, await part.text()]).toEqual(['students.csv', 'first_name'])
  })

  test('gives a file as bytes', async () => {
    const { client } = service(() => new Response(new Uint8Array([80, 75, 0, 255])))
    const sheet = await client.imports.gradeSheet({ query: { studentGroupId: id, termId: id, subjectId: id } })
    expect(sheet).toEqual(new Uint8Array([80, 75, 0, 255]))
  })
})

describe('a refusal', () => {
  const refused = async (answer: () => Response): Promise<Failure> => {
    const failure = await service(answer)
      .client.imports.gradeSheet({ query: { studentGroupId: id, termId: id, subjectId: id } })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Failure)
    return failure as Failure
  }

  test('is thrown with status, code, message, issues and headers', async () => {
    const issues = [{ path: 'examWeight', message: 'is required' }]
    const body = { statusCode: 429, error: 'Too Many Requests', code: 'otp_too_soon', message: 'Please wait.', issues }
    const failure = await refused(json(body, { status: 429, headers: { 'retry-after': '42' } }))
    expect(failure).toMatchObject({ status: 429, code: 'otp_too_soon', message: 'Please wait.', issues })
    expect(failure.headers?.['retry-after']).toBe('42')
  })

  test.each(['<h1>Bad gateway</h1>', '', 'null', '"text"'])('from another server (%j) still has a sentence', async (body) => {
    const failure = await refused(() => new Response(body, { status: 502 }))
    expect(failure).toMatchObject({ status: 502, code: 'unreadable_reply', issues: undefined })
    expect(failure.message).not.toBe('')
  })
})

test.each([
  [200, '<h1>Sign in to this network</h1>', 502],
  [200, '[{"id":"5', 502],
  [200, '', 502],
  [200, '"text"', 502],
  [403, '<h1>Blocked</h1>', 502],
  [404, '{"message":"no route"}', 502],
  [413, '<h1>Too large</h1>', 413],
])('a reply of another server (%d %j) is thrown as %d', async (status, body, as) => {
  const { client } = service(() => new Response(body, { status }))
  const failure = await client.grades.bulk({ body: { assessmentId: id, grades: [] } }).catch((error: unknown) => error)
  expect(failure).toMatchObject({ status: as, code: 'unreadable_reply' })
})

test.each([200, 404])('a reply of %d that breaks off is thrown as 502', async (status) => {
  const broken = () => {
    let pulls = 0
    return new ReadableStream({
      pull: (controller) =>
        ++pulls === 1 ? controller.enqueue(new TextEncoder().encode('[{"id"')) : controller.error(new TypeError('terminated')),
    })
  }
  const { client } = service(() => new Response(broken(), { status }))
  const failure = await client.grades.list({ query: { assessmentId: id } }).catch((error: unknown) => error)
  expect(failure).toMatchObject({ status: 502, code: 'unreadable_reply' })
})

describe('raw', () => {
  test('gives status, headers and body of a refusal', async () => {
    const { client } = service(json({ code: 'terms.duplicate_name' }, { status: 409, headers: { 'x-api-version': '1' } }))
    const reply = await client.terms.create.raw({ body: {} })
    expect([reply.status, reply.headers.get('x-api-version'), reply.body]).toEqual([409, '1', { code: 'terms.duplicate_name' }])
  })

  test('sends whatever it is told to', async () => {
    const { client, asked } = service(json({}))
    await client.terms.update.raw({
      params: { id: 'not/an id' },
      query: { x: 1 },
      body: { y: null },
      headers: { origin: 'http://elsewhere.test' },
    })
    expect(only(asked).url).toBe(`${baseUrl}/api/terms/not%2Fan%20id?x=1`)
    expect(only(asked).headers.get('origin')).toBe('http://elsewhere.test')
    expect(await only(asked).json()).toEqual({ y: null })
  })
})

test('a missing path parameter throws a plain Error', () => {
  expect(() => pathOf(contract.terms.get)).toThrow('/api/terms/:id needs the parameter id')
})

test('a network error is rethrown, not turned into a Failure', async () => {
  const send = () => Promise.reject(new TypeError('fetch failed'))
  await expect(clientOf(contract, { baseUrl, send }).auth.me()).rejects.toThrow(TypeError)
})
