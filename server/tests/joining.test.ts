import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { invite } from '../peers/enrolment.ts'
import { joinParent } from '../peers/join.ts'
import { asSystem } from '../store/tx.ts'
import { carrierTo, under } from '../testing/nodes.ts'
import { type School, school } from '../testing/school.ts'

let centre: School
let box: School
beforeEach(async () => {
  centre = await school({ seed: 'centre' })
  box = await school({ seed: 'box', story: false, database: 'sqlite', env: { NODE_NAME: 'PC-0231' } })
})
afterEach(async () => {
  await box.close()
  await centre.close()
})

const codeFor = async (kind: 'school' | 'laptop', schoolId: string | null = stBrigids, at = centre) => {
  const userId = kind === 'laptop' ? people.ada.id : null
  return (await at.services.store.write(asSystem(), (tx) => invite(tx, { kind, schoolId, userId, by: null }))).code
}
const join = (kind: 'school' | 'laptop', code: string, parent = centre, node = box) =>
  joinParent(node.services, { url: 'http://parent.test', code, kind }, carrierTo(parent))
const OWN = '01890000-0000-7000-8000-00000000abcd'
/** A school of its own, as one that started alone has. */
async function openSchool(at: School, name: string) {
  const like = (await centre.rows('school')).find(({ id }) => id === stBrigids)
  if (!like) throw new Error('the story has no school')
  await at.services.store.write(asSystem(), (tx) => tx.insert('school', [{ ...like, id: OWN, name }]))
}

describe('a code that is right and does not fit', () => {
  test('one for a laptop, typed at a server, and the reverse: what it is for, and it is still good', async () => {
    await expect(join('school', 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-A')).rejects.toThrow(/^This invitation is wrong/)
    const forLaptop = await codeFor('laptop')
    await expect(join('school', forLaptop)).rejects.toThrow(/for a laptop, and is still good.*--laptop/)
    const forServer = await codeFor('school')
    await expect(join('laptop', forServer)).rejects.toThrow(/for the server of a school, not for a laptop/)
    expect(await join('laptop', forLaptop)).toMatchObject({ user: people.ada.id, school_name: 'St Brigid’s' })
  })

  test('of one school, at a server that holds another: which is where, and which code to ask for', async () => {
    await openSchool(box, 'Own School')
    const code = await codeFor('school')
    await expect(join('school', code)).rejects.toThrow(
      'The code is for St Brigid’s, and is still good; the server that joins holds another school. Ask for another one, with markbook node invite --new. This server holds Own School.',
    )
    expect(await join('school', await codeFor('school', null))).toMatchObject({ school: OWN, school_name: 'Own School' })
  })

  test('for a new school, where the centre has it, and where there is none', async () => {
    const code = await codeFor('school', null)
    await expect(join('school', code)).rejects.toThrow(/has no school yet.*--school NAME/)
    await (await under(centre, box)).round()
    const other = await school({ seed: 'another', database: 'sqlite' })
    await expect(join('school', code, centre, other)).rejects.toThrow(/St Brigid’s is there already.*--school "St Brigid’s"$/)
    await other.close()
  })
})

test('a number that comes twice at once, as with two copies of a database, is enrolled once; the other takes another', async () => {
  for (let round = 0; round < 5; round += 1)
    await Promise.all([await codeFor('school'), await codeFor('school')].map((code) => join('school', code)))
  const numbers = (await centre.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer))).map(({ node_id }) => node_id)
  expect(new Set(numbers).size).toBe(10)
  expect(numbers).toHaveLength(10)
})

describe('a line that gives no answer to a code', () => {
  test('silent, it may have taken it; refused by the machine there, it has not', async () => {
    const failing = (error: Error) =>
      joinParent(box.services, { url: 'http://parent.test', code: 'A', kind: 'school' }, () => Promise.reject(error))
    await expect(failing(new Error('It did not answer within 15 s.'))).rejects.toThrow(/within 15 s\. It may have taken the code/)
    await expect(failing(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))).rejects.toThrow(/^Nothing listens at .*right\?$/)
  })

  test('what answers and is no Markbook', async () => {
    const page = async () => Response.json({ hello: 'world' })
    await expect(joinParent(box.services, { url: 'http://parent.test', code: 'A', kind: 'school' }, page)).rejects.toThrow(
      'No Markbook answers at http://parent.test.',
    )
  })
})
