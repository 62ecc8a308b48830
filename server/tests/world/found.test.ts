import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { expect } from 'vitest'
import { rowsWhere } from '../../store/replica/states.ts'
import { asSystem } from '../../store/tx.ts'
import { admin, assessmentOf, at, idOf, rows, school, stage, subjectOf, teacher, test } from './found.stage.ts'
import type { WorldNode } from './node.ts'
import { makeRound } from './round.ts'
import { plainCarrier } from './stage.ts'

/** What the simulated world found, each told again in a few steps. */
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
      await tx.connection.run('pragma ignore_check_constraints = on', [])
      await tx.update('grade', [{ before: (await tx.find('grade', school.id, poisoned.id)) as never, patch: { score } }])
      await tx.connection.run('pragma ignore_check_constraints = off', [])
    })
  await setScore(box, -1)
  await setScore(centre, 7)
  await meet()
  await at(box, admin, (tx) => tx.insert('subject', [subjectOf(idOf(3), 'YY')]))
  await meet()
  expect((await rows(centre, 'subject')).map(({ code }) => code)).toContain('YY')
})

test('a school that was restored gets from its laptop what is gone, and both hold the same', async () => {
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
  // The school had signed it.
  for (const node of [box, laptop]) expect((await rows(node, 'assessment')).find((row) => row.id === id)?.title).toBe('Gone')
  expect(await laptop.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_refused))).toEqual([])
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
