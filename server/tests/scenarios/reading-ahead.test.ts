import { people } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { keysOfEnrolment } from '../../replication/incarnation/incarnation.ts'
import { type Carrier, ParentLine } from '../../replication/line/parent-line.ts'
import { Child } from '../../replication/upstream/child.ts'
import { asSystem } from '../../store/tx.ts'
import { carrierTo, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { signedAnew } from '../../testing/signed-anew.ts'
import { same } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A school under a centre that says that it has very many rows. `fails`: the numbers of pulls whose answer never comes. */
async function copying({ fails = [] }: { fails?: number[] } = {}) {
  const centre = await school({ seed: 'centre' })
  const box = await school({ seed: 'box', story: false, database: 'sqlite' })
  open.push(centre, box)
  await under(centre, box)
  const carry = carrierTo(centre)
  const asked: string[] = []
  const many: Carrier = async (request) => {
    if (!request.url.endsWith('/sync/pull')) return carry(request)
    const { cursor } = (await request.clone().json()) as { cursor: string | null }
    asked.push(cursor ?? '')
    const response = await carry(request)
    if (fails.includes(asked.length)) throw new Error('the line broke')
    if (!response.ok) return response
    const page = (await response.json()) as { total: number | null }
    return signedAnew(centre, request, response, { ...page, total: page.total && 1_000_000 })
  }
  const begin = async () => {
    const { services } = box
    const [parent] = await services.store.read(asSystem(), parentsOf)
    if (!parent) throw new Error('there is no parent')
    const child = new Child(services, parent.id, new ParentLine(parent, keysOfEnrolment(services, parent), many))
    await child.greet()
    return child
  }
  const place = async () => (await box.services.store.read(asSystem(), parentsOf))[0]?.their_cursor ?? ''
  return { centre, box, begin, asked, place }
}
/** Before the feed comes what was there, and its history. */
const isCopy = (cursor: string) => cursor === '' || cursor.includes('/copy/') || cursor.includes('/history/')

describe('a large copy', () => {
  test('is asked for one page ahead, each page once, and is whole', async () => {
    const { centre, box, begin, asked, place } = await copying()
    const child = await begin()
    await child.pull(0)
    expect(asked).toEqual(['', await place()])
    while ((await child.pull(0)).more);
    expect(new Set(asked).size).toBe(asked.length)
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  })

  test('says nowhere that it has what it has not written: the feed is asked for only once the copy is', async () => {
    const { begin, asked, place } = await copying()
    const child = await begin()
    for (let more = true; more; ) {
      ;({ more } = await child.pull(0))
      const last = asked.at(-1) ?? ''
      if (!isCopy(last)) expect(last.split('/')[0]).toBe((await place()).split('/')[0])
      if (isCopy(await place())) expect(asked.every(isCopy)).toBe(true)
    }
    expect(asked.filter((cursor) => !isCopy(cursor))).toHaveLength(1)
  })

  test('of which a page that was asked for ahead is lost goes on from what is written', async () => {
    const { centre, box, begin, asked, place } = await copying({ fails: [3] })
    const child = await begin()
    await child.pull(0)
    await child.pull(0)
    const before = await place()
    await expect(child.pull(0)).rejects.toThrow('the line broke')
    expect(await place()).toBe(before)
    const again = await begin()
    while ((await again.pull(0)).more);
    expect(asked.filter((cursor) => cursor === before)).toHaveLength(2)
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  })

  test('breaks off between two pages with one of them on its way, and is whole after that', async () => {
    const { centre, box, begin } = await copying()
    const first = await begin()
    for (let pages = 0; pages < 4; pages += 1) await first.pull(0)
    const second = await begin()
    while ((await second.pull(0)).more);
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
    expect((await box.rows('user_profile')).some(({ id }) => id === people.ada.id)).toBe(true)
  })
})
