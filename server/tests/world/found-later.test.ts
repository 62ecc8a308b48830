import { join } from 'node:path'
import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { expect } from 'vitest'
import { applyStates } from '../../store/replica/apply.ts'
import { readCopy, withConflicts } from '../../store/replica/feed.ts'
import type { Incoming } from '../../store/replica/page.ts'
import { knownRows, rowsWhere } from '../../store/replica/states.ts'
import { asSystem, type NewRow } from '../../store/tx.ts'
import { testClock } from '../../testing/clock.ts'
import { contentsOf, differences, uncoveredAt } from './checks.ts'
import { admin, assessmentOf, at, idOf, open, rows, school, stage, subjectOf, teacher, test } from './found.stage.ts'
import { WorldNode } from './node.ts'
import { makeRound } from './round.ts'
import { BEGINNING, joinUnder, plainCarrier } from './stage.ts'

/** What longer worlds found. */
const refusedAt = (node: WorldNode) =>
  node.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_refused)) as Promise<Row<'sync_refused'>[]>
const heldAt = (node: WorldNode) => node.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held)) as Promise<Row<'sync_held'>[]>

test('a centre that was restored to before a school began anew knows it again', async () => {
  const { centre, box, round, meet, expectSame } = await stage()
  const folder = `${centre.folder}-backup`
  await centre.copyTo(folder)
  await box.store.renewNode()
  await round(box, centre)
  await centre.putBack(folder)
  await centre.store.renewNode()
  await meet()
  await expectSame()
})

test('a centre that was restored takes its own deletion again from a laptop, of a row whose making is in no history', async () => {
  const { centre, laptop, round, meet, expectSame } = await stage()
  const folder = `${centre.folder}-backup`
  await centre.copyTo(folder)
  const [mark] = (await rows(centre, 'grade')) as [Row<'grade'>]
  const find = async (tx: Parameters<Parameters<typeof at>[2]>[0]) => (await tx.find('grade', school.id, mark.id)) as never
  await at(centre, admin, async (tx) => tx.update('grade', [{ before: await find(tx), patch: { score: 1 } }]))
  await at(centre, admin, async (tx) => tx.remove('grade', [await find(tx)]))
  await round(laptop, centre)
  await centre.putBack(folder)
  await centre.store.renewNode()
  await round(laptop, centre)
  expect(await uncoveredAt(centre)).toEqual([])
  expect((await rows(centre, 'grade')).map(({ id }) => id)).not.toContain(mark.id)
  await meet()
  await expectSame()
})

test('what one parent of a laptop does not know yet stays on the laptop, and nobody is told of a refusal', async () => {
  const { centre, box, laptop, round, meet, expectSame } = await stage()
  await at(box, admin, (tx) => tx.insert('subject', [subjectOf(idOf(1), 'XX')]))
  await round(laptop, box)
  await round(laptop, centre)
  expect((await rows(laptop, 'subject')).map(({ code }) => code)).toContain('XX')
  expect(await refusedAt(laptop)).toEqual([])
  await meet()
  await expectSame()
})

test('an answer to another request is none', async () => {
  const { box, laptop, round } = await stage()
  const carry = plainCarrier(laptop, box)
  let before: Response | null = null
  await makeRound(laptop, box, async (request) => {
    const response = await carry(request)
    if (new URL(request.url).pathname === '/sync/pull') before = response.clone()
    return response
  })
  const ending = await makeRound(laptop, box, async (request) => {
    const response = await carry(request)
    return new URL(request.url).pathname === '/sync/pull' && before ? before : response
  })
  expect(ending).toBe('broken')
  await round(laptop, box)
})

test('a row of a copy comes with its conflicts', async () => {
  const { centre, box, meet } = await stage()
  const { id } = await assessmentOf(box)
  for (const [node, title] of [
    [centre, 'One'],
    [box, 'Other'],
  ] as const)
    await at(node, admin, async (tx) =>
      tx.update('assessment', [{ before: (await tx.find('assessment', school.id, id)) as never, patch: { title } }]),
    )
  await meet()
  const page = await centre.store.read(asSystem(), async (tx) => {
    const copied = await readCopy(tx, school.id, { table: 'assessment', after: '00000000-0000-0000-0000-000000000000' }, 100)
    return withConflicts(tx, school.id, copied.rows)
  })
  expect(page.filter(({ table }) => table === 'sync_conflict').map(({ state }) => state.values['row_id'])).toContain(id)
})

test('a copy of a laptop that was beginning anew begins anew itself', async () => {
  const { box, laptop, round } = await stage()
  await laptop.store.renewNode()
  const twin = await laptop.clone('twin')
  open.push(twin)
  await round(laptop, box)
  await round(twin, box)
  expect(twin.store.nodeId).not.toBe(laptop.store.nodeId)
})

test('three terms pass their names round', async () => {
  const { centre, box, meet, expectSame } = await stage()
  const year = school.years[1] as string
  const termOf = (name: 'michaelmas' | 'hilary' | 'trinity'): NewRow<'term'> => ({
    id: naturalId('term', year, name),
    school_id: school.id,
    academic_year_id: year,
    name,
    start_date: '2025-09-01',
    end_date: '2025-10-01',
    exam_weight: 50,
    coursework_weight: 50,
    is_ministry_reporting: false,
    sort_order: 1,
  })
  const first = naturalId('term', year, 'michaelmas')
  const rename = (node: WorldNode, name: 'hilary' | 'trinity') =>
    at(node, admin, async (tx) => tx.update('term', [{ before: (await tx.find('term', school.id, first)) as never, patch: { name } }]))
  await at(box, admin, (tx) => tx.insert('term', [termOf('michaelmas')]))
  await meet()
  await rename(centre, 'trinity')
  await at(centre, admin, (tx) => tx.insert('term', [termOf('hilary')]))
  await at(box, admin, (tx) => tx.insert('term', [termOf('trinity')]))
  await rename(box, 'hilary')
  await meet()
  expect(await heldAt(centre)).toEqual([])
  expect(await heldAt(box)).toEqual([])
  await expectSame()
})

test('what had to wait goes to everybody, whoever sent what it waited for', async () => {
  const { centre, box, laptop } = await stage()
  const subject = subjectOf(idOf(1), 'XX')
  const assessment = { ...(await assessmentOf(centre)), id: idOf(2), subject_id: subject.id, title: 'Waits' }
  await at(centre, admin, (tx) => tx.insert('subject', [subject]))
  await at(centre, admin, (tx) => tx.insert('assessment', [assessment]))
  const stateOf = async (table: 'subject' | 'assessment', id: string): Promise<Incoming> => {
    const known = await centre.store.read(asSystem(), (tx) => knownRows(tx, table, school.id, [id]))
    return { table, state: known.get(id)?.state as never }
  }
  const [parent, child] = [await stateOf('subject', subject.id), await stateOf('assessment', assessment.id)]
  await at(box, admin, (tx) => applyStates(tx, school.id, [child], { source: laptop.store.nodeId }))
  expect(await heldAt(box)).toHaveLength(1)
  await at(box, admin, (tx) => applyStates(tx, school.id, [parent], { source: centre.store.nodeId }))
  const { sync_row } = await box.store.read(asSystem(), async (tx) => tx.t)
  const versions = await box.store.read(asSystem(), (tx) => tx.db.select().from(sync_row))
  expect(versions.find(({ row_id }: Row<'sync_row'>) => row_id === assessment.id)?.source_id).toBeNull()
})

test('what waits is not lost to an older state of the row', async () => {
  const { box, centre, round, laptop } = await stage()
  const poisoned = (await rows(box, 'grade'))[0] as Row<'grade'>
  await at(box, admin, async (tx) => {
    await tx.connection.run('pragma ignore_check_constraints = on', [])
    await tx.update('grade', [{ before: (await tx.find('grade', school.id, poisoned.id)) as never, patch: { score: -1 } }])
    await tx.connection.run('pragma ignore_check_constraints = off', [])
  })
  // As a program that asked less of values took it.
  const state = (await box.store.read(asSystem(), (tx) => knownRows(tx, 'grade', school.id, [poisoned.id]))).get(poisoned.id)?.state
  if (!state) throw new Error('the mark is not at the school')
  await at(centre, admin, (tx) => applyStates(tx, school.id, [{ table: 'grade', state }], { source: box.store.nodeId }))
  await at(laptop, teacher, async (tx) =>
    tx.update('grade', [{ before: (await tx.find('grade', school.id, poisoned.id)) as never, patch: { remarks: 'Later' } }]),
  )
  await round(laptop, centre)
  expect((await heldAt(centre)).map(({ state }) => JSON.parse(state).values)).toEqual([
    expect.objectContaining({ score: -1, remarks: 'Later' }),
  ])
})

test('two administrators who took the right from each other are the same in a new copy', async () => {
  const { centre, box, meet } = await stage()
  const [first, second] = school.admins as [string, string]
  const demote = (node: WorldNode, by: string, whom: string) =>
    at(node, by, async (tx) => {
      const members = (await rowsWhere(tx, 'school_management', school.id)) as unknown as Row<'school_management'>[]
      const before = members.find(({ user_id }) => user_id === whom) as Row<'school_management'>
      return tx.update('school_management', [{ before, patch: { role: 'teacher' } }])
    })
  await demote(centre, first, second)
  await demote(box, second, first)
  await meet()
  const folder = `${box.folder}-fresh`
  const fresh = new WorldNode({ name: 'fresh', kind: 'school', folder, clock: testClock(BEGINNING), seed: join('found', 'fresh') })
  await fresh.open()
  open.push(fresh)
  await joinUnder(fresh, centre, { kind: 'school', school: school.id, user: null })
  expect(await makeRound(fresh, centre, plainCarrier(fresh, centre))).toBe('whole')
  expect(differences(await contentsOf(centre, school.id), await contentsOf(fresh, school.id))).toEqual([])
})
