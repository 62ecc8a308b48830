import { naturalId } from '@markbook/shared/ids'
import { elan, fatima, mei, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, michaelmas } from '@markbook/shared/story/school-year'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { afterEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { asModifiedProgram } from '../../testing/modified-program.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar } from './altered.fixtures.ts'
import { conflictsAt, refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

type Code = 'present' | 'absent' | 'late' | 'excused'
const day = '2026-01-12'
const taken = (marks: readonly (readonly [{ id: string }, Code])[], more: { day?: string; classId?: string } = {}) => ({
  params: { classId: more.classId ?? class3B.id },
  body: { day: more.day ?? day, lesson: 0, marks: marks.map(([pupil, code]) => ({ studentId: pupil.id, code })) },
})
const codesAt = async (node: School) =>
  Object.fromEntries((await node.rows('attendance_mark')).map(({ student_id, code }) => [student_id, code] as const))

describe('a register that two took', () => {
  test('at the centre and at the school: one register, the marks of both, and what differs is for people to decide', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await (await signedIn(centre, 'byrne')).attendance.take(
      taken([
        [zoe, 'absent'],
        [mei, 'late'],
      ]),
    )
    box.clock.advance(60_000)
    const atBox = await signedIn(box, 'ada')
    await atBox.attendance.take(
      taken([
        [zoe, 'late'],
        [elan, 'excused'],
      ]),
    )
    await settle(link)
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
    expect(await codesAt(centre)).toEqual({ [zoe.id]: 'late', [mei.id]: 'late', [elan.id]: 'excused' })
    expect((await centre.rows('attendance_register')).map(({ id }) => id)).toEqual([naturalId('attendance_register', class3B.id, day, '0')])
    const [conflict, ...others] = await conflictsAt(box)
    expect(others).toEqual([])
    expect(conflict).toMatchObject({ entity: 'attendance_mark', unit: 'code', value: { code: 'absent' }, actor_id: people.byrne.id })
    // Who does not teach in the class has no say; whoever takes its register has.
    const asQuinn = await signedIn(box, 'quinn')
    const decision = { params: { id: conflict?.id as string }, body: { choice: 'kept' as const } }
    expect((await asQuinn.replication.resolve.raw(decision)).status).toBe(403)
    expect((await atBox.replication.conflicts()).map(({ id }) => id)).toEqual([conflict?.id])
    await atBox.replication.resolve(decision)
    await settle(link)
    for (const node of [centre, box]) expect((await codesAt(node))[zoe.id]).toBe('absent')
  })

  test('the same on both sides is no conflict', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    for (const node of [centre, box]) await (await signedIn(node, 'ada')).attendance.take(taken([[zoe, 'absent']]))
    await settle(link)
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
    expect(await conflictsAt(box)).toEqual([])
  })

  test('on two laptops without the school: both come, and every node says the same', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const other = await laptopOf(open, server, people.byrne.id, 'second')
    await (await signedIn(laptop, 'ada')).attendance.take(
      taken([
        [zoe, 'absent'],
        [mei, 'late'],
      ]),
    )
    other.laptop.clock.advance(60_000)
    await (await signedIn(other.laptop, 'byrne')).attendance.take(taken([[zoe, 'excused']]))
    await settle(link, other.link)
    await settle(link, other.link)
    for (const node of [server, laptop, other.laptop]) expect(await codesAt(node)).toEqual({ [zoe.id]: 'excused', [mei.id]: 'late' })
    expect(await conflictsAt(server)).toMatchObject([{ entity: 'attendance_mark', unit: 'code', value: { code: 'absent' } }])
    expect(await refusedAt(laptop)).toEqual([])
  })

  test('offline, and again at school by the same teacher, who had not seen it: nothing is lost', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    await (await signedIn(laptop, 'ada')).attendance.take(taken([[zoe, 'absent']]))
    await server.as.ada.attendance.take(taken([[mei, 'late']]))
    await settle(link)
    for (const node of [server, laptop]) expect(await codesAt(node)).toEqual({ [zoe.id]: 'absent', [mei.id]: 'late' })
    expect(await server.rows('attendance_register')).toHaveLength(1)
    expect(await conflictsAt(server)).toEqual([])
  })

  test('a pupil who moved to another class meanwhile: the mark comes, and counts in neither class', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    await server.as.okafor.classes.unenroll({ params: { id: class3B.id, studentId: zoe.id } })
    await server.as.okafor.classes.enroll({ params: { id: class3A.id }, body: { studentId: zoe.id } })
    await (await signedIn(laptop, 'ada')).attendance.take(taken([[zoe, 'absent']]))
    await settle(link)
    expect(await codesAt(server)).toEqual({ [zoe.id]: 'absent' })
    const query = {
      termId: (await server.rows('term')).find(
        ({ name, academic_year_id }) => name === 'hilary' && academic_year_id === class3B.academic_year_id,
      )?.id as string,
    }
    for (const { id } of [class3A, class3B]) {
      const totals = await server.as.okafor.attendance.totals({ params: { classId: id }, query })
      expect(totals.find(({ student_id }) => student_id === zoe.id)?.absent ?? 0).toBe(0)
    }
  })
})

describe('a register of a day that has come', () => {
  test('is taken by servers whose clocks are two years behind', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const { laptop, link: toBox } = await laptopOf(open, box, people.ada.id)
    await (await signedIn(laptop, 'ada')).attendance.take(taken([[zoe, 'absent']]))
    await (await signedIn(box, 'ada')).attendance.take(taken([[mei, 'late']]))
    for (const { clock } of [centre, box]) clock.set('2024-01-12T08:00:00.000Z')
    await settle(toBox, link)
    await settle(toBox, link)
    for (const node of [centre, box, laptop]) expect(await codesAt(node)).toEqual({ [zoe.id]: 'absent', [mei.id]: 'late' })
    for (const node of [box, laptop]) expect(await refusedAt(node)).toEqual([])
  })

  test('stands in spite of a year that was shortened at the centre meanwhile', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await (await signedIn(box, 'ada')).attendance.take(taken([[zoe, 'absent']], { day: '2025-09-02' }))
    const at = await signedIn(centre, 'okafor')
    await at.terms.update({ params: { id: michaelmas.id }, body: { startDate: '2025-09-03' } })
    await at.academicYears.update({ params: { id: class3B.academic_year_id }, body: { startDate: '2025-09-03' } })
    await settle(link)
    await settle(link)
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
    expect(await codesAt(box)).toEqual({ [zoe.id]: 'absent' })
  })
})

describe('an altered laptop', () => {
  const says =
    (values: Values) =>
    (state: RowState): Partial<RowState> => ({ values: { ...state.values, ...values } })
  const elsewhere = (values: Values) => {
    const { student_group_id, student_id, day: on, lesson } = values as Record<string, string>
    return naturalId('attendance_mark', student_group_id as string, student_id as string, on as string, String(lesson))
  }
  /** Under the id that follows from what it says. */
  const moved =
    (values: Values) =>
    (state: RowState): Partial<RowState> => {
      const said = { ...state.values, ...values }
      const id = elsewhere(said)
      return { id, values: { ...said, id } }
    }
  const lies: Record<string, (state: RowState) => Partial<RowState>> = {
    'a code that there is not': says({ code: 'x' }),
    'no code': says({ code: null }),
    'a note of 201 characters': says({ note: 'a'.repeat(201) }),
    'a note that is a number': says({ note: 5 }),
    'another pupil under the same id': says({ student_id: mei.id }),
    'somebody else as its author': says({ created_by: people.okafor.id }),
    'a lesson 99': moved({ lesson: 99 }),
    'a lesson of text': moved({ lesson: 'first' }),
    'a day to come': moved({ day: '2026-01-20' }),
    'a day before the year': moved({ day: '2025-08-31' }),
    'a day that there is not': moved({ day: '2025-02-30' }),
    'another class': moved({ student_group_id: class3A.id }),
    'a class that is nowhere': moved({ student_group_id: '01900000-0000-7000-8000-00000000abcd' }),
  }

  test('every lie about a mark leaves no row, and the mark itself is taken', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    await (await signedIn(laptop, 'ada')).attendance.take(taken([[zoe, 'absent']]))
    const { says: tells } = await liar(laptop, server)
    for (const [name, lie] of Object.entries(lies)) {
      await tells(({ table, state }) => (table === 'attendance_mark' ? [{ table, state: { ...state, ...lie(state) } }] : [])).catch(
        () => undefined,
      )
      expect(await server.rows('attendance_mark'), name).toEqual([])
    }
    await link.round()
    expect(await codesAt(server)).toEqual({ [zoe.id]: 'absent' })
  })

  test('a register of a class that is not the teacher’s, or of a day to come, is kept for people and not taken', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const place = { school_id: class3B.school_id, lesson: 0, created_by: people.ada.id }
    await laptop.services.store.write(asSystem(people.ada.id), (tx) =>
      asModifiedProgram(tx, async () => {
        await tx.insert('attendance_register', [
          { ...place, student_group_id: class3A.id, day },
          { ...place, student_group_id: class3B.id, day: '2026-02-02' },
        ])
        await tx.insert('attendance_mark', { ...place, student_group_id: class3A.id, day, student_id: fatima.id, code: 'absent' })
      }),
    )
    await settle(link)
    expect([await server.rows('attendance_register'), await server.rows('attendance_mark')]).toEqual([[], []])
    expect((await server.as.okafor.replication.refused()).map(({ entity, code }) => [entity, code]).sort()).toEqual([
      ['attendance_mark', 'forbidden'],
      ['attendance_register', 'forbidden'],
      ['attendance_register', 'forbidden'],
    ])
  })

  test('may not take a register away', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    await server.as.byrne.attendance.take(taken([[zoe, 'absent']]))
    await settle(link)
    await laptop.services.store.write(asSystem(people.ada.id), (tx) =>
      asModifiedProgram(tx, async () => {
        await tx.remove('attendance_mark', await tx.db.select().from(tx.t.attendance_mark))
        await tx.remove('attendance_register', await tx.db.select().from(tx.t.attendance_register))
      }),
    )
    await settle(link)
    for (const node of [server, laptop]) {
      expect(await codesAt(node)).toEqual({ [zoe.id]: 'absent' })
      expect(await node.rows('attendance_register')).toHaveLength(1)
    }
  })
})

test('a laptop of a member who is no teacher any more loses them', async () => {
  const { server, laptop, link } = await serverAndLaptop(open)
  await server.as.byrne.attendance.take(taken([[zoe, 'absent']]))
  await settle(link)
  expect(await codesAt(laptop)).toEqual({ [zoe.id]: 'absent' })
  await server.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
  await settle(link)
  expect([await laptop.rows('attendance_register'), await laptop.rows('attendance_mark')]).toEqual([[], []])
})
