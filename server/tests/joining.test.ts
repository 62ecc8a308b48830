import { limits } from '@markbook/shared/limits'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../app/app.ts'
import { invite, keysOfCode } from '../replication/identity/enrolment.ts'
import { nodeKeys, proveReply } from '../replication/identity/keys.ts'
import { revokePeer } from '../replication/identity/nodes.ts'
import { headersOf } from '../replication/line/headers.ts'
import type { Carrier } from '../replication/line/parent-line.ts'
import { joinParent } from '../replication/upstream/join.ts'
import { asSystem } from '../store/tx.ts'
import { carrierTo, makeRound, under } from '../testing/nodes.ts'
import { type School, school } from '../testing/school.ts'
import { answersTo } from '../testing/signed-anew.ts'

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
  joinParent(node.services, { url: 'https://parent.test', code, kind }, carrierTo(parent))
const OWN = '01890000-0000-7000-8000-00000000abcd'
/** A school of its own, as one that started alone has. */
async function openSchool(at: School, name: string) {
  const like = (await centre.rows('school')).find(({ id }) => id === stBrigids)
  if (!like) throw new Error('the story has no school')
  await at.services.store.write(asSystem(), (tx) => tx.insert('school', [{ ...like, id: OWN, name }]))
}

describe('a code that is right and does not fit', () => {
  test('one for a laptop, typed at a server, and the reverse: what it is for, and it is still good', async () => {
    await expect(join('school', 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-A')).rejects.toThrow(/^This invitation is wrong.* Or no Markbook is at/)
    const forLaptop = await codeFor('laptop')
    await expect(join('school', 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-A')).rejects.toThrow(/^This invitation is wrong/)
    await expect(join('school', forLaptop)).rejects.toThrow(/for a laptop, and is still good.*--laptop/)
    const forServer = await codeFor('school')
    await expect(join('laptop', forServer)).rejects.toThrow(/for the server of a school, not for a laptop/)
    expect(await join('laptop', forLaptop)).toMatchObject({ user: people.ada.id, school_name: 'St Brigid’s' })
  })

  test('typed at another server than the one that made it: it says so of itself, and is still good there', async () => {
    const code = await codeFor('school')
    const other = await school({ seed: 'another' })
    await codeFor('school', stBrigids, other)
    const before = [await other.digest(), await box.digest()]
    await expect(join('school', code, other)).rejects.toMatchObject({
      code: 'sync.invitation_invalid',
      message: expect.stringMatching(/ It counts only at the server that made it: compare the address, then ask for a new one\.$/),
    })
    expect([await other.digest(), await box.digest()]).toEqual(before)
    await other.close()
    expect(await join('school', code)).toMatchObject({ school_name: 'St Brigid’s' })
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

test('what the other calls itself is kept without what a terminal would obey or nobody sees, at both ends', async () => {
  const evil = 'Library\u001b[2J\u202e\u200b'
  const called = ({ services }: School) => ({ ...services, config: { ...services.config, nodeName: evil } })
  const code = await codeFor('school')
  const parent = { app: createApp(called(centre)) }
  await joinParent(called(box), { url: 'https://parent.test', code, kind: 'school' }, carrierTo(parent))
  const namesAt = async (node: School) =>
    (await node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer))).map(({ name }) => name)
  expect([await namesAt(centre), await namesAt(box)]).toEqual([['Library [2J'], ['Library [2J']])
})

describe('a line that gives no answer to a code', () => {
  test('silent, it may have taken it; refused by the machine there, it has not', async () => {
    const failing = (error: Error) =>
      joinParent(box.services, { url: 'https://parent.test', code: 'A', kind: 'school' }, () => Promise.reject(error))
    await expect(failing(new Error('It did not answer within 15 s.'))).rejects.toThrow(/within 15 s\. It may have taken the code/)
    await expect(failing(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))).rejects.toThrow(/^Nothing listens at .*right\?$/)
  })

  test('what answers and is no Markbook', async () => {
    const page = async () => Response.json({ hello: 'world' })
    await expect(joinParent(box.services, { url: 'https://parent.test', code: 'A', kind: 'school' }, page)).rejects.toThrow(
      'No Markbook answers at https://parent.test.',
    )
  })

  test('a server that does not know itself by that name', async () => {
    const misdirected = async () => Response.json({ code: 'misdirected_request' }, { status: 421 })
    await expect(joinParent(box.services, { url: 'https://parent.test', code: 'A', kind: 'school' }, misdirected)).rejects.toThrow(
      /^The server at https:\/\/parent\.test does not know itself by that name.*ALLOWED_HOSTS/,
    )
  })

  test('what claims to be the answer, and is none of a server that knows the code', async () => {
    const altering =
      (change: (text: string) => string): Carrier =>
      async (request) => {
        const response = await carrierTo(centre)(request)
        return new Response(change(await response.text()), response)
      }
    const before = await box.digest()
    const joining = async (carry: Carrier) =>
      joinParent(box.services, { url: 'https://parent.test', code: await codeFor('school'), kind: 'school' }, carry)
    const other = nodeKeys('somebody else on the line', OWN)
    for (const change of [
      (text: string) => text.replace(/"public_key":"[^"]+"/, `"public_key":"${other.publicKey}"`),
      (text: string) => text.replace(/"school_name":"[^"]+"/, '"school_name":"Another"'),
    ])
      await expect(joining(altering(change))).rejects.toMatchObject({
        code: 'sync.not_authentic',
        message: expect.stringMatching(/not authentic.*may have taken the code/),
      })
    await expect(joining(async () => Response.json({ code: 'sync.school_taken', message: 'x' }, { status: 409 }))).rejects.toMatchObject({
      code: 'line',
    })
    expect(await box.digest()).toBe(before)
  })
})

describe('a code that was taken while its answer did not come', () => {
  /** Carries as a line that loses every answer which lets somebody in. */
  const losing =
    (how: (response: Response) => Response | Promise<Response>): Carrier =>
    async (request) => {
      const response = await carrierTo(centre)(request)
      return response.ok ? how(response) : response
    }
  const broken = losing(() => Promise.reject(new Error('It did not answer within 15 s.')))
  const garbled = losing((response) => new Response('<html>Welcome to the hotel</html>', response))
  const ofAnother = losing(() => new Response('<html>Welcome to the hotel</html>'))
  const joinOver = (carry: Carrier, code: string, node = box) =>
    joinParent(node.services, { url: 'https://parent.test', code, kind: 'school' }, carry)
  const childrenAt = async (at: School) =>
    (await at.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer))).filter(({ side }) => side === 'child')
  const refusal = { code: 'sync.invitation_invalid' }

  test.each([
    ['the line broke', broken, /may have taken the code.*the same code/],
    ['the answer was altered', garbled, /may have taken the code.*the same code/],
    ['something else answered', ofAnother, /No Markbook answers/],
  ])('%s: the same node types it again and is in, once; another node is refused', async (_, carry, says) => {
    const code = await codeFor('school')
    await expect(joinOver(carry, code)).rejects.toThrow(says)
    const [enrolled] = await childrenAt(centre)
    const other = await school({ seed: 'another', story: false, database: 'sqlite' })
    const before = await centre.digest()
    await expect(joinOver(carrierTo(centre), code, other)).rejects.toMatchObject(refusal)
    await other.close()
    await expect(joinOver(carry, code)).rejects.toThrow(says)
    centre.clock.advance(60_000)
    expect(await joinOver(carrierTo(centre), code)).toMatchObject({ peer: enrolled?.id, school_name: 'St Brigid’s' })
    expect(await centre.digest()).toBe(before)
    expect(await childrenAt(centre)).toEqual([enrolled])
    await makeRound(box, carrierTo(centre))
    expect((await box.rows('school')).map(({ id }) => id)).toEqual([stBrigids])
  })

  test('under the number that a node takes whose own is enrolled already, too', async () => {
    await join('school', await codeFor('school'))
    centre.clock.advance(1_000)
    const code = await codeFor('school')
    await expect(joinOver(broken, code)).rejects.toThrow(/the same code/)
    const [, enrolled] = await childrenAt(centre)
    expect(await join('school', code)).toMatchObject({ peer: enrolled?.id })
    expect(box.services.store.nodeId).toBe(enrolled?.node_id)
    expect(await childrenAt(centre)).toHaveLength(2)
    await makeRound(box, carrierTo(centre))
  })

  test('is not given to another database that has the number and not the keys', async () => {
    const code = await codeFor('school')
    await expect(joinOver(broken, code)).rejects.toThrow(/the same code/)
    const env = { SESSION_SECRET: 'the secret of somebody who has read the number on the line' }
    const other = await school({ seed: 'box', story: false, database: 'sqlite', env })
    expect(other.services.store.nodeId).toBe(box.services.store.nodeId)
    const before = await centre.digest()
    await expect(joinOver(carrierTo(centre), code, other)).rejects.toMatchObject(refusal)
    expect(await centre.digest()).toBe(before)
    await other.close()
  })

  test('twice at once is once', async () => {
    const code = await codeFor('school')
    const [first, second] = await Promise.all([join('school', code), join('school', code)])
    expect(first).toEqual(second)
    expect(await childrenAt(centre)).toHaveLength(1)
  })

  test('is used up once the node was heard, was revoked, holds another school, or the time of the code is over', async () => {
    const heard = await codeFor('school')
    await join('school', heard)
    await makeRound(box, carrierTo(centre))
    await expect(join('school', heard)).rejects.toMatchObject(refusal)

    const afterwards = async (change: (node: School) => Promise<unknown>) => {
      const node = await school({ seed: 'another', story: false, database: 'sqlite' })
      const code = await codeFor('school')
      await expect(joinOver(broken, code, node)).rejects.toThrow(/the same code/)
      await change(node)
      const before = await centre.digest()
      await expect(joinOver(carrierTo(centre), code, node)).rejects.toMatchObject(refusal)
      expect(await centre.digest()).toBe(before)
      await centre.services.store.write(asSystem(), async (tx) => {
        for (const child of await tx.db.select().from(tx.t.sync_peer))
          await tx.local.delete(tx.t.sync_peer).where(eq(tx.t.sync_peer.id, child.id))
      })
      await node.close()
    }
    await afterwards(() =>
      centre.services.store.write(asSystem(), async (tx) => {
        for (const child of await tx.db.select().from(tx.t.sync_peer)) await revokePeer(tx, child)
      }),
    )
    await afterwards((node) => openSchool(node, 'Own School'))
    await afterwards(async () => centre.clock.advance(limits.sync.invitation.lifetimeMs))
  })

  test('and an answer in words of another version says to install it, and is asked for again', async () => {
    const code = await codeFor('school')
    const { verifier } = keysOfCode(code)
    const newer: Carrier = async (request) => {
      const response = await carrierTo(centre)(request)
      const text = JSON.stringify({ welcome: await response.json() })
      const proof = proveReply({ answers: answersTo(request), status: 200, body: Buffer.from(text) }, verifier)
      return new Response(text, { headers: { [headersOf.signature]: proof } })
    }
    await expect(joinOver(newer, code)).rejects.toMatchObject({
      code: 'sync.upgrade_needed',
      message: expect.stringMatching(/^The answer of the other server cannot be read.*the same code\.$/),
    })
    expect(await join('school', code)).toMatchObject({ school_name: 'St Brigid’s' })
  })
})

test('the code of an invitation is not sent, and does not stand in the database', async () => {
  const code = await codeFor('school')
  const said: string[] = []
  await joinParent(box.services, { url: 'https://parent.test', code: ` ${code.toLowerCase()} `, kind: 'school' }, async (request) => {
    said.push(await request.clone().text(), ...[...request.headers].flat())
    const response = await carrierTo(centre)(request)
    said.push(await response.clone().text(), ...[...response.headers].flat())
    return response
  })
  const [invitation] = await centre.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_invitation))
  for (const secret of [code, code.replaceAll('-', '')]) expect(JSON.stringify([said, invitation])).not.toContain(secret)
  // Nor what the replies are proved with.
  expect(said.join()).not.toContain(invitation?.code_hash)
})

describe('an address of plain http on another machine', () => {
  const at =
    (url: string, mayBeInsecure = false) =>
    async (code: string) => {
      const asked: Request[] = []
      const carry: Carrier = (request) => {
        asked.push(request)
        return carrierTo(centre)(request)
      }
      const joined = joinParent(box.services, { url, code, kind: 'school', mayBeInsecure }, carry)
      return { asked, joined }
    }

  test('is refused before anything is said, with what to do', async () => {
    const { asked, joined } = await at('http://192.168.1.10:3000')(await codeFor('school'))
    await expect(joined).rejects.toMatchObject({
      code: 'sync.insecure_address',
      message: expect.stringMatching(/https.*--lan.*--insecure/),
    })
    expect(asked).toEqual([])
  })

  test('is taken where it is said, and is joined again so without a word', async () => {
    const first = await at('http://192.168.1.10:3000', true)(await codeFor('school'))
    expect(await first.joined).toMatchObject({ school_name: 'St Brigid’s' })
    const again = await at('http://192.168.1.10:3000')(await codeFor('school'))
    await again.joined
    const other = await at('http://192.168.1.11:3000')(await codeFor('school'))
    await expect(other.joined).rejects.toMatchObject({ code: 'sync.insecure_address' })
  })

  test('and that was joined before it was refused keeps working', async () => {
    const { joined } = await at('http://192.168.1.10:3000', true)(await codeFor('school'))
    await joined
    await makeRound(box, carrierTo(centre))
    expect((await box.rows('school')).map(({ id }) => id)).toContain(stBrigids)
  })
})

describe('a code of an administrator who is none any more', () => {
  const invited = async (kind: 'school' | 'laptop', user: keyof typeof people) => {
    const userId = kind === 'laptop' ? people[user].id : null
    const asked = { kind, schoolId: stBrigids, userId, by: people.okafor.id }
    return (await centre.services.store.write(asSystem(), (tx) => invite(tx, asked))).code
  }
  const place = (user: keyof typeof people, patch: { role?: 'teacher' | 'member'; is_active?: boolean }) =>
    centre.services.store.write(asSystem(), async (tx) => {
      const [row] = await tx.db.select().from(tx.t.school_management).where(eq(tx.t.school_management.user_id, people[user].id))
      await tx.update('school_management', row as Row<'school_management'>, patch)
    })

  test.each([
    ['school', 'okafor', { role: 'teacher' }],
    ['school', 'okafor', { is_active: false }],
    ['laptop', 'okafor', { role: 'teacher' }],
    ['laptop', 'ada', { is_active: false }],
    ['laptop', 'ada', { role: 'member' }],
  ] as const)('lets in no %s once %s is %o', async (kind, who, patch) => {
    const code = await invited(kind, 'ada')
    await place(who, patch)
    await expect(join(kind, code)).rejects.toThrow(/^This invitation is wrong/)
    expect(await centre.services.store.read(asSystem(), (tx) => tx.db.$count(tx.t.sync_peer))).toBe(0)
  })

  test.each(['school', 'laptop'] as const)('lets in a %s while they are one', async (kind) => {
    expect(await join(kind, await invited(kind, 'ada'))).toMatchObject({ school_name: 'St Brigid’s' })
  })
})
