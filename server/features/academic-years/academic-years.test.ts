import { naturalId } from '@markbook/shared/ids'
import { elan, zoe } from '@markbook/shared/story/marks'
import { stBrigids } from '@markbook/shared/story/people'
import { class3B, hilltopYear, lastYear, thisYear, trinity } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem, type NewRow, type WriteTx } from '../../store/tx.ts'
import { meanwhile } from '../../testing/meanwhile.ts'
import { newcomers } from '../../testing/newcomers.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const byTerm = { name: '2026/27', startDate: '2026-09-01', endDate: '2027-06-30', gradingModel: 'term_based' } as const
const later = { ...byTerm, name: 'Scoil 2040/41', startDate: '2040-09-01', endDate: '2041-06-30' }
const byYear = { ...byTerm, gradingModel: 'year_based', yearExamWeight: 55.5, yearCourseworkWeight: 44.5 } as const
const strangers = ['byrne', 'ada', 'niamh', 'doyle', 'nobody'] as const
const activeIds = async () => (await st.as.niamh.academicYears.list()).filter((year) => year.is_active).map((year) => year.id)

/** Of a student of 3B. */
const yearEndBook = (tx: WriteTx, student: string): NewRow<'report_book'> => ({
  id: naturalId('report_book', student, trinity.id, 'year_end'),
  school_id: stBrigids,
  student_id: student,
  academic_year_id: thisYear.id,
  term_id: trinity.id,
  student_group_id: class3B.id,
  report_type: 'year_end',
  status: 'draft',
  sent_snapshot: null,
  overall_average: null,
  position: null,
  total_students: 6,
  snapshot: { generated_at: tx.now, overall_average: null, position: null, total_students: 6, entries: [] },
  class_teacher_remark: null,
  conduct: null,
  attendance_percentage: null,
})

describe('GET /api/academic-years', () => {
  test('newest first by start date, with the active one marked, for any participant', async () => {
    const listed = await st.as.niamh.academicYears.list()
    expect(listed.map((year) => [year.id, year.is_active])).toEqual([
      [thisYear.id, true],
      [lastYear.id, false],
    ])
    expect(listed[1]).toEqual({
      id: lastYear.id,
      name: '2024/25',
      start_date: '2024-09-01',
      end_date: '2025-06-30',
      grading_model: 'term_based',
      calculation_model: 'weighted_cumulative',
      year_exam_weight: null,
      year_coursework_weight: null,
      scale_pass_mark: null,
      scale_bands: null,
      is_active: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
  })

  test('by their days, whatever they are called', async () => {
    const early = { name: 'Z', startDate: '2019-09-01', endDate: '2020-06-30', gradingModel: 'term_based' } as const
    const { id } = await st.as.okafor.academicYears.create({ body: early })
    expect((await st.as.niamh.academicYears.list()).map((year) => year.id)).toEqual([thisYear.id, lastYear.id, id])
    await st.as.okafor.academicYears.remove({ params: { id } })
  })

  test('403 for a person without a school', async () => {
    await expect(st.as.nobody.academicYears.list()).rejects.toMatchObject({ status: 403, code: 'no_school' })
  })
})

describe('GET /api/academic-years/:id', () => {
  test('one year, for any participant', async () => {
    expect(await st.as.ada.academicYears.get({ params: { id: thisYear.id } })).toMatchObject({ name: '2025/26', is_active: true })
  })

  test('another school’s year is answered like one that does not exist', async () => {
    const foreign = await st.as.okafor.academicYears.get.raw({ params: { id: hilltopYear.id } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual((await st.as.okafor.academicYears.get.raw({ params: { id: absent } })).body)
  })
})

describe('POST /api/academic-years', () => {
  test('a term_based year counts by weighted_cumulative and has no weights', async () => {
    const year = await st.as.okafor.academicYears.create({ body: { ...byTerm, yearExamWeight: 60, yearCourseworkWeight: 40 } })
    expect(year).toMatchObject({
      calculation_model: 'weighted_cumulative',
      year_exam_weight: null,
      year_coursework_weight: null,
      is_active: false,
    })
  })

  test('a second year with the same name or days is refused with mayRepeat: false only', async () => {
    const body = { ...later, mayRepeat: false }
    await st.as.okafor.academicYears.create({ body })
    const before = await st.digest()
    for (const alike of [
      body,
      { ...body, name: ` ${later.name.toUpperCase()} `, endDate: '2041-07-15' },
      { ...body, name: 'Another name' },
    ]) {
      const refused = await st.as.okafor.academicYears.create.raw({ body: alike })
      expect(refused).toMatchObject({ status: 409, body: { code: 'academic_years.repeated' } })
    }
    expect(await st.digest()).toBe(before)
    const other = { ...body, name: 'Another name', endDate: '2041-07-15' }
    await st.as.okafor.academicYears.create({ body: other })
    await st.as.okafor.academicYears.create({ body: later })
    await st.as.okafor.academicYears.create({ body: { ...body, mayRepeat: true } })
    expect((await st.as.okafor.academicYears.list()).filter(({ name }) => name === later.name)).toHaveLength(3)
  })

  test('of two concurrent additions of one year the later is refused, also where no year was ever current', async () => {
    const own = await school()
    const { name, startDate: start_date, endDate: end_date, gradingModel: grading_model } = later
    const year = { name, start_date, end_date, grading_model, calculation_model: 'weighted_cumulative' as const }
    await own.services.store.write(asSystem(), async (tx) => {
      const register = await tx.find('active_year', stBrigids, stBrigids)
      await tx.remove('active_year', register ? [register] : [])
    })
    const reply = await meanwhile(
      own,
      async (tx) => {
        await tx.find('school', stBrigids, stBrigids)
        await tx.insert('academic_year', { id: tx.newId(), school_id: stBrigids, ...year })
      },
      () => own.as.okafor.academicYears.create.raw({ body: { ...later, mayRepeat: false } }),
    )
    expect(reply).toMatchObject({ status: 409, body: { code: 'academic_years.repeated' } })
    await own.close()
  })

  test('a year_based year uses weighted_continuous by default', async () => {
    const year = await st.as.okafor.academicYears.create({ body: byYear })
    expect(year).toMatchObject({ calculation_model: 'weighted_continuous', year_exam_weight: 55.5, year_coursework_weight: 44.5 })
  })

  test.each(['weighted_cumulative', 'weighted_continuous', 'continuous_cumulative'] as const)(
    'a year_based year takes %s',
    async (calculationModel) => {
      expect(await st.as.okafor.academicYears.create({ body: { ...byYear, calculationModel } })).toMatchObject({
        calculation_model: calculationModel,
      })
    },
  )

  test.each([
    ['an end before the start', { ...byTerm, endDate: '2026-08-31' }],
    ['an end on the first day', { ...byTerm, endDate: byTerm.startDate }],
    ['a day that does not exist', { ...byTerm, endDate: '2027-02-30' }],
    ['a model that does not fit', { ...byTerm, calculationModel: 'weighted_continuous' }],
    ['year_based without weights', { ...byTerm, gradingModel: 'year_based' }],
    ['year_based with one weight', { ...byYear, yearCourseworkWeight: null }],
    ['weights that sum to 99.99', { ...byYear, yearExamWeight: 55.49 }],
    ['a weight with three decimals', { ...byYear, yearExamWeight: 55.501, yearCourseworkWeight: 44.499 }],
    ['a weight as text', { ...byYear, yearExamWeight: '55.5' }],
    ['a weight below 0', { ...byYear, yearExamWeight: -1, yearCourseworkWeight: 101 }],
    ['no name', { ...byTerm, name: undefined }],
    ['a field that it does not take', { ...byTerm, schoolId: stBrigids }],
    ['a flag as text', { ...byTerm, isActive: 'true' }],
  ])('400 for %s, and nothing changes', async (_what, body) => {
    expect(await refused(st, () => st.as.okafor.academicYears.create.raw({ body }))).toEqual({ status: 400, code: 'validation_failed' })
  })

  test.each(strangers)('403 for %s, and nothing changes', async (name) => {
    expect(await refused(st, () => st.as[name].academicYears.create.raw({ body: byTerm }))).toMatchObject({ status: 403 })
  })
})

describe('POST /api/academic-years with terms', () => {
  const weights = { examWeight: 60, courseworkWeight: 40 }
  const first = { name: ' Semester 1', startDate: '2026-09-01', endDate: '2027-01-29', ...weights }
  const second = { name: 'Semester 2', startDate: '2027-02-01', endDate: '2027-06-30', examWeight: 100, courseworkWeight: 0 }
  const create = (more: object) => st.as.okafor.academicYears.create.raw({ body: { ...byTerm, ...more } as never })
  const termsOf = (yearId: string) => st.as.niamh.terms.list({ query: { yearId } })

  test('makes them together with the year, in one transaction', async () => {
    const year = await st.as.okafor.academicYears.create({ body: { ...byTerm, terms: [first, { ...second, isMinistryReporting: true }] } })
    expect(Object.keys(year).sort()).toEqual(Object.keys(await st.as.niamh.academicYears.active()).sort())
    expect(year.is_active).toBe(false)
    expect(await termsOf(year.id)).toMatchObject([
      {
        id: naturalId('term', year.id, 'Semester 1'),
        academic_year_id: year.id,
        name: 'Semester 1',
        start_date: '2026-09-01',
        end_date: '2027-01-29',
        exam_weight: 60,
        coursework_weight: 40,
        is_ministry_reporting: false,
        sort_order: 1,
      },
      { name: 'Semester 2', exam_weight: 100, coursework_weight: 0, is_ministry_reporting: true, sort_order: 2 },
    ])
    const [entry] = await st.as.okafor.history.list({ query: { entity: 'term', id: naturalId('term', year.id, 'Semester 1') } })
    expect(entry).toMatchObject({ action: 'create', actor: { last_name: 'Okafor' } })
    await st.as.okafor.academicYears.remove({ params: year })
    expect((await st.as.niamh.terms.get.raw({ params: { id: naturalId('term', year.id, 'Semester 1') } })).status).toBe(404)
  })

  test('known names have their place, and a stated order is kept', async () => {
    const known = ['trinity', 'Michaelmas', 'hilary'].map((name) => ({ ...first, name }))
    const year = await st.as.okafor.academicYears.create({ body: { ...byTerm, terms: known } })
    expect((await termsOf(year.id)).map(({ name, sort_order }) => [name, sort_order])).toEqual([
      ['michaelmas', 1],
      ['hilary', 2],
      ['trinity', 3],
    ])
    const said = [
      { ...first, sortOrder: 5 },
      { ...second, sortOrder: 4 },
    ]
    const other = await st.as.okafor.academicYears.create({ body: { ...byTerm, terms: said } })
    expect((await termsOf(other.id)).map(({ name, sort_order }) => [name, sort_order])).toEqual([
      ['Semester 2', 4],
      ['Semester 1', 5],
    ])
  })

  test('isActive makes it the active year, and every other inactive', async () => {
    const former = await activeIds()
    const year = await st.as.okafor.academicYears.create({ body: { ...byTerm, isActive: true, terms: [first, second] } })
    expect(year.is_active).toBe(true)
    expect(await activeIds()).toEqual([year.id])
    expect(await termsOf(year.id)).toHaveLength(2)
    for (const id of former) await st.as.okafor.academicYears.activate({ params: { id } })
    expect((await st.as.okafor.academicYears.create({ body: { ...byTerm, isActive: false, terms: [] } })).is_active).toBe(false)
    expect(await activeIds()).toEqual(former)
  })

  test.each([
    ['the first day before the year', [{ ...first, startDate: '2026-08-31' }], 'terms.0.startDate'],
    ['the last day after the year', [first, { ...second, endDate: '2027-07-01' }], 'terms.1.endDate'],
    ['an end before the start', [{ ...first, endDate: '2026-08-31' }], 'terms.0.endDate'],
    ['weights that sum to 90', [{ ...first, examWeight: 50 }], 'terms.0.examWeight'],
    ['a name twice, but for case and accents', [first, { ...second, name: 'SEMÉSTER 1' }], 'terms.1.name'],
    ['no name', [{ ...first, name: ' ' }], 'terms.0.name'],
    ['no weights', [{ ...first, examWeight: undefined }], 'terms.0.examWeight'],
    ['a year of its own', [{ ...first, academicYearId: thisYear.id }], 'terms.0'],
    ['seven terms', Array.from({ length: 7 }, (_, at) => ({ ...first, name: `T${at}` })), 'terms'],
  ])('400 for %s, and neither the year nor a term is made', async (_, terms, path) => {
    const issues = expect.arrayContaining([expect.objectContaining({ path })])
    expect(await refused(st, () => create({ terms, isActive: true }))).toMatchObject({ status: 400, code: 'validation_failed' })
    expect((await create({ terms })).body).toMatchObject({ issues })
  })

  test.each(strangers)('403 for %s', async (name) => {
    const answer = await refused(st, () => st.as[name].academicYears.create.raw({ body: { ...byTerm, terms: [first], isActive: true } }))
    expect(answer.status).toBe(403)
  })

  test('a change of a year takes neither', async () => {
    for (const more of [{ terms: [first] }, { isActive: true }]) {
      const change = () => st.as.okafor.academicYears.update.raw({ params: { id: thisYear.id }, body: more as never })
      expect(await refused(st, change)).toMatchObject({ status: 400 })
    }
  })

  test('of first years of a school that are made at once, one is active, and each has its terms', async () => {
    const [head] = await newcomers(st, 1, 'first-years')
    await head?.as.schools.create({ body: { name: 'Scoil Mhuire', schoolType: 'primary' } })
    const create = () => head?.as.academicYears.create.raw({ body: { ...byTerm, isActive: true, terms: [first] } })
    const answers = await Promise.all([create(), create(), create(), create()])
    expect(answers.map((answer) => answer?.status)).toEqual([201, 201, 201, 201])
    const years = (await head?.as.academicYears.list()) ?? []
    expect(years.filter((year) => year.is_active)).toHaveLength(1)
    for (const { id } of years) expect(await head?.as.terms.list({ query: { yearId: id } })).toHaveLength(1)
  })
})

describe('PATCH /api/academic-years/:id', () => {
  const update = (id: string, body: object) => st.as.okafor.academicYears.update.raw({ params: { id }, body })

  test('a change of one weight is checked on the merged row', async () => {
    expect(await refused(st, () => update(thisYear.id, { yearExamWeight: 50 }))).toEqual({ status: 400, code: 'validation_failed' })
    const changed = await st.as.okafor.academicYears.update({
      params: { id: thisYear.id },
      body: { yearExamWeight: 50, yearCourseworkWeight: 50 },
    })
    expect(changed).toMatchObject({
      year_exam_weight: 50,
      year_coursework_weight: 50,
      calculation_model: 'weighted_continuous',
      is_active: true,
    })
  })

  test('a change to term_based drops the weights and the calculation model', async () => {
    const { id } = await st.as.okafor.academicYears.create({ body: byYear })
    const changed = await st.as.okafor.academicYears.update({ params: { id }, body: { gradingModel: 'term_based' } })
    expect(changed).toMatchObject({ calculation_model: 'weighted_cumulative', year_exam_weight: null, year_coursework_weight: null })
  })

  test.each([
    ['a change to year_based without weights', { gradingModel: 'year_based' }],
    ['a calculation model that does not fit', { calculationModel: 'continuous_cumulative' }],
    ['a start after the stored end', { startDate: '2025-07-01' }],
  ])('400 for %s, and nothing changes', async (_what, body) => {
    expect(await refused(st, () => update(lastYear.id, body))).toEqual({ status: 400, code: 'validation_failed' })
  })

  test('400 where a term would lie outside its days, and nothing changes', async () => {
    const answer = { status: 400, code: 'academic_years.terms_outside' }
    expect(await refused(st, () => update(thisYear.id, { startDate: '2025-09-02' }))).toEqual(answer)
    expect(await refused(st, () => update(thisYear.id, { endDate: '2026-06-29' }))).toEqual(answer)
    expect((await update(thisYear.id, { startDate: '2025-08-25', endDate: trinity.end_date })).status).toBe(200)
  })

  test('409 for a change to term_based while year-end reports are generated', async () => {
    const reply = await meanwhile(
      st,
      async (tx) => {
        await tx.find('student_group', stBrigids, class3B.id)
        await tx.insert('report_book', [yearEndBook(tx, zoe.id)])
      },
      () => update(thisYear.id, { gradingModel: 'term_based' }),
    )
    expect(reply).toMatchObject({ status: 409, body: { code: 'academic_years.has_year_reports' } })
  })

  test('409 for a change to term_based once there are year-end reports; other changes go on', async () => {
    await st.services.store.write(asSystem(), (tx) => tx.insert('report_book', [yearEndBook(tx, elan.id)]))
    const answer = { status: 409, code: 'academic_years.has_year_reports' }
    expect(await refused(st, () => update(thisYear.id, { gradingModel: 'term_based' }))).toEqual(answer)
    expect((await update(thisYear.id, { calculationModel: 'continuous_cumulative' })).status).toBe(200)
  })

  test.each(strangers)('403 for %s', async (name) => {
    await expect(st.as[name].academicYears.update({ params: { id: lastYear.id }, body: { name: 'x' } })).rejects.toMatchObject({
      status: 403,
    })
  })

  test('404 for the neighbour’s administrator, before the body is checked', async () => {
    const { status } = await st.as.marker.academicYears.update.raw({ params: { id: lastYear.id }, body: { nonsense: 1 } })
    expect(status).toBe(404)
  })
})

describe('activate and deactivate', () => {
  test('activating a year makes every other inactive, and the neighbour keeps its own', async () => {
    expect(await st.as.okafor.academicYears.activate({ params: { id: lastYear.id } })).toMatchObject({ id: lastYear.id, is_active: true })
    expect(await activeIds()).toEqual([lastYear.id])
    expect(await st.as.niamh.academicYears.active()).toMatchObject({ id: lastYear.id, is_active: true })
    expect(await st.as.marker.academicYears.active()).toMatchObject({ id: hilltopYear.id })
  })

  test('activating the active year again writes nothing', async () => {
    const before = await st.digest()
    await st.as.okafor.academicYears.activate({ params: { id: lastYear.id } })
    expect(await st.digest()).toBe(before)
  })

  test('deactivating a year that is not active leaves the active one', async () => {
    expect(await st.as.okafor.academicYears.deactivate({ params: { id: thisYear.id } })).toMatchObject({ is_active: false })
    expect(await activeIds()).toEqual([lastYear.id])
  })

  test('404 no_active_year once the active one was deactivated', async () => {
    await st.as.okafor.academicYears.deactivate({ params: { id: lastYear.id } })
    await expect(st.as.niamh.academicYears.active()).rejects.toMatchObject({ status: 404, code: 'no_active_year' })
  })

  test('of many activations at once all succeed and one year is active', async () => {
    const ids = (await st.as.okafor.academicYears.list()).map((year) => year.id)
    const answers = await Promise.all([...ids, ...ids].map((id) => st.as.okafor.academicYears.activate.raw({ params: { id } })))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    expect(await activeIds()).toHaveLength(1)
    await st.as.okafor.academicYears.activate({ params: { id: thisYear.id } })
  })

  test('a school that never had an active year gets its first, also from two at once', async () => {
    await st.as.nobody.schools.create({ body: { name: 'New School', schoolType: 'primary' } })
    const years = [await st.as.nobody.academicYears.create({ body: byTerm }), await st.as.nobody.academicYears.create({ body: byYear })]
    await expect(st.as.nobody.academicYears.active()).rejects.toMatchObject({ status: 404, code: 'no_active_year' })
    const answers = await Promise.all(years.map(({ id }) => st.as.nobody.academicYears.activate.raw({ params: { id } })))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
    expect((await st.as.nobody.academicYears.list()).filter((year) => year.is_active)).toHaveLength(1)
  })

  test.each(['activate', 'deactivate'] as const)('%s is 403 for a teacher and 404 for the neighbour’s administrator', async (move) => {
    await expect(st.as.byrne.academicYears[move]({ params: { id: lastYear.id } })).rejects.toMatchObject({ status: 403 })
    await expect(st.as.marker.academicYears[move]({ params: { id: lastYear.id } })).rejects.toMatchObject({ status: 404 })
  })
})

describe('DELETE /api/academic-years/:id', () => {
  const remove = (id: string) => st.as.okafor.academicYears.remove.raw({ params: { id } })

  test('409 for the active year', async () => {
    expect(await refused(st, () => remove(thisYear.id))).toEqual({ status: 409, code: 'academic_years.is_active' })
  })

  test('409 for a year with assessments', async () => {
    await st.as.okafor.academicYears.deactivate({ params: { id: thisYear.id } })
    expect(await refused(st, () => remove(thisYear.id))).toEqual({ status: 409, code: 'academic_years.in_use' })
  })

  test('403 for a teacher, 404 for the neighbour’s administrator', async () => {
    await expect(st.as.byrne.academicYears.remove({ params: { id: lastYear.id } })).rejects.toMatchObject({ status: 403 })
    await expect(st.as.marker.academicYears.remove({ params: { id: lastYear.id } })).rejects.toMatchObject({ status: 404 })
  })

  test('an unused year is deleted with its terms and classes', async () => {
    expect((await remove(lastYear.id)).body).toEqual({ message: 'The academic year was deleted.' })
    for (const table of ['term', 'student_group', 'teacher_group_assignment'] as const) {
      expect((await st.rows(table)).filter((row) => row.academic_year_id === lastYear.id)).toEqual([])
    }
    expect((await remove(lastYear.id)).status).toBe(404)
  })
})
