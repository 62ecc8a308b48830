import { fatima, mei, oisin, sean, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, english, lastYear, maths, thisYear } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
let year: string
let starts = 2026
beforeAll(async () => {
  st = await school()
})
beforeEach(async () => {
  const span = { startDate: `${starts}-09-01`, endDate: `${starts + 1}-06-30` }
  year = (await st.as.okafor.academicYears.create({ body: { name: `${starts}/${starts + 1}`, gradingModel: 'term_based', ...span } })).id
  starts += 1
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const as4B = { fromClassId: class3B.id, name: '4B' }
const as4A = { fromClassId: class3A.id, name: '4A' }

describe('what a roll-over copies besides classes', () => {
  const bands = [
    { letter: 'P', minimum: 50, remark: 'Passed' },
    { letter: 'F', minimum: 0, remark: 'Failed' },
  ]
  const take = (body: object, dryRun: 'true' | 'false' = 'false') =>
    st.as.okafor.academicYears.rollOver.raw({ params: { id: year }, query: { dryRun }, body: { classes: [], ...body } as never })
  const categoriesOf = async (academicYearId: string) =>
    (await st.as.okafor.assessmentCategories.list({ query: { academicYearId } })).map(({ id: _, academic_year_id: __, ...row }) => row)
  const make = (more: object) =>
    st.as.okafor.assessmentCategories.create({
      body: { academicYearId: thisYear.id, assessmentType: 'coursework', name: 'Quizzes', weight: 25, ...more } as never,
    })
  const fromThis = { categoriesFromYearId: thisYear.id }
  let music: { id: string }
  beforeAll(async () => {
    music = await st.as.okafor.subjects.create({ body: { name: 'Music', code: 'MU' } })
    await make({ dropLowest: 1 })
    await make({ name: 'Papers', assessmentType: 'exam', subjectId: maths.id, weight: 70 })
    await make({ name: 'Bonus', isExtraCredit: true })
    await make({ name: 'Concerts', subjectId: music.id })
    await st.as.okafor.subjects.update({ params: music, body: { isActive: false } })
    await st.as.okafor.gradingScale.put({ query: { academicYearId: thisYear.id }, body: { passMark: 55, bands } })
  })

  test('the categories in order, except those of inactive subjects; a second time only the missing ones', async () => {
    expect(await take(fromThis)).toMatchObject({ status: 200, body: { categories: 3, scale: false, issues: [] } })
    const copied = (await categoriesOf(year)).map(({ created_at: _, updated_at: __, ...row }) => row)
    expect(copied).toMatchObject([
      {
        name: 'Quizzes',
        subject_id: null,
        assessment_type: 'coursework',
        weight: 25,
        drop_lowest: 1,
        is_extra_credit: false,
        sort_order: 1,
      },
      { name: 'Papers', subject_id: maths.id, assessment_type: 'exam', weight: 70, sort_order: 2 },
      { name: 'Bonus', is_extra_credit: true, sort_order: 3 },
    ])
    const before = await st.digest()
    expect(await take(fromThis)).toMatchObject({ status: 200, body: { categories: 0 } })
    expect(await st.digest()).toBe(before)
    const [first] = await st.as.okafor.assessmentCategories.list({ query: { academicYearId: year } })
    await st.as.okafor.assessmentCategories.remove({ params: { id: first?.id ?? '' } })
    expect(await take(fromThis)).toMatchObject({ body: { categories: 1 } })
    expect((await categoriesOf(year)).map(({ name, sort_order }) => [name, sort_order])).toEqual([
      ['Papers', 2],
      ['Bonus', 3],
      ['Quizzes', 4],
    ])
  })

  test('the scale of the year, where this one has none of its own; nothing where that year uses the school’s', async () => {
    expect(await take({ scaleFromYearId: lastYear.id })).toMatchObject({ status: 200, body: { scale: false } })
    expect(await take({ scaleFromYearId: thisYear.id }, 'true')).toMatchObject({ status: 200, body: { scale: true } })
    const scaleNow = () => st.as.okafor.gradingScale.get({ query: { academicYearId: year } })
    expect(await scaleNow()).not.toMatchObject({ pass_mark: 55 })
    await take({ scaleFromYearId: thisYear.id })
    expect(await scaleNow()).toEqual({ pass_mark: 55, bands })
    await st.as.okafor.gradingScale.put({ query: { academicYearId: year }, body: { passMark: 30, bands } })
    expect(await take({ scaleFromYearId: thisYear.id })).toMatchObject({ body: { scale: false } })
    expect(await scaleNow()).toMatchObject({ pass_mark: 30 })
  })

  test('both are copied with the classes, and not at all where a class cannot be created', async () => {
    const all = { classes: [as4B, { ...as4A, name: '4B' }], ...fromThis, scaleFromYearId: thisYear.id }
    expect(await refused(st, () => take(all))).toEqual({ status: 409, code: 'academic_years.roll_over_issues' })
    expect(await take({ ...all, classes: [as4B] })).toMatchObject({ status: 200, body: { categories: 3, scale: true } })
  })

  test('409 from this year itself, and where there would be more than 20 of a subject', async () => {
    const own = await take({ categoriesFromYearId: year, scaleFromYearId: year })
    expect(own).toMatchObject({ status: 409, body: { issues: [{ path: 'categoriesFromYearId' }, { path: 'scaleFromYearId' }] } })
    for (let count = 0; count < 19; count += 1) await make({ academicYearId: year, name: `No. ${count}` })
    const { body } = await take(fromThis, 'true')
    expect(body).toMatchObject({ issues: [{ message: 'There would be more than 20 categories of a subject.' }] })
    expect(await refused(st, () => take(fromThis))).toEqual({ status: 409, code: 'academic_years.roll_over_issues' })
  })

  test('404 for a year that does not exist', async () => {
    expect(await refused(st, () => take({ categoriesFromYearId: absent }))).toMatchObject({ status: 404 })
    expect(await refused(st, () => take({ scaleFromYearId: absent }))).toMatchObject({ status: 404 })
  })
})

describe('the teaching sets of a year', () => {
  const roll = (body: object, dryRun: 'true' | 'false' = 'false') =>
    st.as.okafor.academicYears.rollOver.raw({
      params: { id: year },
      query: { dryRun },
      body: { classes: [], setsFromYearId: thisYear.id, ...body } as never,
    })
  const make = async (name: string, subject: { id: string }, academicYearId = thisYear.id) =>
    st.as.okafor.teachingSets.create({ body: { academicYearId, subjectId: subject.id, name } })
  const fill = (set: { id: string }, ...students: { id: string }[]) =>
    st.as.okafor.teachingSets.setStudents({ params: set, body: { studentIds: students.map(({ id }) => id) } })
  const give = (set: { id: string }, ...teachers: { id: string }[]) =>
    st.as.okafor.teachingSets.setTeachers({ params: set, body: { teacherIds: teachers.map(({ id }) => id) } })
  const setsOf = async (academicYearId = year) =>
    Promise.all(
      (await st.as.okafor.teachingSets.list({ query: { academicYearId } })).map(async ({ id, name, subject, teachers }) => [
        subject.id,
        name,
        teachers.map((one) => one.id).sort(),
        (await st.as.okafor.teachingSets.students({ params: { id } })).map((one) => one.id).sort(),
      ]),
    )
  const upperOf = async (academicYearId?: string) => (await setsOf(academicYearId)).find(([, name]) => name === 'Upper')
  const ids = (...students: { id: string }[]) => students.map(({ id }) => id).sort()
  let former: { id: string }
  let staff: { id: string }[]
  beforeAll(async () => {
    const dance = await st.as.okafor.subjects.create({ body: { name: 'Dance', code: 'DA' } })
    const upper = await make('Upper', english)
    former = upper
    await give(upper, people.ada, people.quinn)
    await fill(upper, fatima, oisin, mei, zoe)
    await fill(await make('Stage', dance), mei)
    await make('Lower', maths)
    await st.as.okafor.subjects.update({ params: dance, body: { isActive: false } })
    staff = [people.ada, people.quinn]
  })

  test('are copied with name, subject, teachers and the pupils who have a class; not those of inactive subjects', async () => {
    const before = await st.digest()
    const body = { classes: [as4A, as4B] }
    expect(await roll(body, 'true')).toMatchObject({ status: 200, body: { sets: 2, set_places: 4, issues: [] } })
    expect(await st.digest()).toBe(before)
    expect(await roll({ ...body, setsFromYearId: undefined }, 'true')).toMatchObject({ body: { sets: 0, set_places: 0 } })
    expect(await roll(body)).toMatchObject({ status: 200, body: { sets: 2, set_places: 4 } })
    expect(await setsOf()).toEqual([
      [maths.id, 'Lower', [], []],
      [english.id, 'Upper', ids(...staff), ids(fatima, oisin, mei, zoe)],
    ])
    expect((await upperOf(thisYear.id))?.[3]).toEqual(ids(fatima, oisin, mei, zoe))
  })

  test('without pupils who leave, are placed later, or are excluded; a second run adds forgotten ones', async () => {
    const going = { fromClassId: class3B.id, name: '4B', studentIds: ids(mei, sean) }
    const first = { classes: [going, as4A], outOfSetsStudentIds: ids(oisin) }
    expect(await roll(first)).toMatchObject({ status: 200, body: { sets: 2, set_places: 2 } })
    expect((await upperOf())?.[3]).toEqual(ids(fatima, mei))
    const set = (await st.as.okafor.teachingSets.list({ query: { academicYearId: year } })).find(({ name }) => name === 'Upper')
    // The head's later change is kept: Mei was taken out, and is in the year already.
    await fill(set as { id: string }, fatima)
    await give(set as { id: string })
    const [group] = (await st.rows('student_group')).filter(({ name, academic_year_id }) => name === '4B' && academic_year_id === year)
    const second = { classes: [{ intoClassId: group?.id, otherStudentIds: ids(zoe) }] }
    expect(await roll(second)).toMatchObject({ status: 200, body: { sets: 0, set_places: 1 } })
    expect(await upperOf()).toEqual([english.id, 'Upper', [], ids(fatima, zoe)])
    const digest = await st.digest()
    expect(await roll({})).toMatchObject({ status: 200, body: { sets: 0, set_places: 0 } })
    expect(await st.digest()).toBe(digest)
  })

  test('without pupils who have left and teachers who do not teach any more', async () => {
    await st.as.okafor.students.update({ params: mei, body: { isActive: false } })
    await st.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
    await roll({ classes: [as4A, as4B] })
    expect(await upperOf()).toEqual([english.id, 'Upper', [people.quinn.id], ids(fatima, oisin, zoe)])
    await st.as.okafor.students.update({ params: mei, body: { isActive: true } })
    await st.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'teacher' } })
    await give(former, people.ada, people.quinn)
  })

  test('not at all where a class cannot be created, from a later year, or with an unknown pupil', async () => {
    expect(await refused(st, () => roll({ classes: [as4B, { ...as4A, name: '4B' }] }))).toMatchObject({ status: 409 })
    expect(await roll({ setsFromYearId: year })).toMatchObject({ status: 409, body: { issues: [{ path: 'setsFromYearId' }] } })
    expect(await roll({ outOfSetsStudentIds: [absent] })).toMatchObject({
      status: 409,
      body: { issues: [{ path: 'outOfSetsStudentIds.0' }] },
    })
    expect(await refused(st, () => roll({ setsFromYearId: absent }))).toMatchObject({ status: 404 })
    const lonely = await roll({ setsFromYearId: undefined, outOfSetsStudentIds: ids(mei), classes: [as4B] })
    expect(lonely).toMatchObject({ status: 400, body: { issues: [{ path: 'outOfSetsStudentIds' }] } })
    expect(await setsOf()).toEqual([])
  })

  test('409 where there would be too many sets', async () => {
    const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => at)
    const school_id = thisYear.school_id
    const write = st.services.store.write
    await write({ as: 'system', userId: null }, (tx) =>
      tx.insert(
        'teaching_set',
        rowsOf(499).map((at) => ({ id: tx.newId(), school_id, academic_year_id: year, subject_id: maths.id, name: `No. ${at}` })),
      ),
    )
    expect(await roll({}, 'true')).toMatchObject({ body: { issues: [{ message: 'There would be more than 500 teaching sets.' }] } })
    expect(await refused(st, () => roll({}))).toEqual({ status: 409, code: 'academic_years.roll_over_issues' })
  })
})

describe('the terms that are made with the classes', () => {
  const day = (text: string) => `${starts - (text < '08' ? 0 : 1)}-${text}`
  const term = (name: string, from: string, to: string) => ({
    name,
    startDate: day(from),
    endDate: day(to),
    examWeight: 60,
    courseworkWeight: 40,
  })
  const take = (body: object, dryRun: 'true' | 'false' = 'false') =>
    st.as.okafor.academicYears.rollOver.raw({ params: { id: year }, query: { dryRun }, body: { classes: [], ...body } as never })
  const namesOf = async () => (await st.as.niamh.terms.list({ query: { yearId: year } })).map(({ name }) => name)

  test('are created in the same transaction; a dry run counts them and creates none', async () => {
    const terms = [term('hilary', '01-07', '03-26'), term('michaelmas', '09-01', '12-18')]
    const before = await st.digest()
    expect(await take({ classes: [as4B], terms }, 'true')).toMatchObject({ status: 200, body: { terms: 2, issues: [] } })
    expect(await st.digest()).toBe(before)
    expect(await take({ classes: [as4B], terms })).toMatchObject({ status: 200, body: { terms: 2, issues: [] } })
    expect(await namesOf()).toEqual(['michaelmas', 'hilary'])
    expect(await take({ terms: [term('trinity', '04-12', '06-30')] })).toMatchObject({ status: 200, body: { terms: 1, classes: [] } })
    expect(await namesOf()).toEqual(['michaelmas', 'hilary', 'trinity'])
  })

  test('are not created by default', async () => {
    expect(await take({ classes: [as4B] })).toMatchObject({ status: 200, body: { terms: 0 } })
    expect(await namesOf()).toEqual([])
  })

  test('an existing name, a day outside the year, or too many: neither terms nor classes are created', async () => {
    expect((await take({ terms: [term('Semester 1', '09-01', '12-18')] })).status).toBe(200)
    const six = Array.from({ length: 6 }, (_, at) => term(`T${at}`, '09-01', '12-18'))
    for (const [terms, path] of [
      [[term('SEMESTER 1', '01-07', '03-26')], 'terms.0.name'],
      [[term('hilary', '01-07', '03-26'), term('trinity', '04-12', '07-01')], 'terms.1.endDate'],
      [six, 'terms'],
    ] as const) {
      const body = { classes: [as4B], terms }
      expect(await take(body, 'true')).toMatchObject({ status: 200, body: { issues: [{ path }] } })
      expect(await refused(st, () => take(body))).toEqual({ status: 409, code: 'academic_years.roll_over_issues' })
    }
    expect(await namesOf()).toEqual(['Semester 1'])
  })

  test('400 for a term that does not fit by itself, and for a name twice', async () => {
    for (const terms of [
      [{ ...term('hilary', '01-07', '03-26'), examWeight: 50 }],
      [term('hilary', '01-07', '03-26'), term('Hilary', '04-12', '06-30')],
    ])
      expect(await refused(st, () => take({ classes: [as4B], terms }))).toMatchObject({ status: 400, code: 'validation_failed' })
  })
})
