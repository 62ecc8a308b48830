import { elan, grades, mathsQuiz } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { count } from '../../store/attempts.ts'
import { asSystem } from '../../store/tx.ts'
import { browserOf } from '../../testing/browser.ts'
import { type School, school } from '../../testing/school.ts'
import { SignInTurns } from './sign-in-turns.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const BOUNDS = { concurrent: 2, queued: 10, perKey: 3, timeoutMs: 10_000, refusalDelayMs: 1 }
const soon = () => new Promise((resolve) => setTimeout(resolve, 20))

/** Takes turns by name, and lists the turns that have started. */
function turnsOf(bounds = BOUNDS) {
  const turns = new SignInTurns(bounds)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const take = async (name: string, ...keys: string[]) => {
    ends.set(name, await turns.take(keys))
    begun.push(name)
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await soon()
  }
  return { take, end, begun }
}

describe('turns', () => {
  test('one of each key runs at a time, first come, first served, and other keys overtake', async () => {
    const { take, end, begun } = turnsOf()
    for (const name of ['a1', 'a2', 'a3']) void take(name, 'a')
    void take('b1', 'b')
    await soon()
    expect(begun).toEqual(['a1', 'b1'])
    await end('a1')
    expect(begun).toEqual(['a1', 'b1', 'a2'])
    void take('c1', 'c')
    await soon()
    expect(begun).toEqual(['a1', 'b1', 'a2'])
    await end('b1')
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1'])
    await end('a2')
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1', 'a3'])
  })

  test('a turn with two keys waits for both, and no later one takes one of them first', async () => {
    const { take, end, begun } = turnsOf({ ...BOUNDS, concurrent: 3 })
    void take('a', 'a')
    void take('ab', 'a', 'b')
    void take('b', 'b')
    await soon()
    expect(begun).toEqual(['a'])
    await end('a')
    expect(begun).toEqual(['a', 'ab'])
    await end('ab')
    expect(begun).toEqual(['a', 'ab', 'b'])
  })

  test('a turn is refused as busy where too many wait for its key, or it has waited too long', async () => {
    const { take, end, begun } = turnsOf({ ...BOUNDS, timeoutMs: 50 })
    await take('a1', 'a')
    // Expected at once: on a busy machine one may be refused before another is looked at.
    const isBusy = { status: 503, code: 'busy', headers: { 'retry-after': '2' } }
    const waiting = ['a2', 'a3', 'a4'].map((name) => expect(take(name, 'a')).rejects.toMatchObject(isBusy))
    await expect(take('a5', 'a')).rejects.toMatchObject({ status: 503, code: 'busy' })
    await Promise.all(waiting)
    await take('b1', 'b')
    await end('a1')
    await take('a6', 'a')
    expect(begun).toEqual(['a1', 'b1', 'a6'])
  })
})

describe('while attempts at one account are blocked', () => {
  let st: School
  let go = () => {}
  let held: Promise<unknown> = Promise.resolve()
  let tries: Promise<{ status: number }[]>
  beforeAll(async () => {
    st = await school({ env: { TRUST_PROXY: 'local' } })
    const until = new Promise<void>((resolve) => {
      go = resolve
    })
    // Locks the row on which attempts at this account queue. On SQLite, which has one writer, this would block everybody.
    if (onPostgres)
      await new Promise<void>((begun) => {
        held = st.services.store.write(asSystem(), async (tx) => {
          await count(tx, `otp-turn:${people.byrne.email}`, 60_000)
          begun()
          await until
        })
      })
    const from = (at: number) => browserOf(st.app, { address: `198.51.100.${at}` }).client
    const wrong = (at: number) => from(at).auth.verifyOtp.raw({ body: { email: people.byrne.email, token: '00000000' } })
    tries = Promise.all(Array.from({ length: 80 }, (_, at) => wrong(at)))
    await soon()
  })
  afterAll(() => st.close())

  test('at most a few of them have a connection, and others save marks and sign in', async () => {
    const grade = grades.find(({ assessment_id, student_id }) => assessment_id === mathsQuiz.id && student_id === elan.id)
    const { pool } = st.services.store.load().places
    if (onPostgres) expect(pool).toMatchObject({ inside: 2, waiting: 0 })
    expect(await st.as.ada.grades.update({ params: { id: grade?.id ?? '' }, body: { score: 11 } })).toMatchObject({ score: 11 })
    const other = browserOf(st.app, { address: '203.0.113.5' }).client
    expect(await other.auth.verifyOtp.raw({ body: { email: people.ada.email, token: '00000000' } })).toMatchObject({ status: 400 })
    go()
    await held
    expect((await tries).every(({ status }) => status === 400)).toBe(true)
  })
})
