import { naturalId } from '@markbook/shared/ids'
import { englishExam, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { conflictState, type Kept } from '@markbook/sync/merge/conflict'
import type { Stamp } from '@markbook/sync/versions'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyStates } from '../../store/replica/apply.ts'
import { knownRows } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { signedIn, type UnderParent } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar, mark, marksOf } from './altered.fixtures.ts'
import { conflictsAt, refusedAt, refusedBelow, settle } from './scenarios.fixtures.ts'

const open: School[] = []
let server: School
let laptop: School
let link: UnderParent
beforeEach(async () => {
  ;({ server, laptop, link } = await serverAndLaptop(open))
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

describe('a conflict that a laptop decides', () => {
  /** Byrne's mark, on his own laptop, meets one of the head. */
  async function byrnesConflict() {
    const his = await laptopOf(open, server, people.byrne.id, 'his')
    await (await signedIn(his.laptop, 'byrne')).grades.bulk(mark(zoe, 51, englishExam))
    server.clock.advance(60_000)
    await server.as.okafor.grades.bulk(mark(zoe, 59, englishExam))
    await settle(his.link, link)
  }
  /** Ada's mark meets one of the head, who was later. */
  async function adasConflict() {
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(zoe, 51))
    server.clock.advance(60_000)
    await server.as.okafor.grades.bulk(mark(zoe, 59))
    await settle(link)
    return (await conflictsAt(laptop))[0]?.id ?? ''
  }
  /** Past the program of the laptop, which asks for the right. */
  const decided = (by: string) =>
    laptop.services.store.write(asSystem(by), async (tx) => {
      const [before] = await tx.db.select().from(tx.t.sync_conflict)
      if (before) await tx.update('sync_conflict', [{ before, patch: { status: 'resolved', resolved_at: tx.now, resolved_by: by } }])
    })
  const statusAt = async (node: School) => (await conflictsAt(node)).map(({ status }) => status)

  test.each([
    ['in the name of the head', people.okafor.id, 'not_yours'],
    ['by a teacher who may not write the mark', people.ada.id, 'forbidden'],
  ])('%s stays open, and the head reads what was not taken', async (_, by, code) => {
    await byrnesConflict()
    expect(await statusAt(laptop)).toEqual(['open'])
    await decided(by)
    await settle(link)
    expect(await statusAt(server)).toEqual(['open'])
    expect(await statusAt(laptop)).toEqual(['open'])
    expect(await server.as.okafor.replication.refused()).toMatchObject([
      { entity: 'sync_conflict', units: ['status'], value: { status: 'resolved' }, code, actor: { id: by } },
    ])
    expect(await refusedAt(laptop)).toMatchObject([{ table_name: 'sync_conflict', unit: 'status', code }])
  })

  test('as if it were about a mark that she may write stays open', async () => {
    await byrnesConflict()
    const { says } = await liar(laptop, server)
    await decided(people.ada.id)
    const row_id = naturalId('grade', mathsExam.id, zoe.id)
    const { answers } = await says((row) =>
      row.table === 'sync_conflict' ? [{ ...row, state: { ...row.state, values: { ...row.state.values, row_id } } }] : [row],
    )
    expect(answers).toMatchObject([{ table: 'sync_conflict', outcome: 'refused', code: 'forbidden' }])
    expect(await statusAt(server)).toEqual(['open'])
  })

  test('by somebody whose place was suspended meanwhile stays open; nothing becomes a conflict about a conflict', async () => {
    const id = await adasConflict()
    await server.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { isActive: false } })
    await (await signedIn(laptop, 'ada')).replication.resolve({ params: { id }, body: { choice: 'current' } })
    await settle(link)
    expect((await conflictsAt(server)).map(({ entity, status }) => [entity, status])).toEqual([['grade', 'open']])
    expect(await refusedBelow(server)).toMatchObject([{ table_name: 'sync_conflict', unit: 'status', code: 'forbidden' }])
  })

  test('by whoever may write the mark is decided', async () => {
    const id = await adasConflict()
    await (await signedIn(laptop, 'ada')).replication.resolve({ params: { id }, body: { choice: 'kept' } })
    await settle(link)
    expect(await conflictsAt(server)).toMatchObject([{ status: 'resolved', resolved_by: people.ada.id }])
    expect(await marksOf(server, zoe)).toEqual([51])
    expect(await refusedBelow(server)).toEqual([])
  })
})

describe('a conflict that a laptop tells of', () => {
  const gradeId = naturalId('grade', mathsExam.id, zoe.id)
  const stampOfMark = async (node: School) => {
    const known = await node.services.store.read(asSystem(), (tx) => knownRows(tx, 'grade', stBrigids, [gradeId]))
    return known.get(gradeId)?.state.units['score'] as Stamp
  }
  const planted = async (kept: Partial<Kept>) => {
    const stamp = kept.stamp ?? (await stampOfMark(server))
    const losing = {
      table: 'grade',
      rowId: gradeId,
      unit: 'score',
      kind: 'value',
      value: { score: 99 },
      status: 'open',
      reason: null,
    } as const
    const state = conflictState(stBrigids, 1, { ...losing, ...kept, stamp })
    await laptop.services.store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'sync_conflict', state }], { source: null }))
    await settle(link)
  }
  const later = (): Stamp => [server.services.store.nodeId, 9_000, server.clock.now(), people.byrne.id]

  test.each<[string, () => Promise<Partial<Kept>> | Partial<Kept>]>([
    ['of a mark that nobody wrote', () => ({ stamp: later() })],
    ['of what stands there with another value', () => ({})],
    ['in the own name, under the number of another node', () => ({ stamp: [...later().slice(0, 3), people.ada.id] as unknown as Stamp })],
    [
      'of what a laptop never writes',
      () => ({
        table: 'school_management',
        rowId: naturalId('membership', people.ada.id, stBrigids),
        unit: 'role',
        value: { role: 'admin' },
        stamp: [laptop.services.store.nodeId, 9_000, server.clock.now(), people.ada.id],
      }),
    ],
  ])('%s, is none, and the head reads what it says', async (_, kept) => {
    const lie = await kept()
    await planted(lie)
    expect(await conflictsAt(server)).toEqual([])
    expect(await conflictsAt(laptop)).toEqual([])
    const { table = 'grade', value = { score: 99 } } = lie
    expect(await server.as.okafor.replication.refused()).toMatchObject([
      { entity: table, value, code: 'not_yours', units: [lie.unit ?? 'score'] },
    ])
    expect(await refusedAt(laptop)).toMatchObject([{ table_name: table, value, code: 'not_yours' }])
  })

  /** What the head wrote is heard on the laptop before the laptop's own mark is told: the two meet there. */
  async function metOnTheLaptop(who: 'the head' | 'Ada') {
    const [head, ada] = [
      () => server.as.okafor.grades.bulk(mark(zoe, 59)),
      async () => (await signedIn(laptop, 'ada')).grades.bulk(mark(zoe, 62)),
    ]
    const [first, second] = who === 'the head' ? [head, ada] : [ada, head]
    await first()
    for (const node of [server, laptop]) node.clock.advance(60_000)
    await second()
    const { child, says } = await liar(laptop, server)
    await child.pull(0)
    return says
  }

  test.each([
    ['the head', { score: 59 }, people.okafor.id],
    ['Ada', { score: 62 }, people.ada.id],
  ] as const)('of a mark of %s that met another there is taken', async (who, value, actor_id) => {
    await metOnTheLaptop(who)
    await settle(link)
    expect(await conflictsAt(server)).toMatchObject([{ entity: 'grade', value, actor_id, status: 'open' }])
    expect(await refusedBelow(server)).toEqual([])
  })

  test('is not taken with another value than the head wrote', async () => {
    const says = await metOnTheLaptop('the head')
    const lie = { score: 99 }
    const { answers } = await says((row) =>
      row.table === 'sync_conflict' ? [{ ...row, state: { ...row.state, values: { ...row.state.values, value: lie } } }] : [row],
    )
    expect(answers.filter(({ table }) => table === 'sync_conflict')).toMatchObject([{ outcome: 'refused', code: 'not_yours' }])
    expect(await conflictsAt(server)).toEqual([])
    expect(await server.as.okafor.replication.refused()).toMatchObject([{ entity: 'grade', value: lie, actor: { id: people.okafor.id } }])
  })
})
