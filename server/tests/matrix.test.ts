import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { common } from '@markbook/shared/failures'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Ask, ask } from '../testing/ask.ts'
import { type Actor, actors, isPerson } from './matrix/actors.ts'
import { endpoints, type Furnished, furnished } from './matrix/furnished.ts'
import { counterpart } from './matrix/neighbour.ts'
import { placesOf, withIdAt } from './matrix/places.ts'
import { ABSENT, expected, withoutCode } from './matrix/row.ts'

let at: Furnished
/** Everything stored, as the test before left it. */
let stored: string
beforeAll(async () => {
  at = await furnished()
  stored = await at.st.digest()
})
afterAll(() => at.st.close())

async function expectUntouched() {
  const before = stored
  stored = await at.st.digest()
  expect(stored).toBe(before)
}

const okOf = ({ status = 200 }: Endpoint) => String(status)
const saw = (endpoint: Endpoint, { status, code }: Answer) => (String(status) === okOf(endpoint) ? 'ok' : `${status}:${code}`)
/** What was said, in as many words as what was expected. */
const inWordsOf = (want: string, seen: string) => (want.includes(':') ? seen : (seen.split(':')[0] ?? ''))

/** Where the schools of the service are public, and what a join request repeats. */
const PUBLIC = ['schools.list', 'schools.requestToJoin']
const HILLTOP = /hilltop-marker|00000000-0000-7000-8000-\d{4}0002\d{4}/i

const COMMON = new Set(Object.values(common).map((failure) => failure().code))
/** A code that neither every endpoint nor this one may answer. */
const undeclaredIn = (name: string, { fails = [] }: Endpoint, { status, code }: Answer): string[] =>
  status < 400 || (code !== undefined && (COMMON.has(code) || fails.includes(code))) ? [] : [`${name} answers ${status} ${code}`]

function leakIn(name: string, actor: Actor, asked: Ask, { text, headers }: Answer): string[] {
  if (actor === 'marker' || PUBLIC.includes(name)) return []
  const said = `${text}${headers}`.match(new RegExp(HILLTOP, 'gi')) ?? []
  const own = JSON.stringify(asked).toLowerCase()
  return said.some((word) => !own.includes(word.toLowerCase())) ? [`${name} tells ${actor} of ${said[0]}`] : []
}

describe('every endpoint answers every actor as the documents say', () => {
  test.each(endpoints)('$name', async (named) => {
    const { endpoint, name } = named
    const [seen, wanted, faults]: [string[], string[], string[]] = [[], [], []]
    for (const [target, row] of Object.entries(at.rowOf(named))) {
      for (const actor of actors) {
        const want = expected(endpoint, row, actor)
        // What should pass is tried and taken back; what should be refused has to leave everything as it was by itself.
        const told = await ask(want === 'ok' || endpoint.guard === 'none' ? at.dry : at.st.app, endpoint, row[0], at.cookies[actor])
        wanted.push(`${target} ${actor} ${want}`)
        seen.push(`${target} ${actor} ${inWordsOf(want, saw(endpoint, told))}`)
        faults.push(...leakIn(name, actor, row[0], told), ...undeclaredIn(name, endpoint, told))
      }
    }
    expect(seen).toEqual(wanted)
    expect(faults).toEqual([])
    await expectUntouched()
  })
})

const MALFORMED = ['not-an-id', 'ABCDEF00-0000-7000-8000-00000000000A', '00000000-0000-7000-8000-99999999999']

describe('a malformed id is 400 before anybody’s rights are looked at, also in a list of a body', () => {
  const withIds = endpoints.filter(({ endpoint }) => endpoint.path.includes(':') || endpoint.targets.length > 0 || endpoint.body)
  test.each(withIds)('$name', async (named) => {
    const { endpoint } = named
    const { own } = at.rowOf(named)
    const [seen, wanted]: [string[], string[]] = [[], []]
    for (const place of placesOf(own[0])) {
      for (const [word, actor] of MALFORMED.flatMap((word) =>
        (['anonymous', 'tomas', 'niamh', 'ada', 'okafor'] as const).map((actor) => [word, actor] as const),
      )) {
        const told = await ask(at.st.app, endpoint, withIdAt(own[0], place, word), at.cookies[actor])
        const want = endpoint.guard === 'none' || isPerson(actor) ? '400:malformed_id' : '401:unauthenticated'
        wanted.push(`${place.path.join('.')} ${word} ${actor} ${want}`)
        seen.push(`${place.path.join('.')} ${word} ${actor} ${inWordsOf(want, saw(endpoint, told))}`)
      }
    }
    expect(seen).toEqual(wanted)
    await expectUntouched()
  })
})

/** Where another school's id is not hidden: schools are public, and a review of another school's request is 403 by the specification. */
const SEEN = ['auth.onboard', 'schools.requestToJoin', 'schools.approve', 'schools.reject']
/** Where an id that is not the caller's is no 404. */
const OTHER_ANSWER: Record<string, string> = { 'auth.updateProfile': '403', 'subjects.reorder': '400' }

describe('an id of another school is answered, byte for byte, like one that nobody has', () => {
  const hiding = endpoints.filter(({ name }) => !SEEN.includes(name))
  test.each(hiding)('$name', async (named) => {
    const { endpoint, name } = named
    const differing: string[] = []
    for (const row of Object.values(at.rowOf(named))) {
      // A place that is wrong already would answer for the one that is tried.
      const isWrong = placesOf(row[0]).some(({ id }) => id === ABSENT || HILLTOP.test(id))
      if (isWrong || expected(endpoint, row, 'okafor') === '404') continue
      for (const place of placesOf(row[0])) {
        const foreign = withIdAt(row[0], place, counterpart(place.id, at.history))
        const absent = withIdAt(row[0], place, ABSENT)
        for (const actor of ['niamh', 'ada', 'byrne', 'quinn', 'okafor'] as const) {
          const told = await ask(at.st.app, endpoint, foreign, at.cookies[actor])
          const said = await ask(at.st.app, endpoint, absent, at.cookies[actor])
          const where = `${actor} ${place.path.join('.')}`
          if (JSON.stringify(told) !== JSON.stringify(said))
            differing.push(`${where}: ${told.status} ${told.text} not ${said.status} ${said.text}`)
          if (saw(endpoint, told) === 'ok') differing.push(`${where}: passes`)
          const want = OTHER_ANSWER[name] ?? '404'
          if (actor === 'okafor' && String(told.status) !== want) differing.push(`${where}: ${told.status}:${told.code} not ${want}`)
        }
      }
    }
    expect(differing).toEqual([])
    await expectUntouched()
  })
})

describe('the matrix itself', () => {
  test('has a row for every endpoint of the contract, and none besides', () => {
    const rows = Object.entries(at.matrix).flatMap(([resource, list]) => Object.keys(list).map((key) => `${resource}.${key}`))
    expect(rows.sort()).toEqual(endpoints.map(({ name }) => name).sort())
  })

  test.each(endpoints)('$name: what is asked for is valid, and somebody gets it', (named) => {
    const { endpoint } = named
    const rows = Object.values(at.rowOf(named))
    for (const [{ body, query }] of rows) {
      if (endpoint.body && endpoint.body !== 'multipart') expect(endpoint.body.safeParse(body).error).toBeUndefined()
      if (endpoint.query) expect(endpoint.query.safeParse(query ?? {}).error).toBeUndefined()
    }
    const outcomes = rows.flatMap((row) => actors.map((actor) => expected(endpoint, row, actor)))
    expect(outcomes.filter((word) => !/^(ok|4\d\d(:[a-z_.]+)?)$/.test(word))).toEqual([])
    if (!withoutCode.includes(named.name)) expect(outcomes).toContain('ok')
  })
})
