import { mathsHomework, mathsQuiz } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { english, hilltopTerm, lastYear, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, expect, test } from 'vitest'
import { isWritable } from '../../replication/scope/normal-form.ts'
import { laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar } from './altered.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const ofYear = { academicYearId: thisYear.id, startDate: '2026-04-14', endDate: '2026-06-20', examWeight: 60, courseworkWeight: 40 }
const namesOn = async (node: School) =>
  (await node.rows('term')).filter(({ academic_year_id }) => academic_year_id === thisYear.id).map(({ name }) => name)

test('six laptops that each make the sixth term of a year: all stand, everywhere the same, and nobody makes another', async () => {
  const { server } = await serverAndLaptop(open)
  const head = await signedIn(server, 'okafor')
  for (const name of ['Part 4', 'Part 5']) await head.terms.create({ body: { ...ofYear, name } })
  const laptops: Awaited<ReturnType<typeof laptopOf>>[] = []
  for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) laptops.push(await laptopOf(open, server, people.okafor.id, seed))
  for (const [at, { laptop }] of laptops.entries()) {
    const own = await signedIn(laptop, 'okafor')
    // The same name on most, by another case on the third.
    await own.terms.create({ body: { ...ofYear, name: at === 2 ? 'TOO MANY' : 'Too many' } })
    await expect(own.terms.create({ body: { ...ofYear, name: 'Part 7' } })).rejects.toMatchObject({ code: 'terms.too_many' })
  }
  for (let round = 0; round < 2; round += 1) for (const { link } of laptops) await link.round()
  const expected = ['michaelmas', 'hilary', 'trinity', 'Part 4', 'Part 5', 'Too many', 'TOO MANY'].sort()
  for (const node of [server, ...laptops.map(({ laptop }) => laptop)]) expect((await namesOn(node)).sort()).toEqual(expected)
  await expect(head.terms.create({ body: { ...ofYear, name: 'Part 7' } })).rejects.toMatchObject({ code: 'terms.too_many' })
  // What is there can still be put right.
  const [double] = (await server.rows('term')).filter(({ name }) => name === 'TOO MANY')
  await head.terms.remove({ params: { id: double?.id ?? '' } })
})

test('two terms that get one own word at once: the older keeps it, the other is marked on both', async () => {
  const { server } = await serverAndLaptop(open)
  const head = await signedIn(server, 'okafor')
  const { laptop, link } = await laptopOf(open, server, people.okafor.id, 'head')
  const [, hilary, trinity] = await head.terms.list({ query: { yearId: thisYear.id } })
  await head.terms.update({ params: { id: hilary?.id ?? '' }, body: { name: 'Semester 2' } })
  await (await signedIn(laptop, 'okafor')).terms.update({ params: { id: trinity?.id ?? '' }, body: { name: 'Semester 2' } })
  for (let round = 0; round < 2; round += 1) await link.round()
  const [winner, loser] = [hilary?.id ?? '', trinity?.id ?? ''].sort()
  for (const node of [server, laptop]) {
    const nameById = new Map((await node.rows('term')).map(({ id, name }) => [id, name]))
    expect(nameById.get(winner ?? '')).toBe('Semester 2')
    expect(nameById.get(loser ?? '')).toBe(`Semester 2~${loser?.slice(-4)}`)
  }
})

test.each([
  ['41 letters', 'x'.repeat(41)],
  ['a direction that is turned', 'Semester\u202e1'],
  ['letters that are taken apart', 'e\u0301te\u0301'],
  ['spaces around it', ' Semester 1'],
  ['a mark of replication', '~Semester 1'],
  ['a known name in capitals', 'Michaelmas'],
  ['a control character', 'Semester\u00071'],
  ['nothing', ''],
  ['a number', 7],
])('an altered laptop of an administrator names a term with %s: it is refused and nothing changes', async (_what, name) => {
  expect(isWritable('term', { ...michaelmas, name }, ['name'])).toBe(false)
  expect(isWritable('term', { ...hilltopTerm, name: 'Semester 1' }, ['name'])).toBe(true)
})

test('its push is answered, and the name stays as it was', async () => {
  const { server } = await serverAndLaptop(open)
  const { laptop } = await laptopOf(open, server, people.okafor.id, 'head')
  await (await signedIn(laptop, 'okafor')).terms.update({ params: { id: michaelmas.id }, body: { name: 'Semester 1' } })
  const before = await namesOn(server)
  const { answers } = await (await liar(laptop, server)).says((row) => [
    { ...row, state: { ...row.state, values: { ...row.state.values, name: 'Semester\u202e1' } } },
  ])
  expect(answers).toMatchObject([{ table: 'term', outcome: 'refused', code: 'malformed' }])
  expect(await namesOn(server)).toEqual(before)
})

test('an altered laptop puts an assessment into a category of another year, subject or type: it is refused', async () => {
  const { server } = await serverAndLaptop(open)
  const head = await signedIn(server, 'okafor')
  const category = { academicYearId: thisYear.id, assessmentType: 'coursework', name: 'Quizzes', weight: 40 } as const
  const fitting = await head.assessmentCategories.create({ body: category })
  const wrong = [
    await head.assessmentCategories.create({ body: { ...category, assessmentType: 'exam' } }),
    await head.assessmentCategories.create({ body: { ...category, academicYearId: lastYear.id } }),
    await head.assessmentCategories.create({ body: { ...category, subjectId: english.id } }),
  ]
  for (const [at, { id }] of wrong.entries()) {
    const { laptop } = await laptopOf(open, server, people.okafor.id, `liar ${at}`)
    await (await signedIn(laptop, 'okafor')).assessments.update({ params: { id: mathsQuiz.id }, body: { categoryId: fitting.id } })
    const { answers } = await (await liar(laptop, server)).says((row) => [
      { ...row, state: { ...row.state, values: { ...row.state.values, category_id: id } } },
    ])
    expect(answers).toMatchObject([{ table: 'assessment', outcome: 'refused', code: 'forbidden' }])
    const [stands] = (await server.rows('assessment')).filter((row) => row.id === mathsQuiz.id)
    expect(stands?.category_id).toBeNull()
  }
})

test('a teacher’s laptop gets the categories, puts an assessment into one, and writes none', async () => {
  const { server, laptop, link } = await serverAndLaptop(open)
  const body = { academicYearId: thisYear.id, assessmentType: 'coursework', name: 'Quizzes', weight: 40 } as const
  const { id } = await (await signedIn(server, 'okafor')).assessmentCategories.create({ body })
  await link.round()
  const ada = await signedIn(laptop, 'ada')
  expect(await ada.assessmentCategories.list({ query: { academicYearId: thisYear.id } })).toMatchObject([{ id, name: 'Quizzes' }])
  await expect(ada.assessmentCategories.create({ body })).rejects.toMatchObject({ status: 403 })
  await ada.assessments.update({ params: { id: mathsHomework.id }, body: { categoryId: id } })
  await link.round()
  const [row] = (await server.rows('assessment')).filter((each) => each.id === mathsHomework.id)
  expect(row?.category_id).toBe(id)
})

test.each(['assessmentCategories', 'teachingSets', 'academicYears'] as const)(
  'of %s, one is deleted on a laptop and changed at school: it stays, and the head may delete it in the list of conflicts',
  async (kind) => {
    const { server } = await serverAndLaptop(open)
    const head = await signedIn(server, 'okafor')
    const ofSubject = { academicYearId: thisYear.id, subjectId: maths.id }
    const { id } = await {
      assessmentCategories: () =>
        head.assessmentCategories.create({ body: { ...ofSubject, assessmentType: 'coursework', name: 'Projects', weight: 2 } }),
      teachingSets: () => head.teachingSets.create({ body: { ...ofSubject, name: 'Set 1' } }),
      academicYears: () =>
        head.academicYears.create({ body: { name: 'Trial', startDate: '2031-09-01', endDate: '2032-06-30', gradingModel: 'term_based' } }),
    }[kind]()
    const { laptop, link } = await laptopOf(open, server, people.okafor.id, 'head')
    await (await signedIn(laptop, 'okafor'))[kind].remove({ params: { id } })
    await head[kind].update({ params: { id }, body: { name: 'Renamed' } })
    for (let round = 0; round < 2; round += 1) await link.round()
    const table = { assessmentCategories: 'assessment_category', teachingSets: 'teaching_set', academicYears: 'academic_year' } as const
    const idsOn = async (node: School) => (await node.rows(table[kind])).map((row) => row.id)
    for (const node of [server, laptop]) expect(await idsOn(node)).toContain(id)
    const [deletion] = (await server.rows('sync_conflict')).filter((each) => each.row_id === id && each.value === null)
    await head.replication.resolve({ params: { id: deletion?.id ?? '' }, body: { choice: 'kept' } })
    for (let round = 0; round < 2; round += 1) await link.round()
    for (const node of [server, laptop]) expect(await idsOn(node)).not.toContain(id)
  },
)
