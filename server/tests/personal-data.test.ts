import { pupilsOf3A, pupilsOf3B } from '@markbook/shared/story/marks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../store/tx.ts'
import { ask } from '../testing/ask.ts'
import type { Actor } from './matrix/actors.ts'
import { endpoints, type Furnished, furnished } from './matrix/furnished.ts'

let at: Furnished
/** A day of birth for each pupil that stands nowhere else. */
const bornIn = (year: number) => (_pupil: unknown, index: number) => `${year}-11-${String(index + 10)}`
const born = { class3A: pupilsOf3A.map(bornIn(1971)), class3B: pupilsOf3B.map(bornIn(1972)) }
beforeAll(async () => {
  at = await furnished()
  const days = new Map([
    ...pupilsOf3A.map(({ id }, index) => [id, born.class3A[index]] as const),
    ...pupilsOf3B.map(({ id }, index) => [id, born.class3B[index]] as const),
  ])
  const students = await at.st.rows('student')
  await at.st.services.store.write(asSystem(), (tx) =>
    tx.update(
      'student',
      students.flatMap((before) => {
        const date_of_birth = days.get(before.id)
        return date_of_birth ? [{ before, patch: { date_of_birth } }] : []
      }),
    ),
  )
})
afterAll(() => at.st.close())

const reading = endpoints.filter(({ endpoint }) => endpoint.method === 'GET')
const pages = [...pupilsOf3A, ...pupilsOf3B].map(({ id }) => id)

/** Every reply of every endpoint that reads, with the requests of the matrix and of every pupil's history and page. */
async function repliesTo(actor: Actor): Promise<string[]> {
  const asked = reading.flatMap((named) => Object.values(at.rowOf(named)).map(([request]) => ({ ...named, request })))
  const ofPupils = pages.flatMap((id) => [
    { ...named('history.list'), request: { query: { entity: 'student', id } } },
    ...['students.get', 'calculations.student'].map((name) => ({ ...named(name), request: { params: { id } } })),
  ])
  const lists = [
    { ...named('students.list'), request: {} },
    ...['class3A', 'class3B'].map((name) => ({ ...named('students.list'), request: { query: { search: name.slice(-1) } } })),
  ]
  const replies: string[] = []
  for (const { name, endpoint, request } of [...asked, ...ofPupils, ...lists]) {
    const { status, text } = await ask(at.st.app, endpoint, request, at.cookies[actor])
    if (status < 300) replies.push(`${name} ${text}`)
  }
  return replies
}
const named = (name: string) => reading.find((one) => one.name === name) as (typeof reading)[number]

const tellersOf = (replies: readonly string[], days: readonly string[]) =>
  replies.filter((reply) => days.some((day) => reply.includes(day))).map((reply) => reply.split(' ')[0])

describe('no reply tells a birth date to whoever may not see it', () => {
  test('the administrator reads them, so that there is something to tell', async () => {
    const tellers = tellersOf(await repliesTo('okafor'), [...born.class3A, ...born.class3B])
    expect(tellers).toEqual(
      expect.arrayContaining(['students.list', 'students.get', 'classes.students', 'history.list', 'calculations.student']),
    )
  })

  test.each([
    ['ada', 'a teacher of one subject', () => [...born.class3A, ...born.class3B]],
    ['byrne', 'the class teacher of 3B, of 3A', () => born.class3A],
    ['quinn', 'the class teacher of 3A, of 3B', () => born.class3B],
    ['niamh', 'a member', () => [...born.class3A, ...born.class3B]],
    ['marker', 'the neighbour', () => [...born.class3A, ...born.class3B]],
  ] as const)('%s: %s', async (actor, _what, days) => {
    const replies = await repliesTo(actor)
    expect(replies.length).toBeGreaterThan(5)
    expect(tellersOf(replies, days())).toEqual([])
  })
})
