import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../testing/ask.ts'
import { type Furnished, furnished, lists, type Named } from './matrix/furnished.ts'
import { refusalOf } from './sweep/refusal.ts'

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

describe('lists', () => {
  const bad = ['limit=0', 'limit=501', 'limit=-1', 'limit=abc', 'limit=1.5', 'limit=NaN', 'limit=1e2', 'limit=0x10', 'limit=', 'limit=%2B5']
  const badOffsets = ['offset=-1', 'offset=abc', 'offset=1.5', 'offset=Infinity', 'offset=1e1', 'offset=']
  const paged = (named: Named, page: Record<string, unknown>) =>
    ask(at.st.app, named.endpoint, { ...at.ownAsk(named), query: { ...at.ownAsk(named).query, ...page } }, at.ownCookie(named))
  const totalOf = (headers: string) => new Map<string, string>(JSON.parse(headers)).get('x-total-count')

  test('there are lists to sweep', () => {
    expect(lists.length).toBeGreaterThan(15)
  })

  test.each(lists)('$name: 400 for a limit or offset that is none', async (named) => {
    const wrong: string[] = []
    for (const text of [...bad, ...badOffsets]) {
      const [name = '', value] = [...new URLSearchParams(text)][0] ?? []
      const answer = refusalOf(await paged(named, { [name]: value }))
      if (answer !== '400 validation_failed') wrong.push(`${text}: ${answer}`)
    }
    expect(wrong).toEqual([])
  })

  test.each(lists)('$name: X-Total-Count says how many there are, whatever part is asked for', async (named) => {
    const whole = await paged(named, {})
    const rows: unknown[] = JSON.parse(whole.text)
    expect(totalOf(whole.headers)).toBe(String(rows.length))
    const [first, second, past] = [
      await paged(named, { limit: 1 }),
      await paged(named, { limit: 500, offset: 1 }),
      await paged(named, { offset: 1_000_000 }),
    ]
    expect([first, second, past].map(({ text }) => JSON.parse(text))).toEqual([rows.slice(0, 1), rows.slice(1), []])
    expect([first, second, past].map(({ headers }) => totalOf(headers))).toEqual(Array(3).fill(String(rows.length)))
  })
})
