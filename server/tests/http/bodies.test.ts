import { limits } from '@markbook/shared/limits'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../../testing/ask.ts'
import { type Furnished, furnished, type Named, withJson } from '../matrix/furnished.ts'
import { type Field, fieldsOf, withField, wrongTypes } from '../sweep/fields.ts'
import { refusalOf } from '../sweep/refusal.ts'

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

const told = async (named: Named, body: unknown, app = at.st.app) =>
  ask(app, named.endpoint, { ...at.ownAsk(named), body }, at.ownCookie(named))
const bodyOf = (named: Named) => at.ownAsk(named).body

/** Sends each body and lists those that are not refused as they should be. */
async function notRefused(named: Named, bodies: readonly (readonly [what: string, body: unknown])[], codes: readonly string[]) {
  const wrong: string[] = []
  for (const [what, body] of bodies) {
    const answer = refusalOf(await told(named, body))
    if (!codes.some((code) => answer === `400 ${code}`)) wrong.push(`${what}: ${answer}`)
  }
  return wrong
}

const INVALID = ['validation_failed', 'malformed_id']
const names = withJson.map((named) => named.name)
const fields = (named: Named) => fieldsOf(named.endpoint)
const label = ({ path }: Field, value: unknown) => `${path.join('.')} = ${JSON.stringify(value)?.slice(0, 40)}`

describe('a body is refused', () => {
  test('there are bodies to sweep', () => {
    expect(names.length).toBeGreaterThan(30)
    expect(withJson.flatMap(fields).length).toBeGreaterThan(80)
  })

  test.each(withJson)('$name: with a field that nobody knows, or that would change every object', async (named) => {
    const text = JSON.stringify(bodyOf(named))
    const nested = fields(named)
      .filter(({ path }) => path.includes('0'))
      .map(({ path }) => [...path.slice(0, -1), 'surprise'])
    const bodies = [
      ...[['surprise'], ...nested].map((path) => [path.join('.'), withField(bodyOf(named), path, 1)] as const),
      ['school_id', withField(bodyOf(named), ['school_id'], 'x')] as const,
      ['__proto__', `${text.slice(0, -1)},"__proto__":{"role":"admin"}}`.replace('{,', '{')] as const,
      ['constructor', `${text.slice(0, -1)},"constructor":{"prototype":{"role":"admin"}}}`.replace('{,', '{')] as const,
    ]
    expect(await notRefused(named, bodies, INVALID)).toEqual([])
    expect(({} as { role?: string }).role).toBeUndefined()
  })

  test.each(withJson)('$name: without a field that it needs', async (named) => {
    const needed = fields(named).filter(({ isRequired }) => isRequired)
    const bodies = needed.map((field) => [label(field, undefined), withField(bodyOf(named), field.path, undefined)] as const)
    expect(await notRefused(named, bodies, INVALID)).toEqual([])
  })

  test.each(withJson)('$name: with another type in any field', async (named) => {
    const bodies = fields(named).flatMap((field) =>
      wrongTypes(field).map((value) => [label(field, value), withField(bodyOf(named), field.path, value)] as const),
    )
    expect(await notRefused(named, bodies, INVALID)).toEqual([])
  })

  test.each(withJson)('$name: with control characters, half a character or a line break in any line of text', async (named) => {
    const words = (field: Field) => [
      'a\u0000b',
      'a\u0007',
      '\u001b[31m',
      'a\u0085',
      'a\u2028b',
      'a\ud800',
      ...(hasLines(field) ? [] : ['a\r\nb', 'a\nb']),
    ]
    const bodies = fields(named)
      .filter(({ isText }) => isText)
      .flatMap((field) => words(field).map((value) => [label(field, value), withField(bodyOf(named), field.path, value)] as const))
    expect(await notRefused(named, bodies, INVALID)).toEqual([])
  })

  test.each(withJson)('$name: where it is no object', async (named) => {
    const bodies = ['null', '[]', '"text"', '7', 'true', '[{}]'].map((text) => [text, text] as const)
    expect(await notRefused(named, bodies, INVALID)).toEqual([])
  })

  test.each(withJson)('$name: where it is no JSON', async (named) => {
    const bodies = ['{', '{"a":1}}', 'undefined', "{'a':1}", '{"a":NaN}', '{"a":1,}', '\ufeff\ufeff{}'].map((text) => [text, text] as const)
    expect(await notRefused(named, bodies, ['invalid_json'])).toEqual([])
  })
})

test.each(withJson)('$name: as many brackets or unknown fields as fit are refused at little cost in few words', async (named) => {
  const most = named.endpoint.guard === 'none' ? limits.body.jsonWithoutSessionBytes : limits.body.jsonBytes
  const long = JSON.stringify(Object.fromEntries(Array.from({ length: most / 18 }, (_, at) => [`field${at}`, 1])))
  const wide = JSON.stringify({ ['x'.repeat(most - 100)]: 1 })
  const half = most / 2 - 100
  const nested = `{"a":${'['.repeat(half)}${']'.repeat(half)}}`
  const deepInOwn = `${JSON.stringify(bodyOf(named)).slice(0, -1)},"surprise":${'['.repeat(20)}${']'.repeat(20)}}`.replace('{,', '{')
  for (const [body, codes] of [
    [nested, ['too_deep']],
    [deepInOwn, ['too_deep']],
    [long, INVALID],
    [wide, INVALID],
  ] as const) {
    const answer = await told(named, body)
    expect(codes.map((code) => `400 ${code}`)).toContain(refusalOf(answer))
    expect(answer.text.length).toBeLessThan(3_000)
  }
})

/** Remarks, and why a report is sent back. */
const hasLines = ({ maxLength, path }: Field) => maxLength === limits.text.remark || path.at(-1) === 'reason'
