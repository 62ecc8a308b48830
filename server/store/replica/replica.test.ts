import { naturalId } from '@markbook/shared/ids'
import { elan, englishExam, mathsHomework } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { RowState } from '@markbook/sync/merge/state'
import type { Stamp } from '@markbook/sync/versions'
import { afterEach, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'
import { asSystem } from '../tx.ts'
import { applyStates } from './apply.ts'
import { contentsOf, copySchool, lineBetween } from './replica.fixtures.ts'
import { knownRows } from './states.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** Two nodes with the same school: one on the database of this run, the other on SQLite. */
async function pair() {
  const one = await school({ seed: 'one' })
  const two = await school({ seed: 'two', story: false, database: 'sqlite' })
  open.push(one, two)
  await copySchool(one.services.store, two.services.store)
  const up = lineBetween(two.services.store, one.services.store)
  const down = lineBetween(one.services.store, two.services.store)
  const meet = async () => {
    for (let round = 0; round < 3; round += 1) {
      await up.carry()
      await down.carry()
    }
  }
  return { one, two, up, down, meet }
}

test('a first copy holds the same rows', async () => {
  const { one, two } = await pair()
  expect(await contentsOf(two.services.store)).toEqual(await contentsOf(one.services.store))
})

test('going on from a copy changes nothing, and neither does doing it again', async () => {
  const { one, two, meet } = await pair()
  await meet()
  const [before, feed] = [await contentsOf(two.services.store), await seqs(one, two)]
  await meet()
  expect(await contentsOf(two.services.store)).toEqual(before)
  expect(await seqs(one, two)).toEqual(feed)
  expect(await contentsOf(one.services.store)).toEqual(before)
})

const seqs = (...nodes: School[]) =>
  Promise.all(nodes.map(({ services }) => services.store.read(asSystem(), (tx) => tx.dialect.feedOf(tx.connection, stBrigids))))

const gradeId = naturalId('grade', englishExam.id, elan.id)
const conflictsAt = (node: School) => node.rows('sync_conflict')
/** A write as it would come through the API, on either node. */
const setScore = (node: School, score: number, actor: string = people.ada.id) =>
  node.services.store.write(asSystem(actor), async (tx) => {
    const before = await tx.find('grade', stBrigids, gradeId)
    if (before) await tx.update('grade', [{ before, patch: { score } }])
  })

test('a mark that one wrote is the other’s after a round', async () => {
  const { one, two, meet } = await pair()
  await setScore(two, 61)
  await meet()
  expect((await one.rows('grade')).find(({ id }) => id === gradeId)?.score).toBe(61)
  expect(await conflictsAt(one)).toEqual([])
})

test('one mark of two people who had not heard of each other: the later stands, the other is kept, and both nodes say the same', async () => {
  const { one, two, meet } = await pair()
  await setScore(one, 61)
  two.clock.advance(60_000)
  await setScore(two, 72, people.byrne.id)
  await meet()
  expect(await contentsOf(two.services.store)).toEqual(await contentsOf(one.services.store))
  expect((await one.rows('grade')).find(({ id }) => id === gradeId)?.score).toBe(72)
  expect(await conflictsAt(one)).toMatchObject([
    { entity: 'grade', unit: 'score', kind: 'value', value: { score: 61 }, actor_id: people.ada.id, status: 'open' },
  ])
})

test('an assessment deleted under a new mark lives again with it, and the deletion is kept', async () => {
  const { one, two, meet } = await pair()
  await two.services.store.write(asSystem(people.ada.id), async (tx) => {
    const row = await tx.find('assessment', stBrigids, englishExam.id)
    if (row) await tx.remove('assessment', [row])
  })
  one.clock.advance(5_000)
  await setScore(one, 44)
  await meet()
  const contents = await contentsOf(one.services.store)
  expect(await contentsOf(two.services.store)).toEqual(contents)
  expect((await two.rows('assessment')).map(({ id }) => id)).toContain(englishExam.id)
  const grades = (await two.rows('grade')).filter(({ assessment_id }) => assessment_id === englishExam.id)
  expect(grades).toMatchObject([{ id: gradeId, score: 44 }])
  expect((await conflictsAt(two)).map(({ entity, kind }) => `${entity} ${kind}`).sort()).toEqual(['assessment delete', 'grade delete'])
})

test('a maximum lowered under a mark that it had not seen: the mark stands', async () => {
  const { one, two, meet } = await pair()
  await two.services.store.write(asSystem(people.ada.id), async (tx) => {
    const grades = (await tx.db.select().from(tx.t.grade)).filter(({ assessment_id }) => assessment_id === mathsHomework.id)
    await tx.remove('grade', grades)
    const before = await tx.find('assessment', stBrigids, mathsHomework.id)
    if (before) await tx.update('assessment', [{ before, patch: { max_score: 5 } }])
  })
  await one.services.store.write(asSystem(people.ada.id), async (tx) => {
    const [before] = (await tx.db.select().from(tx.t.grade)).filter(({ assessment_id }) => assessment_id === mathsHomework.id)
    if (before) await tx.update('grade', [{ before, patch: { score: 9.5 } }])
  })
  await meet()
  expect(await contentsOf(two.services.store)).toEqual(await contentsOf(one.services.store))
  expect((await one.rows('assessment')).find(({ id }) => id === mathsHomework.id)?.max_score).toBe(10)
  expect((await conflictsAt(one)).map(({ entity, kind, reason }) => `${entity} ${kind} ${reason}`)).toContain(
    'assessment rule score_above_maximum',
  )
  // The mark goes, and with it the reason.
  await two.services.store.write(asSystem(people.ada.id), async (tx) => {
    await tx.remove(
      'grade',
      (await tx.db.select().from(tx.t.grade)).filter(({ assessment_id }) => assessment_id === mathsHomework.id),
    )
  })
  await meet()
  expect((await two.rows('assessment')).find(({ id }) => id === mathsHomework.id)?.max_score).toBe(5)
  expect(await contentsOf(two.services.store)).toEqual(await contentsOf(one.services.store))
})

test('a subject code taken twice: both subjects stay, the younger with a mark', async () => {
  const { one, two, meet } = await pair()
  const made: string[] = []
  for (const [node, name] of [
    [one, 'Music'],
    [two, 'Musicology'],
  ] as const) {
    node.clock.advance(1_000)
    await node.services.store.write(asSystem(people.okafor.id), async (tx) => {
      const id = tx.newId()
      made.push(id)
      await tx.insert('subject', [{ id, school_id: stBrigids, name, code: 'MUS', sort_order: 9, is_active: true }])
    })
  }
  await meet()
  expect(await contentsOf(two.services.store)).toEqual(await contentsOf(one.services.store))
  const codes = (await one.rows('subject')).filter(({ id }) => made.includes(id)).map(({ code }) => code)
  expect(codes).toContain('MUS')
  expect(new Set(codes).size).toBe(2)
  // Whoever has the code gives it up: the other gets what it claimed.
  await two.services.store.write(asSystem(people.okafor.id), async (tx) => {
    const [first] = (await tx.db.select().from(tx.t.subject)).filter(({ code }) => code === 'MUS')
    if (first) await tx.update('subject', [{ before: first, patch: { code: 'MU1' } }])
  })
  await meet()
  expect(await contentsOf(two.services.store)).toEqual(await contentsOf(one.services.store))
  expect(
    (await one.rows('subject'))
      .filter(({ id }) => made.includes(id))
      .map(({ code }) => code)
      .sort(),
  ).toEqual(['MU1', 'MUS'])
})

test('the last two administrators take the right from each other: one keeps it', async () => {
  const { one, two, meet } = await pair()
  await one.services.store.write(asSystem(people.okafor.id), async (tx) => {
    const rows = (await tx.db.select().from(tx.t.school_management)).filter(({ school_id }) => school_id === stBrigids)
    const byrne = rows.find(({ user_id }) => user_id === people.byrne.id)
    if (byrne) await tx.update('school_management', [{ before: byrne, patch: { role: 'admin' } }])
  })
  await meet()
  const demote = (node: School, user: string, by: string) =>
    node.services.store.write(asSystem(by), async (tx) => {
      const rows = (await tx.db.select().from(tx.t.school_management)).filter(({ school_id }) => school_id === stBrigids)
      const before = rows.find(({ user_id }) => user_id === user)
      if (before) await tx.update('school_management', [{ before, patch: { role: 'teacher' } }])
    })
  await demote(one, people.byrne.id, people.okafor.id)
  two.clock.advance(1_000)
  await demote(two, people.okafor.id, people.byrne.id)
  await meet()
  expect(await contentsOf(two.services.store)).toEqual(await contentsOf(one.services.store))
  const admins = (await one.rows('school_management')).filter(
    ({ school_id, role, is_active }) => school_id === stBrigids && role === 'admin' && is_active,
  )
  expect(admins).toHaveLength(1)
})

/** A child with a mark: how the mark stands there, and how it takes a state of it, from its parent or from another node. */
async function childWithMark() {
  const { one, two } = await pair()
  const { store } = two.services
  const stateOf = async () =>
    (await store.read(asSystem(), (tx) => knownRows(tx, 'grade', stBrigids, [gradeId]))).get(gradeId)?.state as RowState
  const apply = (state: RowState, fromParent: boolean) =>
    store.write(asSystem(), (tx) =>
      applyStates(tx, stBrigids, [{ table: 'grade', state }], { source: one.services.store.nodeId, fromParent }),
    )
  return { two, stateOf, apply }
}

test('where the same writes leave a row alive at the parent and deleted here, the parent’s state stands', async () => {
  const { two, stateOf, apply } = await childWithMark()
  const isThere = async () => (await two.rows('grade')).some(({ id }) => id === gradeId)
  const there = await stateOf()
  const node = two.services.store.nodeId
  const deleted = { ...there, alive: [], vv: { ...there.vv, [node]: 500 }, units: { ...there.units, row: [node, 500, 1, null] as Stamp } }
  await apply(deleted, false)
  expect(await isThere()).toBe(false)
  // The other node did not take the claim that the deletion had seen the writes in `alive`.
  await apply({ ...deleted, alive: there.alive }, false)
  expect(await isThere()).toBe(false)
  await apply({ ...deleted, alive: there.alive }, true)
  expect(await isThere()).toBe(true)
  expect((await stateOf()).alive).toEqual(there.alive)
})

test('where the parent’s `alive` has a write that it cannot be shown, and which was seen here, both end with the same versions', async () => {
  const { stateOf, apply } = await childWithMark()
  const there = await stateOf()
  // A number whose database is gone, and whose write a later one of this row has seen.
  const gone = '019bb2a3-7ba3-7000-8000-034a1e9906a4'
  await apply({ ...there, vv: { ...there.vv, [gone]: 57 } }, false)
  const theirs = { ...there, alive: [...there.alive, [gone, 57] as const] }
  await apply(theirs, false)
  expect((await stateOf()).alive).toEqual(there.alive)
  await apply(theirs, true)
  expect(await stateOf()).toEqual(theirs)
  // Where something else was seen here too, the row is told again.
  await apply({ ...there, vv: { ...there.vv, [gone]: 58 } }, false)
  await apply(theirs, true)
  expect((await stateOf()).vv).toMatchObject({ [gone]: 58 })
})
