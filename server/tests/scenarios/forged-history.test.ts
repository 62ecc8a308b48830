import { naturalId } from '@markbook/shared/ids'
import { mathsExam, mathsHomework, sean, zoe } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import type { Row } from '@markbook/shared/tables/tables'
import { entriesOf, type HistoryEntry, packEntries } from '@markbook/sync/protocol/entries'
import { eq, getTableColumns, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { nodeKeys, signText } from '../../replication/identity/keys.ts'
import { RefusalLog } from '../../replication/issues/refusal-log.ts'
import { judgedHistory } from '../../replication/journal/judge.history.ts'
import { digestOfEntry, historyText, proved, transactionOf, verdictsOn } from '../../replication/journal/signed-history.ts'
import { Child } from '../../replication/upstream/child.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { lineOf, signedIn, type UnderParent, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'

const open: School[] = []
let server: School
let laptop: School
let link: UnderParent
beforeEach(async () => {
  ;({ server, laptop, link } = await serverAndLaptop(open))
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const each of open.splice(0)) await each.close()
})

/** What a node has to say goes up with its history changed, signed as it was, or anew with what the node itself can sign. */
async function tells(node: School, parent: School, change: (entry: HistoryEntry) => HistoryEntry, { anew = false } = {}): Promise<void> {
  const line = await lineOf(node, parent)
  const [peer] = await node.services.store.read(asSystem(), parentsOf)
  if (!peer) throw new Error('it has no parent')
  const { push } = await new Child(node.services, peer.id, line).pageAfter(peer)
  const changed = entriesOf(push.history).map(change)
  const { store, config } = node.services
  const unsigned = changed.map((entry) => ({ ...entry, proof: null }))
  const sign = () => store.read(asSystem(), (tx) => proved(tx, stBrigids, config.sessionSecret, unsigned, unsigned))
  await line.push({ ...push, history: packEntries(anew ? await sign() : changed) })
}

const stored = (node: School) =>
  node.services.store.read(asSystem(), async (tx) =>
    (await tx.db.select({ id: tx.t.history.id }).from(tx.t.history)).map(({ id }) => id).sort(),
  )
const enter = async (node: School, score: number, exam = mathsHomework) =>
  (await signedIn(node, 'ada')).grades.bulk({ body: { assessmentId: exam.id, grades: [{ studentId: zoe.id, score }] } })

describe('of a laptop the school takes no history that its person did not write', () => {
  const other = '01900000-0000-7000-8000-00000000abcd'
  test.each<[string, (entry: HistoryEntry) => HistoryEntry]>([
    ['another row', (entry) => ({ ...entry, row_id: naturalId('grade', mathsExam.id, sean.id) })],
    ['another table', (entry) => ({ ...entry, entity: 'student' })],
    ['no table', (entry) => ({ ...entry, entity: 'houses' })],
    ['another time', (entry) => ({ ...entry, at: '2020-01-01T00:00:00.000Z' })],
    ['another author', (entry) => ({ ...entry, actor_id: people.okafor.id })],
    ['nobody as the author', (entry) => ({ ...entry, actor_id: null })],
    ['the number of the school', (entry) => ({ ...entry, node_id: server.services.store.nodeId })],
    ['a number of nobody, and another author', (entry) => ({ ...entry, node_id: other, actor_id: people.okafor.id })],
    ['another number in its chain', (entry) => ({ ...entry, node_seq: entry.node_seq + 1 })],
    ['another head', (entry) => ({ ...entry, head: 'f'.repeat(64) })],
    ['changes that are no JSON', (entry) => ({ ...entry, changes: 'not json' })],
    ['changes that are a list', (entry) => ({ ...entry, changes: '[1]' })],
    ['more than it wrote', (entry) => ({ ...entry, changes: JSON.stringify({ after: { score: 10 } }) })],
    ['a detail that is none', (entry) => ({ ...entry, detail: '[]' })],
    ['no signature', (entry) => ({ ...entry, proof: null })],
    ['a signature that is none', (entry) => ({ ...entry, proof: '["AAAA"]' })],
    ['a proof that cannot be read', (entry) => ({ ...entry, proof: '{' })],
  ])('%s', async (_, change) => {
    const before = await stored(server)
    const noted = vi.spyOn(RefusalLog.prototype, 'note')
    await enter(laptop, 4)
    await tells(laptop, server, change)
    expect(await stored(server)).toEqual(before)
    expect(noted).toHaveBeenCalledWith(
      expect.objectContaining({ kind: 'laptop', person: people.ada.id }),
      expect.arrayContaining([expect.objectContaining({ table: 'history' })]),
    )
    const head = await signedIn(server, 'okafor')
    await expect(head.history.list({ query: { entity: 'grade', id: naturalId('grade', mathsHomework.id, zoe.id) } })).resolves.toBeDefined()
  })

  test.each<[string, (entry: HistoryEntry) => HistoryEntry]>([
    ['another author', (entry) => ({ ...entry, actor_id: people.okafor.id })],
    ['nobody as the author', (entry) => ({ ...entry, actor_id: null })],
    ['changes that are no JSON', (entry) => ({ ...entry, changes: 'not json' })],
    ['no table', (entry) => ({ ...entry, entity: 'houses' })],
  ])('also where it signs it itself: %s', async (_, change) => {
    const before = await stored(server)
    await enter(laptop, 4)
    await tells(laptop, server, change, { anew: true })
    expect(await stored(server)).toEqual(before)
  })

  test('what it wrote itself is taken, once', async () => {
    await enter(laptop, 4)
    const before = await stored(server)
    await tells(laptop, server, (entry) => entry)
    const after = await stored(server)
    expect(after.length).toBe(before.length + 1)
    await link.round()
    expect(await stored(server)).toEqual(after)
  })

  test('nor an entry that another laptop signed for its own person under the author of a third', async () => {
    const { laptop: second, link: below } = await laptopOf(open, server, people.byrne.id, 'second')
    await enter(laptop, 4)
    await link.round()
    await below.round()
    // The second laptop brings what the first wrote, as it was signed: the school has it, and nothing is new.
    const before = await stored(server)
    await enter(laptop, 5)
    await tells(second, server, (entry) => ({ ...entry, actor_id: people.byrne.id }))
    expect(await stored(server)).toEqual(before)
  })
})

test('of a laptop and a copy of it, which used one number for two transactions, each is told with the proof of its own', async () => {
  await enter(laptop, 4)
  await link.round()
  const { store, config } = server.services
  const verdicts = await store.read(asSystem(), async (tx) => {
    const { history } = tx.t
    const [last] = await tx.db
      .select({ ...getTableColumns(history), changes: sql<string>`${history.changes}` })
      .from(history)
      .where(eq(history.node_id, laptop.services.store.nodeId))
    const { seq: _, source_id: __, school_id: ___, ...own } = last as Row<'history'> & { changes: string }
    const copys: HistoryEntry = { ...own, id: zoe.id, head: 'c'.repeat(64), proof: null }
    const told = await proved(tx, stBrigids, config.sessionSecret, [own], [own, copys])
    const verdict = await verdictsOn(tx, stBrigids, config.sessionSecret, [...told, copys])
    return [own, copys].map((each) => verdict.get(transactionOf(each)))
  })
  expect(verdicts).toEqual([{ signer: { kind: 'laptop', user: people.ada.id } }, 'none'])
})

test('a copy of a laptop that has a part of a transaction from a parent tells it with the signature that came with it', async () => {
  const { store, config } = laptop.services
  const { sessionSecret } = config
  const entry = (id: string): HistoryEntry => ({
    ...{ id, at: '2026-01-12T08:00:00.000Z', actor_id: people.ada.id, node_id: store.nodeId, node_seq: 7, head: 'a'.repeat(64) },
    ...{ entity: 'grade', row_id: id, near_id: id, action: 'update', changes: '{}', detail: null, proof: null },
  })
  const [one, two, withheld] = [entry(zoe.id), entry(sean.id), entry(people.ada.id)]
  const told = await store.read(asSystem(), async (tx) => {
    const parts = await proved(tx, stBrigids, sessionSecret, [one, two], [one, two, withheld])
    return proved(tx, stBrigids, sessionSecret, parts.slice(0, 1), parts)
  })
  // Together with the rest of the transaction, that signature is good.
  const whole = [...told.map((each) => ({ ...each, proof: JSON.stringify([JSON.parse(each.proof ?? '[]')[0]]) })), two, withheld]
  const verdicts = await server.services.store.read(asSystem(), (tx) =>
    verdictsOn(tx, stBrigids, server.services.config.sessionSecret, whole),
  )
  expect([...verdicts.values()]).toEqual([{ signer: { kind: 'laptop', user: people.ada.id } }])
})

test('what is taken of a transaction has its signature, where that stood on an entry that was refused', async () => {
  const node = '01900000-0000-7000-8000-00000000abcd'
  const entry = (id: string, actor_id: string): HistoryEntry => ({
    ...{ id, at: '2026-01-12T08:00:00.000Z', actor_id, node_id: node, node_seq: 7, head: 'a'.repeat(64) },
    ...{ entity: 'grade', row_id: id, near_id: id, action: 'update', changes: '{}', detail: null, proof: null },
  })
  const [heads, hers] = [entry(sean.id, people.okafor.id), entry(zoe.id, people.ada.id)]
  const keys = nodeKeys('a server that nobody here has met', node)
  const signature = signText(historyText(stBrigids, hers, [heads, hers].map(digestOfEntry)), keys)
  const told = [{ ...heads, proof: JSON.stringify([signature]) }, hers]
  const { store, config } = server.services
  const peer = { kind: 'laptop', school_id: stBrigids, user_id: people.ada.id, node_id: laptop.services.store.nodeId } as const
  const { taken } = await store.read(asSystem(), (tx) => judgedHistory(tx, peer, config.sessionSecret, told))
  expect(taken).toEqual([{ ...hers, proof: JSON.stringify([signature, digestOfEntry(heads)]) }])
})

/** The number of the server of another school at the centre. */
async function neighbourOf(centre: School): Promise<string> {
  const box = await school({ seed: 'hilltop', story: false, database: 'sqlite' })
  open.push(box)
  await under(centre, box, { school: hilltop })
  return box.services.store.nodeId
}

test('of a school’s server the centre takes no history under its own number, nor under that of another school', async () => {
  const { centre, box } = await centreAndSchool(open)
  const numbers = [centre.services.store.nodeId, await neighbourOf(centre)]
  const before = await stored(centre)
  for (const number of numbers) {
    await enter(box, 6)
    await tells(box, centre, (entry) => ({ ...entry, node_id: number }))
    expect(await stored(centre)).toEqual(before)
  }
})

test('an entry that an older program took in spite of its form shows no changes, and every other as it is', async () => {
  const id = naturalId('grade', mathsHomework.id, zoe.id)
  await enter(server, 5)
  await server.services.store.write(asSystem(), async (tx) => {
    const near_id = mathsHomework.id
    const { nodeId } = server.services.store
    const entry = { id: tx.newId(), at: tx.now, actor_id: null, node_id: nodeId, entity: 'grade', row_id: id, near_id, action: 'update' }
    tx.replica.recordReceived(stBrigids, [], [{ ...entry, changes: 'not json', node_seq: 1, head: 'x', source_id: nodeId }])
  })
  const head = await signedIn(server, 'okafor')
  const past = await head.history.list({ query: { entity: 'grade', id } })
  expect(past[0]?.changes).toEqual({})
  expect(past.length).toBeGreaterThan(1)
  expect(past.slice(1).some(({ changes }) => changes['score']?.after === 5)).toBe(true)
})
