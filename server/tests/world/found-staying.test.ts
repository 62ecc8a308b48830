import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { expect } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { admin, assessmentOf, at, idOf, rows, school, stage, teacher, test } from './found.stage.ts'
import type { WorldNode } from './node.ts'

/** What was deleted, and stays for something that lives. */
const has = async (node: WorldNode, table: 'assessment' | 'grade' | 'teacher_group_assignment', id: string) =>
  (await rows(node, table)).some((row) => row.id === id)

const refusedAt = (node: WorldNode) => node.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_refused))

test('an assignment that was deleted, and stayed for the class teacher, goes when somebody else is', async () => {
  const { centre, box, meet, expectSame } = await stage()
  const [before] = (await rows(centre, 'class_teacher')) as [Row<'class_teacher'>]
  const id = naturalId('teacher_group_assignment', teacher, before.student_group_id)
  const appoint = (user: string) =>
    at(centre, admin, async (tx) =>
      tx.update('class_teacher', [
        { before: (await tx.find('class_teacher', school.id, before.id)) as never, patch: { user_profile_id: user } },
      ]),
    )
  await appoint(teacher)
  const subjects = (await rows(box, 'teacher_subject_assignment')).filter(
    ({ user_profile_id, student_group_id }) => user_profile_id === teacher && student_group_id === before.student_group_id,
  )
  await at(box, admin, async (tx) => {
    await tx.remove('teacher_subject_assignment', subjects)
    await tx.remove('teacher_group_assignment', [(await tx.find('teacher_group_assignment', school.id, id)) as never])
  })
  await meet()
  expect(await has(centre, 'teacher_group_assignment', id)).toBe(true)
  await appoint(before.user_profile_id)
  expect(await has(centre, 'teacher_group_assignment', id)).toBe(false)
  await meet()
  expect(await has(box, 'teacher_group_assignment', id)).toBe(false)
  await expectSame()
})

test('an assessment that stays for a mark comes to the laptop with it, after another deletion of it was refused', async () => {
  const { centre, box, laptop, round, meet, expectSame } = await stage()
  const [assessment, [pupil]] = [await assessmentOf(box), (await rows(box, 'student')) as [Row<'student'>]]
  const id = naturalId('grade', idOf(1), pupil.id)
  const find = async (tx: Parameters<Parameters<typeof at>[2]>[0], table: 'assessment' | 'grade', row: string) =>
    (await tx.find(table, school.id, row)) as never
  await at(box, admin, (tx) => tx.insert('assessment', [{ ...assessment, id: idOf(1), title: 'New' }]))
  await meet()
  await at(centre, admin, (tx) => {
    const rest = { school_id: school.id, term_id: assessment.term_id, remarks: null, is_excluded: false, exclusion_reason: null }
    return tx.insert('grade', [{ id, assessment_id: idOf(1), student_id: pupil.id, score: 5, ...rest }])
  })
  await at(laptop, teacher, async (tx) => tx.remove('assessment', [await find(tx, 'assessment', idOf(1))]))
  await meet()
  expect(await has(laptop, 'assessment', idOf(1))).toBe(true)
  const isHers = ({ user_profile_id }: { user_profile_id: string }) => user_profile_id === teacher
  const [subjects, groups] = [await rows(box, 'teacher_subject_assignment'), await rows(box, 'teacher_group_assignment')]
  await at(box, admin, async (tx) => {
    await tx.remove('teacher_subject_assignment', subjects.filter(isHers))
    await tx.remove('teacher_group_assignment', groups.filter(isHers))
  })
  await at(laptop, teacher, async (tx) =>
    tx.update('assessment', [{ before: await find(tx, 'assessment', idOf(1)), patch: { title: 'Again' } }]),
  )
  await at(laptop, teacher, async (tx) => {
    await tx.remove('grade', [await find(tx, 'grade', id)])
    await tx.remove('assessment', [await find(tx, 'assessment', idOf(1))])
  })
  await round(laptop, box)
  expect(await refusedAt(laptop)).toContainEqual(expect.objectContaining({ row_id: idOf(1), unit: 'row', value: null }))
  await at(box, admin, async (tx) => tx.update('grade', [{ before: await find(tx, 'grade', id), patch: { score: 6 } }]))
  await meet()
  expect((await rows(laptop, 'grade')).find((row) => row.id === id)?.score).toBe(6)
  await expectSame()
})

test('two classes of one name that stay for what lives in them: the older one has the name again, whichever stayed first', async () => {
  const { centre, box, meet, expectSame } = await stage()
  const class_ = (last: number, name: string) =>
    ({ id: idOf(last), school_id: school.id, academic_year_id: school.years[0] ?? '', name, created_by: admin }) as const
  const [assessment] = [await assessmentOf(box)]
  const find = async (tx: Parameters<Parameters<typeof at>[2]>[0], last: number) =>
    (await tx.find('student_group', school.id, idOf(last))) as never
  const remove = (last: number) => at(centre, admin, async (tx) => tx.remove('student_group', [await find(tx, last)]))
  const keep = (last: number) =>
    at(box, admin, (tx) => tx.insert('assessment', [{ ...assessment, id: idOf(last + 10), title: 'New', student_group_id: idOf(last) }]))
  const names = async (node: WorldNode) =>
    (await rows(node, 'student_group')).filter(({ name }) => name.startsWith('3C')).map(({ id, name }) => [id, name])
  await at(centre, admin, (tx) => tx.insert('student_group', [class_(1, '3D'), class_(2, '3C')]))
  await meet()
  await remove(2)
  await at(centre, admin, async (tx) => tx.update('student_group', [{ before: await find(tx, 1), patch: { name: '3C' } }]))
  await keep(2)
  await meet()
  expect(await names(centre)).toEqual([
    [idOf(1), '3C'],
    [idOf(2), '3C~0002'],
  ])
  await remove(1)
  expect(await names(centre)).toEqual([[idOf(2), '3C']])
  await keep(1)
  await meet()
  const both = [
    [idOf(1), '3C'],
    [idOf(2), '3C~0002'],
  ]
  expect(await names(centre)).toEqual(both)
  expect(await names(box)).toEqual(both)
  await expectSame()
})
