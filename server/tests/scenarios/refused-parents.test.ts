import { mathsHomework, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar } from './altered.fixtures.ts'
import { refusedAt } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const roleOfAda = (role: 'admin' | 'teacher') => ({ params: { userId: people.ada.id }, body: { role } })
const projects = { academicYearId: thisYear.id, subjectId: maths.id, assessmentType: 'coursework' as const, name: 'Projects', weight: 2 }

/** Ada’s laptop, which has not heard that she is no administrator any more. */
async function demotedMeanwhile() {
  const { server } = await serverAndLaptop(open)
  const head = await signedIn(server, 'okafor')
  await head.schools.updateMember(roleOfAda('admin'))
  const { id: test } = await (await signedIn(server, 'ada')).assessments.create({
    body: { termId: michaelmas.id, subjectId: maths.id, studentGroupId: class3B.id, title: 'Bridges', assessmentType: 'coursework' },
  })
  await (await signedIn(server, 'ada')).grades.bulk({ body: { assessmentId: test, grades: [{ studentId: zoe.id, score: 7 }] } })
  const { laptop, link } = await laptopOf(open, server, people.ada.id, 'ada')
  await head.schools.updateMember(roleOfAda('teacher'))
  return { server, laptop, link, test, own: await signedIn(laptop, 'ada') }
}

const heldAt = (node: School) => node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_held))
const testAt = async (node: School, test: string) => (await node.rows('assessment')).find(({ id }) => id === test)
const marksAt = async (node: School, test: string) =>
  (await node.rows('grade')).flatMap(({ assessment_id, score }) => (assessment_id === test ? [score] : []))

test('an assessment that is put into a category which is refused stays where it was, and waits nowhere', async () => {
  const { server, laptop, link, own, test } = await demotedMeanwhile()
  const { id } = await own.assessmentCategories.create({ body: projects })
  await own.assessments.update({ params: { id: test }, body: { categoryId: id } })
  for (let round = 0; round < 3; round += 1) await link.round()

  expect(await heldAt(server)).toEqual([])
  expect((await refusedAt(laptop)).map(({ table_name, unit, code }) => [table_name, unit, code])).toContainEqual([
    'assessment',
    'scoring',
    'unknown_parent',
  ])
  for (const node of [server, laptop]) {
    expect(await testAt(node, test)).toMatchObject({ category_id: null })
    expect(await marksAt(node, test)).toEqual([7])
    expect((await node.rows('assessment_category')).map((row) => row.id)).not.toContain(id)
  }
})

test.each(['the same page', 'a page before'])(
  'nor does it where the laptop was altered, and the category is refused in %s',
  async (page) => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const [homework] = (await laptop.rows('assessment')).filter(({ id }) => id === mathsHomework.id)
    const category = '01900000-0000-7000-8000-00000000abcd'
    const own = { school_id: stBrigids, academic_year_id: thisYear.id, subject_id: maths.id, assessment_type: 'coursework' as const }
    await laptop.services.store.write(asSystem(people.ada.id), (tx) =>
      tx.insert('assessment_category', {
        ...own,
        id: category,
        name: 'Own',
        weight: 2,
        drop_lowest: 0,
        is_extra_credit: false,
        sort_order: 1,
      }),
    )
    const tells = await liar(laptop, server)
    if (page === 'a page before') await tells.says((row) => (row.table === 'assessment_category' ? [row] : []))
    await laptop.services.store.write(asSystem(people.ada.id), async (tx) => {
      if (homework) await tx.update('assessment', [{ before: homework, patch: { category_id: category } }])
    })
    await tells.says((row) => (page === 'the same page' || row.table === 'assessment' ? [row] : []))
    expect(await heldAt(server)).toEqual([])
    for (let round = 0; round < 2; round += 1) await link.round()
    expect((await refusedAt(laptop)).map(({ code }) => code)).toContain('unknown_parent')
    expect(await laptop.rows('assessment_category')).toEqual(await server.rows('assessment_category'))
    expect(await testAt(laptop, mathsHomework.id)).toMatchObject({ category_id: null })
  },
)

test('also where the category was refused in a page of its own, until it is let in', async () => {
  const { server, laptop, own, test } = await demotedMeanwhile()
  const { id } = await own.assessmentCategories.create({ body: projects })
  const tells = await liar(laptop, server)
  const category = () => tells.says((row) => (row.table === 'assessment_category' ? [row] : []))
  expect((await category()).answers).toMatchObject([{ id, outcome: 'conflict' }])
  await own.assessments.update({ params: { id: test }, body: { categoryId: id } })
  const assessment = () => tells.says((row) => (row.table === 'assessment' ? [row] : []))
  const refusal = { id: test, outcome: 'refused', code: 'unknown_parent', units: ['scoring'] }
  expect((await assessment()).answers).toMatchObject([refusal])

  await (await signedIn(server, 'okafor')).schools.updateMember(roleOfAda('admin'))
  expect((await category()).answers).toEqual([])
  expect((await assessment()).answers).toEqual([])
  expect(await testAt(server, test)).toMatchObject({ category_id: id })
})

test('an assessment that was begun in a refused category is on the list with its marks, and is entered again in one that a head makes', async () => {
  const { server, laptop, link, own } = await demotedMeanwhile()
  const { id } = await own.assessmentCategories.create({ body: projects })
  const towers = {
    termId: michaelmas.id,
    subjectId: maths.id,
    studentGroupId: class3B.id,
    title: 'Towers',
    assessmentType: 'coursework' as const,
  }
  const begun = await own.assessments.create({ body: { ...towers, categoryId: id } })
  const mark = (test: string) => own.grades.bulk({ body: { assessmentId: test, grades: [{ studentId: zoe.id, score: 9 }] } })
  await mark(begun.id)
  for (let round = 0; round < 3; round += 1) await link.round()
  expect(await heldAt(server)).toEqual([])
  const list = await own.replication.refused()
  expect(list.map(({ entity, code, value, seen_at }) => ({ entity, code, value, isOpen: seen_at === null }))).toMatchObject([
    { entity: 'assessment', code: 'unknown_parent', value: { title: 'Towers', category_id: id }, isOpen: true },
    { entity: 'assessment_category', code: 'unknown_row', isOpen: false },
    { entity: 'grade', code: 'unknown_parent', value: { score: 9 }, isOpen: true },
    { entity: 'assessment_category', code: 'right_lost', value: { name: 'Projects' } },
  ])

  const kept = await (await signedIn(server, 'okafor')).assessmentCategories.create({ body: projects })
  await link.round()
  const again = await own.assessments.create({ body: { ...towers, categoryId: kept.id } })
  await mark(again.id)
  for (let round = 0; round < 3; round += 1) await link.round()
  for (const node of [server, laptop]) {
    expect(await testAt(node, begun.id)).toBeUndefined()
    expect(await testAt(node, again.id)).toMatchObject({ title: 'Towers', category_id: kept.id })
    expect(await marksAt(node, again.id)).toEqual([9])
  }
})
