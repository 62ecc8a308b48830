import { hilary, hilltopTerm, lastYear, michaelmas, thisYear, trinity } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const hilaryOfLastYear = {
  academicYearId: lastYear.id,
  name: 'hilary',
  startDate: '2025-01-07',
  endDate: '2025-03-28',
  examWeight: 60,
  courseworkWeight: 40,
} as const

describe('GET /api/terms', () => {
  test('the terms of a year in order, for any participant of the school', async () => {
    const listed = await st.as.niamh.terms.list({ query: { yearId: thisYear.id } })
    expect(listed.map((term) => term.name)).toEqual(['michaelmas', 'hilary', 'trinity'])
    expect(listed[0]).not.toHaveProperty('school_id')
  })

  test('limit and offset cut the list, and X-Total-Count says how long it is', async () => {
    const { body, headers } = await st.as.ada.terms.list.raw({ query: { yearId: thisYear.id, limit: 1, offset: 1 } })
    expect(body).toMatchObject([{ name: 'hilary' }])
    expect(headers.get('x-total-count')).toBe('3')
  })
})

describe('GET /api/terms/:id', () => {
  test('another school’s term is answered like one that does not exist', async () => {
    const foreign = await st.as.okafor.terms.get.raw({ params: { id: hilltopTerm.id } })
    const absent = await st.as.okafor.terms.get.raw({ params: { id: '00000000-0000-7000-8000-999999999999' } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(absent.body)
  })
})

describe('POST /api/terms', () => {
  test('creates a term whose order follows from its name', async () => {
    const term = await st.as.okafor.terms.create({ body: hilaryOfLastYear })
    expect(term).toMatchObject({ name: 'hilary', sort_order: 2, is_ministry_reporting: false, exam_weight: 60 })
  })

  test('409 on a second term of that name within the year', async () => {
    await expect(st.as.okafor.terms.create({ body: hilaryOfLastYear })).rejects.toMatchObject({ status: 409, code: 'terms.duplicate_name' })
  })

  test.each([
    [60, 41],
    [-10, 110],
    ['60', 40],
    [1e308, 0],
    [null, 40],
    [undefined, 100],
  ])('400 where the weights are %s and %s, and nothing changes', async (examWeight, courseworkWeight) => {
    const before = await st.digest()
    const { status, body } = await st.as.okafor.terms.create.raw({
      body: { ...hilaryOfLastYear, name: 'trinity', startDate: '2025-04-14', endDate: '2025-06-30', examWeight, courseworkWeight },
    })
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await st.digest()).toBe(before)
  })

  test('400 where its days lie outside the year', async () => {
    const attempt = st.as.okafor.terms.create({
      body: { ...hilaryOfLastYear, name: 'trinity', startDate: '2025-06-01', endDate: '2025-07-30' },
    })
    await expect(attempt).rejects.toMatchObject({ status: 400, code: 'terms.outside_year' })
  })
})

describe('a term with the school’s own name', () => {
  let own: School
  let yearId: string
  beforeAll(async () => {
    own = await school()
    const body = { name: '2031/32', startDate: '2031-09-01', endDate: '2032-06-30', gradingModel: 'term_based' } as const
    yearId = (await own.as.okafor.academicYears.create({ body })).id
  })
  afterAll(() => own.close())
  const term = (name: unknown) => ({
    academicYearId: yearId,
    name: name as string,
    startDate: '2031-09-01',
    endDate: '2031-12-20',
    examWeight: 60,
    courseworkWeight: 40,
  })
  const names = async () => (await own.as.niamh.terms.list({ query: { yearId } })).map(({ name, sort_order }) => [name, sort_order])

  test.each([
    ['41 letters', 'x'.repeat(41)],
    ['40 letters that are 120 when they are composed', '\ufb2c'.repeat(40)],
    ['nothing', ' \u200b '],
    ['a control character', 'Semester\u00071'],
    ['two lines', 'Semester\n1'],
    ['a name of replication', ' ~Semester 1'],
    ['a number', 1],
  ])('400 for %s', async (_what, name) => {
    const before = await own.digest()
    const { status, body } = await own.as.okafor.terms.create.raw({ body: term(name) })
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'validation_failed', issues: [{ path: 'name' }] } })
    expect(await own.digest()).toBe(before)
  })

  test('is kept composed and trimmed, without invisible characters, last in order; a known name in its own place', async () => {
    await own.as.okafor.terms.create({ body: term('  \u202eTrimestre d\u2019e\u0301te\u0301 ') })
    await own.as.okafor.terms.create({ body: term('Semester 1') })
    await own.as.okafor.terms.create({ body: term('HILARY') })
    expect(await names()).toEqual([
      ['Trimestre d’\u00e9t\u00e9', 1],
      ['Semester 1', 2],
      ['hilary', 2],
    ])
  })

  test.each(['semester 1', 'SÉMESTER  1', 'Hilary', 'TRIMESTRE D\u2019ETE'])(
    '409 for %s, which reads like an existing one',
    async (name) => {
      const refused = { status: 409, code: 'terms.duplicate_name' }
      await expect(own.as.okafor.terms.create({ body: term(name) })).rejects.toMatchObject(refused)
      const [first] = await own.as.okafor.terms.list({ query: { yearId } })
      const other = name.startsWith('TRI') ? 'Semester 1' : name
      if (name !== 'Hilary')
        await expect(own.as.okafor.terms.update({ params: { id: first?.id ?? '' }, body: { name: other } })).rejects.toMatchObject(refused)
    },
  )

  test('may change its own case; 409 for a seventh of a year, made there or moved to it', async () => {
    const listed = await own.as.okafor.terms.list({ query: { yearId } })
    const id = listed.find(({ name }) => name === 'Semester 1')?.id ?? ''
    expect(await own.as.okafor.terms.update({ params: { id }, body: { name: 'SEMESTER 1' } })).toMatchObject({ name: 'SEMESTER 1' })
    for (const name of ['4', '5', '6']) await own.as.okafor.terms.create({ body: term(name) })
    const before = await own.digest()
    const full = { status: 409, code: 'terms.too_many' }
    await expect(own.as.okafor.terms.create({ body: term('7') })).rejects.toMatchObject(full)
    const moved = { academicYearId: yearId, startDate: '2031-09-01', endDate: '2031-12-20' }
    await expect(own.as.okafor.terms.update({ params: { id: trinity.id }, body: moved })).rejects.toMatchObject({ status: 409 })
    expect(await own.digest()).toBe(before)
  })
})

describe('PATCH /api/terms/:id', () => {
  test('the weights are checked on the merged row', async () => {
    await expect(st.as.okafor.terms.update({ params: { id: hilary.id }, body: { examWeight: 50 } })).rejects.toMatchObject({ status: 400 })
    const changed = await st.as.okafor.terms.update({ params: { id: hilary.id }, body: { examWeight: 50.5, courseworkWeight: 49.5 } })
    expect(changed).toMatchObject({ exam_weight: 50.5, coursework_weight: 49.5 })
  })

  test('404 for a move to another school’s year', async () => {
    const attempt = st.as.okafor.terms.update({ params: { id: hilary.id }, body: { academicYearId: hilltopTerm.academic_year_id } })
    await expect(attempt).rejects.toMatchObject({ status: 404 })
  })
})

test('409 for a term with marks that is moved to another year: its classes would stay in the old year', async () => {
  const body = { academicYearId: lastYear.id, name: 'hilary', startDate: '2025-01-07', endDate: '2025-03-28' } as const
  const { status, body: refusal } = await st.as.okafor.terms.update.raw({ params: { id: michaelmas.id }, body })
  expect({ status, refusal }).toMatchObject({ status: 409, refusal: { code: 'terms.stays_in_year' } })
})

describe('DELETE /api/terms/:id', () => {
  test('409 while the term has assessments or grades, and nothing is deleted', async () => {
    await expect(st.as.okafor.terms.remove({ params: { id: michaelmas.id } })).rejects.toMatchObject({ status: 409, code: 'terms.in_use' })
    expect((await st.rows('term')).map((term) => term.id)).toContain(michaelmas.id)
  })

  test('403 for a teacher', async () => {
    await expect(st.as.byrne.terms.remove({ params: { id: trinity.id } })).rejects.toMatchObject({ status: 403, code: 'admin_only' })
  })

  test('several at once: all, or none where one is in use, absent or another school’s', async () => {
    const remove = (...termIds: string[]) => st.as.okafor.terms.removeBulk.raw({ body: { termIds } })
    const before = await st.digest()
    expect(await remove(trinity.id, michaelmas.id)).toMatchObject({ status: 409, body: { code: 'terms.in_use' } })
    expect(await remove(hilary.id, hilltopTerm.id)).toMatchObject({ status: 404 })
    expect(await remove(hilary.id, hilary.id)).toMatchObject({ status: 400 })
    expect(await st.digest()).toBe(before)
    const made = await st.as.okafor.academicYears.create({
      body: {
        name: '2040/41',
        startDate: '2040-09-01',
        endDate: '2041-06-30',
        gradingModel: 'term_based',
        terms: ['One', 'Two'].map((name, at) => ({
          name,
          startDate: `204${at}-0${at ? 1 : 9}-02`,
          endDate: `204${at}-${at ? '05' : '12'}-20`,
          examWeight: 60,
          courseworkWeight: 40,
        })),
      },
    })
    const ids = async () => (await st.as.okafor.terms.list({ query: { yearId: made.id } })).map(({ id }) => id)
    expect(await ids()).toHaveLength(2)
    expect(await remove(...(await ids()))).toMatchObject({ status: 200 })
    expect(await ids()).toEqual([])
    await st.as.okafor.academicYears.remove({ params: { id: made.id } })
  })

  test('a term created again with the same name has the same id', async () => {
    const { id } = (await st.as.okafor.terms.list({ query: { yearId: lastYear.id } })).find((term) => term.name === 'hilary') ?? { id: '' }
    await st.as.okafor.terms.remove({ params: { id } })
    expect(await st.as.okafor.terms.create({ body: hilaryOfLastYear })).toMatchObject({ id })
  })
})
