import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { signedIn, type UnderParent, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { issuesOf } from './issues.ts'
import { namesInValues } from './naming.ts'
import { unreadBy } from './status.ts'

let centre: School
let box: School
let link: UnderParent
beforeEach(async () => {
  ;({ centre, box, link } = await centreAndSchool())
})
afterEach(async () => {
  await box.close()
  await centre.close()
})

const NOWHERE = '01890000-0000-7000-8000-00000000beef'
const gradeId = naturalId('grade', mathsExam.id, zoe.id)
const issuesAt = ({ services }: School, done = false, of = stBrigids) => services.store.read(asSystem(), (tx) => issuesOf(tx, of, { done }))
const refsOf = (issues: Awaited<ReturnType<typeof issuesAt>>) => issues.map(({ ref }) => ref)

/** Zoë's exam at both ends, a second apart. */
async function twoMarks() {
  await (await signedIn(box, 'ada')).grades.update({ params: { id: gradeId }, body: { score: 81 } })
  centre.clock.advance(1_000)
  await centre.as.byrne.grades.update({ params: { id: gradeId }, body: { score: 65 } })
  await link.round()
  await link.round()
}

describe('issues', () => {
  test('have one name at both ends, which is stable, and are found again after a decision', async () => {
    expect(await issuesAt(centre)).toEqual([])
    await twoMarks()
    const [conflict] = await issuesAt(centre)
    expect(conflict).toMatchObject({ kind: 'conflict', school: stBrigids, isDone: false, about: { row_id: gradeId } })
    expect(conflict?.ref).toMatch(/^[0-9a-f]{16}$/)
    expect(refsOf(await issuesAt(box))).toEqual([conflict?.ref])
    expect(await issuesAt(centre, false, hilltop)).toEqual([])

    const refusal = { table_name: 'grade', row_id: gradeId, unit: 'score', value: { score: 12 }, actor_id: people.ada.id }
    await centre.services.store.write(asSystem(), async (tx) => {
      const at = { hlc: tx.nowMs, refused_at: tx.now, seen_at: null, peer_id: null }
      await tx.local.insert(tx.t.sync_refused).values({ ...refusal, ...at, id: zoe.id, school_id: stBrigids, code: 'forbidden' })
      await tx.local.update(tx.t.sync_peer).set({ clock_offset: 60_001 })
    })
    const open = await issuesAt(centre)
    expect(open.map(({ kind }) => kind)).toEqual(['conflict', 'refused', 'clock'])
    await centre.as.ada.replication.resolve({
      params: { id: conflict?.kind === 'conflict' ? conflict.about.id : '' },
      body: { choice: 'kept' },
    })
    await centre.as.okafor.replication.seen({ params: { id: zoe.id } })
    expect((await issuesAt(centre)).map(({ ref }) => ref)).toEqual([open[2]?.ref])
    expect(refsOf(await issuesAt(centre, true))).toEqual([open[0]?.ref, open[1]?.ref])
    await centre.services.store.write(asSystem(), (tx) => tx.local.update(tx.t.sync_peer).set({ clock_offset: 60_000 }))
    expect(await issuesAt(centre)).toEqual([])
  })

  test('name the rows whose ids are in values', async () => {
    const named = await centre.services.store.read(asSystem(), (tx) =>
      namesInValues(tx, stBrigids, [{ user_profile_id: people.ada.id, score: 3 }, null, { student_id: zoe.id, term_id: NOWHERE }]),
    )
    expect(named('user_profile_id', people.ada.id)).toBe('Nowak Ada')
    expect(named('student_id', zoe.id)).toBe('Adeyemi Zoë')
    for (const [column, id] of [
      ['term_id', NOWHERE],
      ['score', '3'],
      ['constructor', zoe.id],
    ] as const)
      expect(named(column, id)).toBeNull()
  })
})

test('the number of rows that a child has not read is known after its first copy, without its own rows', async () => {
  const laptop = await school({ seed: 'laptop', story: false, database: 'sqlite' })
  await under(centre, laptop, { user: people.ada.id })
  await laptop.close()
  const unread = () =>
    centre.services.store.read(asSystem(), async (tx) => {
      const children = await tx.db.select().from(tx.t.sync_peer).orderBy(tx.t.sync_peer.enrolled_at, tx.t.sync_peer.id)
      const found = []
      for (const child of children) found.push(await unreadBy(tx, child, centre.services.store.nodeId))
      return found
    })
  await link.round()
  expect(await unread()).toEqual([{ rows: 0, marks: 0, oldest: null }, null])
  await (await signedIn(box, 'ada')).grades.update({ params: { id: gradeId }, body: { score: 81 } })
  await link.round()
  expect(await unread()).toMatchObject([{ rows: 0 }, null])
  centre.clock.advance(1_000)
  await centre.as.byrne.grades.update({ params: { id: gradeId }, body: { score: 65 } })
  expect(await unread()).toMatchObject([{ rows: 1, marks: 1, oldest: '2026-01-12T08:00:01.000Z' }, null])
})
