import { rmSync } from 'node:fs'
import { naturalId } from '@markbook/shared/ids'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { afterEach, test as anywhere, expect } from 'vitest'
import { rowsWhere } from '../../store/replica/states.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { testClock } from '../../testing/clock.ts'
import { contentsOf, differences, scopeAt } from './checks.ts'
import { founded } from './founding.ts'
import type { WorldNode } from './node.ts'
import { makeRound } from './round.ts'
import { BEGINNING, plainCarrier, roleOf, stageFor } from './stage.ts'

/** What the simulated world found, each told again in a few steps. */
const open: WorldNode[] = []
const folders: string[] = []
afterEach(async () => {
  for (const node of open.splice(0)) await node.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Its nodes keep SQLite files, whatever this run is on. */
const test = anywhere.skipIf(process.env['TEST_DATABASE'] === 'postgres')
const school = founded(1)
const teacher = roleOf('laptop1').user as string
const [admin = ''] = school.admins

async function stage() {
  const { folder, nodes } = await stageFor(['centre', 'school1', 'laptop1'], testClock(BEGINNING), 'found')
  folders.push(folder)
  for (const node of nodes.values()) await node.open()
  open.push(...nodes.values())
  const [centre, box, laptop] = ['centre', 'school1', 'laptop1'].map((name) => nodes.get(name)) as [WorldNode, WorldNode, WorldNode]
  const round = async (child: WorldNode, parent: WorldNode) =>
    expect(await makeRound(child, parent, plainCarrier(child, parent))).toBe('whole')
  const meet = async () => {
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await round(laptop, box)
      await round(box, centre)
    }
  }
  const expectSame = async () => {
    expect(differences(await contentsOf(centre, school.id), await contentsOf(box, school.id))).toEqual([])
    const within = await scopeAt(box, school.id, teacher)
    expect(differences(await contentsOf(box, school.id), await contentsOf(laptop, school.id), within)).toEqual([])
  }
  return { centre, box, laptop, round, meet, expectSame }
}

const at = <T>(node: WorldNode, actor: string, work: (tx: WriteTx) => Promise<T>) => node.store.write(asSystem(actor), work)
const rows = <T extends Replicated>(node: WorldNode, table: T) =>
  node.store.read(asSystem(), (tx) => rowsWhere(tx, table, school.id)) as unknown as Promise<Row<T>[]>
const subjectOf = (id: string, code: string) => ({ id, school_id: school.id, name: code, code, sort_order: 9, is_active: true })
const idOf = (last: number) => `019bbbbb-0000-7000-8000-${String(last).padStart(12, '0')}`
const assessmentOf = async (node: WorldNode) => (await rows(node, 'assessment'))[0] as Row<'assessment'>

test('a class that a teacher opens on a laptop arrives whole', async () => {
  const { centre, laptop, meet, expectSame } = await stage()
  const group = { id: idOf(1), school_id: school.id, academic_year_id: school.years[0] as string, name: '9Z', created_by: teacher }
  await at(laptop, teacher, (tx) => tx.insert('student_group', [group]))
  await meet()
  expect((await rows(centre, 'student_group')).map(({ name }) => name)).toContain('9Z')
  await expectSame()
})

test('a deletion that is refused is undone on the laptop, with all that hung on the row', async () => {
  const { laptop, box, meet, expectSame } = await stage()
  await at(box, admin, async (tx) =>
    tx.remove('teacher_subject_assignment', (await rowsWhere(tx, 'teacher_subject_assignment', school.id)) as never),
  )
  const { id } = await assessmentOf(laptop)
  await at(laptop, teacher, async (tx) => tx.remove('assessment', [(await tx.find('assessment', school.id, id)) as never]))
  await meet()
  expect((await rows(laptop, 'grade')).filter(({ assessment_id }) => assessment_id === id)).toHaveLength(8)
  await expectSame()
})

test('what a user may no longer read leaves the laptop, and comes back with the right', async () => {
  const { laptop, box, meet, expectSame } = await stage()
  const id = naturalId('membership', teacher, school.id)
  const setRole = (role: 'member' | 'teacher') =>
    at(box, admin, async (tx) =>
      tx.update('school_management', [{ before: (await tx.find('school_management', school.id, id)) as never, patch: { role } }]),
    )
  await setRole('member')
  await meet()
  expect(await rows(laptop, 'student')).toEqual([])
  await setRole('teacher')
  await meet()
  expect(await rows(laptop, 'student')).toHaveLength(8)
  await expectSame()
})

test('a code that one subject gives up and another takes in the same page is the other’s', async () => {
  const { centre, box, meet, expectSame } = await stage()
  await at(box, admin, (tx) => tx.insert('subject', [subjectOf(idOf(1), 'XX')]))
  await meet()
  await at(box, admin, async (tx) => tx.remove('subject', [(await tx.find('subject', school.id, idOf(1))) as never]))
  await at(box, admin, (tx) => tx.insert('subject', [subjectOf(idOf(2), 'XX')]))
  await meet()
  expect((await rows(centre, 'subject')).find(({ id }) => id === idOf(2))?.code).toBe('XX')
  await expectSame()
})

test('a held row that loses something is tried once a page, and other pages go through', async () => {
  const { centre, box, meet } = await stage()
  const poisoned = (await rows(box, 'grade'))[0] as Row<'grade'>
  const setScore = (node: WorldNode, score: number) =>
    at(node, admin, async (tx) => {
      await tx.line.run('pragma ignore_check_constraints = on', [])
      await tx.update('grade', [{ before: (await tx.find('grade', school.id, poisoned.id)) as never, patch: { score } }])
      await tx.line.run('pragma ignore_check_constraints = off', [])
    })
  await setScore(box, -1)
  await setScore(centre, 7)
  await meet()
  await at(box, admin, (tx) => tx.insert('subject', [subjectOf(idOf(3), 'YY')]))
  await meet()
  expect((await rows(centre, 'subject')).map(({ code }) => code)).toContain('YY')
})

test('a school that was restored hears from its laptop of what is gone, and both hold the same', async () => {
  const { box, laptop, round, meet, expectSame } = await stage()
  const folder = `${box.folder}-backup`
  await box.copyTo(folder)
  const { id } = await assessmentOf(box)
  await at(box, admin, async (tx) =>
    tx.update('assessment', [{ before: (await tx.find('assessment', school.id, id)) as never, patch: { title: 'Gone' } }]),
  )
  await round(laptop, box)
  await box.putBack(folder)
  await box.store.renewNode()
  await meet()
  await expectSame()
  const refused = await laptop.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_refused))
  expect(refused.map(({ value }: Row<'sync_refused'>) => value)).toContainEqual({ title: 'Gone' })
})

test('a refusal whose reply was lost is heard in the next round', async () => {
  const { box, laptop, meet, expectSame } = await stage()
  await at(laptop, teacher, (tx) => tx.insert('subject', [subjectOf(idOf(4), 'ZZ')]))
  const carry = plainCarrier(laptop, box)
  const ending = await makeRound(laptop, box, async (request) => {
    const response = await carry(request)
    if (new URL(request.url).pathname === '/sync/push') throw new Error('the line broke')
    return response
  })
  expect(ending).toBe('broken')
  await meet()
  expect((await rows(laptop, 'subject')).map(({ code }) => code)).not.toContain('ZZ')
  const refused = await laptop.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_refused))
  expect(refused.map(({ table_name }: Row<'sync_refused'>) => table_name)).toContain('subject')
  await expectSame()
})
