import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { elan, mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { statusOf } from '../../features/replication/status.ts'
import { sha256Of } from '../../files/digest.ts'
import { forgetDeletions } from '../../replication/downstream/tombstones.ts'
import { invite, parentsOf } from '../../replication/identity/enrolment.ts'
import { readWipeNote } from '../../replication/identity/wipe-note.ts'
import { beginAnew, keysOfEnrolment } from '../../replication/incarnation/incarnation.ts'
import { type Carrier, ParentLine } from '../../replication/line/parent-line.ts'
import { carryOutWipe } from '../../replication/upstream/carry-out-wipe.ts'
import { Child } from '../../replication/upstream/child.ts'
import { reportErased } from '../../replication/upstream/erased.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { setPeer } from '../../store/peer-row.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { carrierTo, carryFiles, makeRound, signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { downloadedAt, pdfOfSize, uploadedAt } from './files.fixtures.ts'
import { conflictsAt, refusedBelow } from './scenarios.fixtures.ts'

const open: School[] = []
const folders: string[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** An empty laptop with a folder of its own. */
async function emptyLaptop(seed = 'laptop'): Promise<School> {
  const folder = mkdtempSync(join(tmpdir(), 'markbook-wiped-'))
  folders.push(folder)
  const laptop = await school({ seed, story: false, database: 'sqlite', env: { DATA_DIR: folder } })
  open.push(laptop)
  return laptop
}

let server: School
let laptop: School
let carry: Carrier
beforeEach(async () => {
  server = await school({ seed: 'server' })
  open.push(server)
  laptop = await emptyLaptop()
  carry = carrierTo(server)
})
const joinAs = async (user: string) => {
  await under(server, laptop, { user })
  await makeRound(laptop, carry)
}

const mark = (score: number, { id }: { id: string } = zoe) => ({
  body: { assessmentId: mathsExam.id, grades: [{ studentId: id, score }] },
})
const scoreAt = async (node: School, pupil: { id: string } = zoe) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === pupil.id)?.score
const enter = async (score: number, pupil?: { id: string }) => (await signedIn(laptop, 'ada')).grades.bulk(mark(score, pupil))

const historyAt = (node: School) =>
  node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history).orderBy(tx.t.history.seq))

/** The youngest enrolment of a laptop at its parent. */
async function laptopAt(node: School) {
  const peers = await node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_peer).orderBy(tx.t.sync_peer.enrolled_at))
  const found = peers.filter(({ kind, side }) => kind === 'laptop' && side === 'child').at(-1)
  if (!found) throw new Error('no laptop has joined')
  return found
}
const ask = async (node = server) => node.as.okafor.replication.wipe({ params: { id: (await laptopAt(node)).id } })
const noteAt = (node = laptop) => readWipeNote(node.services.config.dataDir)

/** What the loop of a running server does: greets, and obeys where it is asked to. */
async function meet(over = carry, place = 0): Promise<'anew' | 'wiped' | 'goes on'> {
  const { services } = laptop
  const parent = (await services.store.read(asSystem(), parentsOf))[place]
  if (!parent) throw new Error('this laptop has no parent')
  const line = new ParentLine(parent, keysOfEnrolment(services, parent), over)
  const child = new Child(services, parent.id, line)
  const { anew, wipe } = await child.greet()
  if (anew) {
    await beginAnew(services, parent.id, line)
    return 'anew'
  }
  if (wipe === null) return 'goes on'
  await carryOutWipe(services, parent.id, wipe, { child, line, carry: over })
  return 'wiped'
}

/** A line on which something happens at a path, before the request goes on; where it throws, the request does not arrive. */
const onTheWay =
  (at: string, happens: () => unknown): Carrier =>
  async (request) => {
    if (new URL(request.url).pathname === at) await happens()
    return carry(request)
  }

describe('I19: a laptop that is to be wiped', () => {
  beforeEach(() => joinAs(people.ada.id))

  test('sends what it has not sent, says that it does it, and takes nothing more; the school sees when', async () => {
    await enter(81)
    const asked = await ask()
    expect(asked).toMatchObject({ wipe_asked_at: expect.any(String), wiped_at: null, revoked_at: null })
    expect(await ask()).toEqual(asked)
    await enter(82)
    expect(await meet()).toBe('wiped')
    expect(await scoreAt(server)).toBe(82)
    expect(await laptopAt(server)).toMatchObject({
      wipe_asked_at: asked.wipe_asked_at,
      wiped_at: expect.any(String),
      revoked_at: expect.any(String),
    })
    expect(noteAt()).toMatchObject({ asked_at: asked.wipe_asked_at, isErased: false, lastWord: null, authority: null })
    await expect(enter(83)).rejects.toMatchObject({ status: 503, code: 'erased' })
    expect(await scoreAt(laptop)).toBe(82)
    await expect(meet()).rejects.toMatchObject({ code: 'sync.revoked' })
    await expect(ask()).rejects.toMatchObject({ status: 409, code: 'sync.wiped_already' })
    const noted = (await historyAt(server))
      .filter(({ entity }) => entity === 'sync_peer')
      .map(({ action, changes }) => [action, Object.keys(changes)])
    expect(noted).toEqual([
      ['update', ['wipe_asked_at']],
      ['update', ['wiped_at']],
    ])
  })

  test('gets nothing more from the moment in which it is asked for, whatever it does with that', async () => {
    const parent = (await laptop.services.store.read(asSystem(), parentsOf))[0]
    if (!parent) throw new Error('no parent')
    const line = new ParentLine(parent, keysOfEnrolment(laptop.services, parent), carry)
    const child = new Child(laptop.services, parent.id, line)
    await child.greet()
    await ask()
    // Its session has ended; greeted again, it may only send.
    await expect(child.pull(0)).rejects.toMatchObject({ code: 'sync.stale_session' })
    expect(await child.greet()).toMatchObject({ anew: false, wipe: expect.any(String) })
    const refused = { code: 'sync.revoked' }
    await expect(child.pull(0)).rejects.toMatchObject(refused)
    await expect(line.verify()).rejects.toMatchObject(refused)
    await expect(line.known({ table: 'grade', ids: [] })).rejects.toMatchObject(refused)
  })

  test('a mark that is entered while it sends is sent too', async () => {
    await enter(81)
    await ask()
    let times = 0
    const busy = onTheWay('/sync/push', async () => {
      times += 1
      if (times < 4) await enter(81 + times)
    })
    expect(await meet(busy)).toBe('wiped')
    expect(times).toBeGreaterThanOrEqual(4)
    expect([await scoreAt(laptop), await scoreAt(server)]).toEqual([84, 84])
  })

  test('a line that breaks before it has sent everything: nothing has changed, and it is begun again', async () => {
    await enter(81)
    await ask()
    const cut = onTheWay('/sync/push', () => {
      throw new Error('the line is cut')
    })
    await expect(meet(cut)).rejects.toMatchObject({ code: 'line' })
    expect(noteAt()).toBeNull()
    await enter(82)
    expect(await meet()).toBe('wiped')
    expect(await scoreAt(server)).toBe(82)
  })

  test('a line that breaks when it says so: it is erased all the same, and says it until it is heard; to say it again changes nothing', async () => {
    await ask()
    const deaf = onTheWay('/sync/wiped', () => {
      throw new Error('the line is cut')
    })
    expect(await meet(deaf)).toBe('wiped')
    expect(noteAt()).toMatchObject({ isErased: false, lastWord: { url: expect.stringMatching(/\/sync\/wiped$/) } })
    expect((await laptopAt(server)).wiped_at).toBeNull()
    expect(await reportErased(laptop.services, deaf)).toBe(false)
    // Nothing of the database is needed for it, nor a session.
    server.clock.advance(40 * 86_400_000)
    const kept = noteAt()
    const answerLost: Carrier = async (request) => {
      await carry(request)
      throw new Error('the line is cut')
    }
    expect(await reportErased(laptop.services, answerLost)).toBe(false)
    const first = await laptopAt(server)
    expect(first.wiped_at).not.toBeNull()
    server.clock.advance(60_000)
    expect(noteAt()).toEqual(kept)
    expect(await reportErased(laptop.services, carry)).toBe(true)
    expect(noteAt()).toMatchObject({ lastWord: null })
    expect(await laptopAt(server)).toEqual(first)
  })

  test('no line for weeks, and beyond what deletions are remembered for: it is carried out when it comes', async () => {
    await enter(81)
    await server.as.okafor.assessments.remove({ params: { id: mathsHomework.id } })
    await ask()
    for (const node of [server, laptop]) node.clock.advance(400 * 86_400_000)
    expect(await forgetDeletions(server.services)).toBeGreaterThan(0)
    expect(await meet()).toBe('wiped')
    expect(await scoreAt(server)).toBe(81)
  })

  test('one that was restored meanwhile begins anew, and is wiped then; the one before stays on the list', async () => {
    await ask()
    await laptop.services.store.renewNode()
    await enter(81)
    expect(await meet()).toBe('anew')
    expect(await meet()).toBe('wiped')
    expect(await scoreAt(server)).toBe(81)
    const all = (await server.as.okafor.replication.nodes()).filter(({ kind }) => kind === 'laptop')
    expect(all.map(({ wipe_asked_at, wiped_at }) => [wipe_asked_at !== null, wiped_at !== null])).toEqual([
      [true, false],
      [true, true],
    ])
  })

  test('joined anew before it has heard of it, it goes on', async () => {
    await ask()
    const { code } = await server.as.okafor.replication.invite({ body: { kind: 'laptop', userId: people.ada.id } })
    await joinParent(laptop.services, { url: 'https://parent.test', code, kind: 'laptop' }, carry)
    await makeRound(laptop, carry)
    expect(await meet()).toBe('goes on')
    await enter(81)
    await makeRound(laptop, carry)
    expect(await scoreAt(server)).toBe(81)
  })
})

describe('what somebody brings who has lost their place', () => {
  beforeEach(() => joinAs(people.ada.id))

  test('a laptop that was revoked sends it, and it is kept for people to look at; none of it counts', async () => {
    const before = await scoreAt(server)
    await enter(81)
    await enter(82, elan)
    await server.as.okafor.replication.revoke({ params: { id: (await laptopAt(server)).id } })
    await expect(meet()).rejects.toMatchObject({ code: 'sync.revoked' })
    await ask()
    const history = (await historyAt(server)).length
    expect(await meet()).toBe('wiped')
    expect(await scoreAt(server)).toBe(before)
    const kept = (await refusedBelow(server)).filter(({ table_name, unit }) => table_name === 'grade' && unit === 'score')
    expect(kept.map(({ code, value, actor_id }) => [code, value?.['score'], actor_id]).sort()).toEqual([
      ['revoked', 81, people.ada.id],
      ['revoked', 82, people.ada.id],
    ])
    // Nor does it write the history of the school: only the end of the laptop is noted.
    expect((await historyAt(server)).slice(history).map(({ entity }) => entity)).toEqual(['sync_peer'])
  })

  test('a teacher who was dismissed reads on her laptop that she was, and what it holds: nothing of pupils once it has heard of it', async () => {
    const held = async () => (await signedIn(laptop, 'ada')).replication.holdings()
    expect(await held()).toEqual({ why: null, school: null, pupils: 0, marks: 0, as_of: null })
    await server.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { isActive: false } })
    await makeRound(laptop, carry)
    expect(await held()).toEqual({ why: 'dismissed', school: 'St Brigid’s', pupils: 0, marks: 0, as_of: expect.any(String) })
    const told = await laptop.services.store.read(asSystem(), (tx) => statusOf(tx, stBrigids, null))
    expect(told.sentence).toMatch(/does not work at St Brigid’s any more\. This laptop still holds 0 pupils and 0 marks of St Brigid’s/)
    // Nobody is told of somebody else's laptop.
    expect(await server.as.okafor.replication.holdings()).toMatchObject({ why: null })
  })

  test('a teacher who was dismissed: the rights decide, and nothing is lost', async () => {
    const before = await scoreAt(server)
    await enter(81)
    await server.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { isActive: false } })
    await ask()
    expect(await meet()).toBe('wiped')
    expect(await scoreAt(server)).toBe(before)
    const kept = [...(await refusedBelow(server)), ...(await conflictsAt(server))].map(({ value }) => value?.['score'])
    expect(kept).toContain(81)
  })
})

describe('M13: an order that nobody gave whom the laptop heeds', () => {
  beforeEach(() => joinAs(people.ada.id))
  const untouched = async () => {
    expect(noteAt()).toBeNull()
    await enter(77)
    await makeRound(laptop, carry)
    expect(await scoreAt(server)).toBe(77)
  }

  test('a reply that was changed on the line', async () => {
    const forging: Carrier = async (request) => {
      const response = await carry(request)
      if (!request.url.endsWith('/sync/hello')) return response
      const welcome = { ...((await response.json()) as object), wipe: '2026-01-12T10:00:00.000Z' }
      return new Response(JSON.stringify(welcome), { headers: response.headers })
    }
    await expect(meet(forging)).rejects.toMatchObject({ code: 'sync.not_authentic' })
    await untouched()
  })

  test('a true reply, said again to another greeting', async () => {
    const heard: { text: string; headers: Headers }[] = []
    const recording: Carrier = async (request) => {
      const response = await carry(request)
      if (!request.url.endsWith('/sync/hello')) return response
      const text = await response.text()
      heard.push({ text, headers: new Headers(response.headers) })
      throw new Error('the line is cut')
    }
    await ask()
    await expect(meet(recording)).rejects.toMatchObject({ code: 'line' })
    const replaying: Carrier = async (request) =>
      request.url.endsWith('/sync/hello') ? new Response(heard[0]?.text ?? '', { headers: heard[0]?.headers ?? {} }) : carry(request)
    // As if nobody had asked: the school has the laptop back.
    await server.services.store.write(asSystem(), async (tx) =>
      setPeer(tx, (await tx.db.select().from(tx.t.sync_peer))[0]?.id ?? '', { wipe_asked_at: null }),
    )
    expect(JSON.parse(heard[0]?.text ?? '{}')).toMatchObject({ wipe: expect.any(String) })
    await expect(meet(replaying)).rejects.toMatchObject({ code: 'sync.not_authentic' })
    await untouched()
  })

  test('a teacher, about a colleague’s laptop or her own, and the administrator of another school', async () => {
    const { id } = await laptopAt(server)
    for (const name of ['byrne', 'ada'] as const)
      expect(await server.as[name].replication.wipe.raw({ params: { id } })).toMatchObject({ status: 403 })
    expect(await server.as.marker.replication.wipe.raw({ params: { id } })).toMatchObject({ status: 404 })
    expect((await laptopAt(server)).wipe_asked_at).toBeNull()
    expect(await meet()).toBe('goes on')
    await untouched()
  })

  test('what another laptop says of it: it has no such order, and ends nobody’s enrolment', async () => {
    const parent = (await laptop.services.store.read(asSystem(), parentsOf))[0]
    if (!parent) throw new Error('no parent')
    const line = new ParentLine(parent, keysOfEnrolment(laptop.services, parent), carry)
    const { url, headers, body } = line.prepared('/sync/wiped', { asked_at: '2026-01-12T10:00:00.000Z' })
    const refused = await carry(new Request(url, { method: 'POST', headers, body }))
    expect([refused.status, (await refused.json()).code]).toEqual([409, 'sync.no_wipe'])
    const other = new Request(url, { method: 'POST', headers, body: body.replace('2026', '2027') })
    expect((await carry(other)).status).toBe(401)
    await untouched()
  })
})

test('files that the school lacks go before', async () => {
  await joinAs(people.byrne.id)
  const content = pdfOfSize(1_000)
  const uploaded = await uploadedAt(laptop, content)
  await ask()
  expect(await meet()).toBe('wiped')
  expect(await downloadedAt(server, uploaded)).toBe(sha256Of(content))
})

test('files that cannot go at the moment keep it from being erased', async () => {
  await joinAs(people.byrne.id)
  const uploaded = await uploadedAt(laptop, pdfOfSize(1_000))
  await ask()
  const noFiles: Carrier = async (request) => {
    if (new URL(request.url).pathname.startsWith('/storage/')) throw new Error('no file gets through')
    return carry(request)
  }
  await expect(meet(noFiles)).rejects.toMatchObject({ code: 'line' })
  expect(noteAt()).toBeNull()
  laptop.clock.advance(600_000)
  await carryFiles(laptop, carry)
  expect(await meet()).toBe('wiped')
  expect(await downloadedAt(server, uploaded)).not.toBe('sync.file_away')
})

describe('M13: nobody but a laptop, and only by its school', () => {
  test('a school’s server is never erased by its centre, whatever that says', async () => {
    const { centre, box } = await centreAndSchool(open)
    const [peer] = await centre.as.okafor.replication.nodes()
    const refused = await centre.as.okafor.replication.wipe.raw({ params: { id: peer?.id ?? '' } })
    expect(refused).toMatchObject({ status: 409, body: { code: 'sync.not_a_laptop' } })
    await centre.services.store.write(asSystem(), (tx) => setPeer(tx, peer?.id ?? '', { wipe_asked_at: tx.now }))
    const [parent] = await box.services.store.read(asSystem(), parentsOf)
    if (!parent) throw new Error('no parent')
    const line = new ParentLine(parent, keysOfEnrolment(box.services, parent), carrierTo(centre))
    expect(await new Child(box.services, parent.id, line).greet()).toEqual({ anew: false, wipe: null })
  })

  test('a laptop under its school and the centre heeds the school alone', async () => {
    const { centre, box } = await centreAndSchool(open)
    await under(box, laptop, { user: people.ada.id })
    await makeRound(laptop, carrierTo(box))
    await under(centre, laptop, { user: people.ada.id })
    await makeRound(laptop, carrierTo(centre), 1)
    await enter(81)
    await ask(centre)
    expect(await meet(carrierTo(centre), 1)).toBe('goes on')
    expect(noteAt()).toBeNull()
    const { code } = await box.services.store.write(asSystem(), (tx) =>
      invite(tx, { kind: 'laptop', schoolId: stBrigids, userId: people.byrne.id, by: null }),
    )
    expect(code).toMatch(/-/)
    const head = await signedIn(box, 'okafor')
    const [at] = (await head.replication.nodes()).filter(({ side }) => side === 'child')
    await head.replication.wipe({ params: { id: at?.id ?? '' } })
    expect(await meet(carrierTo(box))).toBe('wiped')
    expect(await scoreAt(box)).toBe(81)
  })

  test('one that has the centre alone heeds that', async () => {
    await joinAs(people.ada.id)
    await ask()
    expect(await meet()).toBe('wiped')
  })
})
