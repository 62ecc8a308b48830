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

test('409 for a term with marks that is moved to another year: its classes would stay behind', async () => {
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

  test('a term made again under the same name has the same id', async () => {
    const { id } = (await st.as.okafor.terms.list({ query: { yearId: lastYear.id } })).find((term) => term.name === 'hilary') ?? { id: '' }
    await st.as.okafor.terms.remove({ params: { id } })
    expect(await st.as.okafor.terms.create({ body: hilaryOfLastYear })).toMatchObject({ id })
  })
})
