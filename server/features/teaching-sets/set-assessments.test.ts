import { naturalId } from '@markbook/shared/ids'
import { elan, englishEssay, fatima, mei, oisin, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, english, maths, michaelmas, science, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'
import { csv } from '../imports/sheets.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const paper = { termId: michaelmas.id, subjectId: english.id, title: 'Set paper', assessmentType: 'coursework' as const, maxScore: 50 }
const setOf = (name: string, teachers: readonly { id: string }[], students: readonly { id: string }[], subjectId = english.id) =>
  st.as.okafor.teachingSets.create({
    body: {
      academicYearId: thisYear.id,
      subjectId,
      name,
      teacherIds: teachers.map(({ id }) => id),
      studentIds: students.map(({ id }) => id),
    },
  })
/** Ada, who teaches no English in any class, teaches it to Fatima of 3A and Mei of 3B. */
const upper = () => setOf('English upper', [people.ada], [mei, fatima])
const giveTo = (set: { id: string }, more: object = {}, who: 'ada' | 'okafor' = 'ada') =>
  st.as[who].assessments.create({ body: { ...paper, teachingSetId: set.id, ...more } })
const marksOf = (assessment: { id: string }, ...students: { id: string }[]) => ({
  body: { assessmentId: assessment.id, grades: students.map(({ id }) => ({ studentId: id, score: 40 })) },
})

describe('an assessment of a teaching set', () => {
  test('is created by teachers of the set and administrators, and is listed with the set and its students', async () => {
    const set = await upper()
    const made = await giveTo(set)
    expect(made).toMatchObject({ teaching_set_id: set.id, student_group_id: null })
    expect((await giveTo(set, { title: 'Head’s' }, 'okafor')).teaching_set_id).toBe(set.id)
    const scope = { termId: michaelmas.id, subjectId: english.id }
    const listed = await st.as.byrne.assessments.list({ query: scope })
    expect(listed.find(({ id }) => id === made.id)?.teaching_set).toEqual({
      id: set.id,
      name: 'English upper',
      student_ids: [mei.id, fatima.id].sort(),
    })
    expect(listed.find(({ id }) => id === englishEssay.id)).toMatchObject({ teaching_set_id: null })
    expect(listed.find(({ id }) => id === englishEssay.id)).not.toHaveProperty('teaching_set')
  })

  test.each(['byrne', 'quinn'] as const)(
    'is not made, changed, left out or deleted by %s, who teaches the subject in a class alone',
    async (who) => {
      const set = await upper()
      const { id } = await giveTo(set)
      const params = { id }
      for (const request of [
        () => st.as[who].assessments.create.raw({ body: { ...paper, teachingSetId: set.id } }),
        () => st.as[who].assessments.update.raw({ params, body: { title: 'x' } }),
        () => st.as[who].assessments.update.raw({ params, body: { teachingSetId: null } }),
        () => st.as[who].assessments.update.raw({ params: { id: englishEssay.id }, body: { teachingSetId: set.id } }),
        () => st.as[who].assessments.exclude.raw({ params, body: { isExcluded: true } }),
        () => st.as[who].assessments.remove.raw({ params }),
      ])
        expect(await refused(st, request)).toEqual({ status: 403, code: 'assessments.not_your_subject' })
      expect(await st.as.ada.assessments.update({ params, body: { title: 'Paper 2', weight: 2 } })).toMatchObject({ title: 'Paper 2' })
      await st.as.ada.assessments.exclude({ params, body: { isExcluded: true } })
      await st.as.ada.assessments.remove({ params })
    },
  )

  test('cannot be written by a teacher of another set of the subject', async () => {
    const set = await upper()
    await setOf('English lower', [people.quinn], [zoe])
    const request = () => st.as.quinn.assessments.create.raw({ body: { ...paper, teachingSetId: set.id } })
    expect(await refused(st, request)).toMatchObject({ status: 403 })
  })

  test('must have the subject and year of the set, of this school, and no class', async () => {
    const set = await upper()
    const create = (more: object) => () => st.as.okafor.assessments.create.raw({ body: { ...paper, teachingSetId: set.id, ...more } })
    expect(await refused(st, create({ subjectId: maths.id }))).toEqual({ status: 400, code: 'assessments.other_set' })
    const lastTerm = (await st.rows('term')).find(
      (term) => term.academic_year_id !== thisYear.id && term.school_id === michaelmas.school_id,
    )
    expect(await refused(st, create({ termId: lastTerm?.id }))).toEqual({ status: 400, code: 'assessments.other_set' })
    expect(await refused(st, create({ studentGroupId: class3B.id }))).toEqual({ status: 400, code: 'assessments.class_and_set' })
    expect(await refused(st, create({ teachingSetId: '00000000-0000-7000-8000-999999999999' }))).toMatchObject({ status: 404 })
    expect((await st.as.marker.assessments.update.raw({ params: { id: englishEssay.id }, body: { teachingSetId: set.id } })).status).toBe(
      404,
    )
    const other = await setOf('Maths A', [people.ada], [mei], maths.id)
    const move = () => st.as.okafor.assessments.update.raw({ params: { id: englishEssay.id }, body: { teachingSetId: other.id } })
    expect(await refused(st, move)).toEqual({ status: 400, code: 'assessments.other_set' })
  })

  test('moves: a class takes the place of the set, and a set that of a class; not away from pupils with a mark', async () => {
    const set = await upper()
    const { id } = await giveTo(set)
    const change = (body: object) => st.as.okafor.assessments.update({ params: { id }, body })
    // The request of a client without sets.
    expect(await change({ studentGroupId: null, title: 'Renamed' })).toMatchObject({ teaching_set_id: set.id, title: 'Renamed' })
    expect(await change({ studentGroupId: class3A.id })).toMatchObject({ student_group_id: class3A.id, teaching_set_id: null })
    expect(await change({ teachingSetId: set.id })).toMatchObject({ student_group_id: null, teaching_set_id: set.id })
    await st.as.ada.grades.bulk(marksOf({ id }, mei))
    const lower = await setOf('English lower', [], [zoe])
    const move = (teachingSetId: string) => () => st.as.okafor.assessments.update.raw({ params: { id }, body: { teachingSetId } })
    expect(await refused(st, move(lower.id))).toEqual({ status: 409, code: 'assessments.grades_outside_set' })
    expect(await refused(st, () => st.as.okafor.assessments.update.raw({ params: { id }, body: { studentGroupId: class3A.id } }))).toEqual({
      status: 409,
      code: 'assessments.grades_outside_class',
    })
    await st.as.okafor.teachingSets.setStudents({ params: { id: lower.id }, body: { studentIds: [mei.id, zoe.id] } })
    expect((await move(lower.id)()).status).toBe(200)
    expect(await change({ teachingSetId: null })).toMatchObject({ teaching_set_id: null })
    const undo = async () => {
      const [entry] = await st.as.okafor.history.list({ query: { entity: 'assessment', id } })
      await st.as.okafor.history.undo({ params: { id: entry?.id ?? '' } })
    }
    await undo()
    expect(await st.as.okafor.assessments.get({ params: { id } })).toMatchObject({ teaching_set_id: lower.id })
  })
})

describe('its marks', () => {
  test('are only for the set’s students; one who has left keeps theirs, which may be changed', async () => {
    const set = await upper()
    const made = await giveTo(set)
    await st.as.ada.grades.bulk(marksOf(made, mei, fatima))
    const outsider = () => st.as.okafor.grades.bulk.raw(marksOf(made, mei, zoe))
    expect(await refused(st, outsider)).toEqual({ status: 400, code: 'grades.outside_set' })
    const alone = () => st.as.okafor.grades.create.raw({ body: { assessmentId: made.id, studentId: oisin.id, score: 1 } })
    expect(await refused(st, alone)).toEqual({ status: 400, code: 'grades.outside_set' })
    await st.as.okafor.teachingSets.setStudents({ params: { id: set.id }, body: { studentIds: [fatima.id] } })
    const again = { assessmentId: made.id, grades: [{ studentId: mei.id, score: 41 }] }
    expect((await st.as.byrne.grades.bulk.raw({ body: again })).status).toBe(200)
    expect((await refused(st, () => st.as.ada.grades.bulk.raw({ body: again }))).status).toBe(403)
    // The mark of a pupil who left does not make the assessment shared.
    expect((await st.as.ada.assessments.update.raw({ params: { id: made.id }, body: { weight: 3 } })).status).toBe(200)
  })

  test('count in the results of each class as those of every other assessment', async () => {
    const set = await upper()
    const made = await giveTo(set, { weight: 2 })
    const composite = async (group: { id: string }, student: { id: string }, subject = english) =>
      (await st.as.okafor.calculations.classTerm({ query: { studentGroupId: group.id, termId: michaelmas.id } })).students
        .find(({ student_id }) => student_id === student.id)
        ?.subjects.find(({ subject_id }) => subject_id === subject.id)?.coursework_average
    const everybody = await giveTo(set, { teachingSetId: undefined, weight: 2 }, 'okafor')
    await st.as.okafor.grades.bulk(marksOf(everybody, mei))
    const ofEvery = await composite(class3B, mei)
    await st.as.okafor.assessments.remove({ params: { id: everybody.id } })
    const before = await composite(class3B, zoe)
    await st.as.ada.grades.bulk(marksOf(made, mei, fatima))
    expect(await composite(class3B, mei)).toBe(ofEvery)
    expect(await composite(class3B, zoe)).toBe(before)
    expect(await composite(class3A, fatima)).toBe(80)
    const explained = await st.as.ada.calculations.explain({
      query: { studentId: mei.id, termId: michaelmas.id, subjectId: english.id },
    })
    expect(explained.marks.map(({ assessment_id }) => assessment_id)).toContain(made.id)
  })

  test('give a subject without other assessments only to the set’s students', async () => {
    const set = await setOf('Science upper', [people.ada], [mei], science.id)
    const { id } = await giveTo(set, { subjectId: science.id })
    const takers = async () => {
      const query = { studentGroupId: class3B.id, termId: michaelmas.id }
      const { students } = await st.as.okafor.calculations.classTerm({ query })
      const year = await st.as.okafor.calculations.classYear({ query: { studentGroupId: class3B.id, academicYearId: thisYear.id } })
      const inYear = year.students.filter(({ subjects }) => subjects.some(({ subject_id }) => subject_id === science.id)).length
      const found = students.filter(({ subjects }) => subjects.some(({ subject_id }) => subject_id === science.id))
      return [found.map(({ student_id }) => student_id), inYear > 0]
    }
    expect((await takers())[0]).toEqual([mei.id])
    await st.as.ada.grades.bulk(marksOf({ id }, mei))
    await st.as.okafor.teachingSets.setStudents({ params: { id: set.id }, body: { studentIds: [] } })
    expect((await takers())[0]).toEqual([mei.id])
  })
})

describe('expected marks', () => {
  const missing = async (group: { id: string }) => {
    const found = await st.as.okafor.calculations.missingMarks({ query: { studentGroupId: group.id, termId: michaelmas.id } })
    return new Map(found.map(({ assessment_id, students }) => [assessment_id, students.map(({ id }) => id)]))
  }
  const progress = async (group: { id: string }) => {
    const rows = await st.as.okafor.classes.progress({ query: { termId: michaelmas.id } })
    const { assessments, expected, recorded } = rows.find((row) => row.class.id === group.id && row.subject.id === english.id) ?? {}
    return [assessments, expected, recorded] as number[]
  }

  test('are those of the set’s students: in missing-marks, the figures of classes and sets, and the overview', async () => {
    const set = await setOf('English upper', [people.ada], [mei, elan])
    const [was3A, was3B] = [await progress(class3A), await progress(class3B)]
    const [ownBefore] = await st.as.ada.teachingSets.progress({ query: { termId: michaelmas.id } })
    const made = await giveTo(set)
    expect((await missing(class3B)).get(made.id)).toEqual([mei.id, elan.id])
    expect((await missing(class3A)).has(made.id)).toBe(false)
    expect(await progress(class3A)).toEqual(was3A)
    const [assessments = 0, expected = 0, recorded = 0] = was3B
    expect(await progress(class3B)).toEqual([assessments + 1, expected + 2, recorded])
    const [own] = await st.as.ada.teachingSets.progress({ query: { termId: michaelmas.id } })
    expect(own?.expected).toBe((ownBefore?.expected ?? 0) + 2)
    await st.as.ada.grades.bulk(marksOf(made, mei))
    expect((await missing(class3B)).get(made.id)).toEqual([elan.id])
    expect(await progress(class3B)).toEqual([assessments + 1, expected + 2, recorded + 1])
    const board = await st.as.okafor.overview.read({ query: { termId: michaelmas.id, reportType: 'term' } })
    const onBoard = board.find((row) => row.class.id === class3B.id)?.subjects.find(({ subject }) => subject.id === english.id)
    expect([onBoard?.expected, onBoard?.recorded]).toEqual([expected + 2, recorded + 1])
    // The mark of the pupil who left stays, but is neither expected nor counted as recorded.
    await st.as.okafor.teachingSets.setStudents({ params: { id: set.id }, body: { studentIds: [elan.id] } })
    expect(await progress(class3B)).toEqual([assessments + 1, expected + 1, recorded])
    const [after] = await st.as.ada.teachingSets.progress({ query: { termId: michaelmas.id } })
    const another = await setOf('English lower', [people.ada], [mei])
    const listed = await st.as.ada.teachingSets.progress({ query: { termId: michaelmas.id } })
    expect(listed.find(({ teaching_set }) => teaching_set.id === another.id)?.expected).toBe((after?.expected ?? 0) - 1)
  })

  test('a class has it where one of its pupils is in the set or has a mark, and a set likewise', async () => {
    const set = await setOf('English upper', [people.ada], [mei])
    const made = await giveTo(set)
    const sees = async (of: { studentGroupId?: string; teachingSetId?: string }) =>
      (await st.as.okafor.assessments.list({ query: { termId: michaelmas.id, subjectId: english.id, ...of } })).some(
        ({ id }) => id === made.id,
      )
    expect([await sees({ studentGroupId: class3B.id }), await sees({ studentGroupId: class3A.id })]).toEqual([true, false])
    const lower = await setOf('English lower', [people.quinn], [zoe])
    const ofClass = await st.as.quinn.assessments.create({ body: { ...paper, title: 'Of 3A', studentGroupId: class3A.id } })
    expect([await sees({ teachingSetId: set.id }), await sees({ teachingSetId: lower.id })]).toEqual([true, false])
    const inLower = await st.as.okafor.assessments.list({
      query: { termId: michaelmas.id, subjectId: english.id, teachingSetId: lower.id },
    })
    expect(inLower.map(({ id }) => id)).toContain(englishEssay.id)
    expect(inLower.map(({ id }) => id)).not.toContain(ofClass.id)
    await st.as.ada.grades.bulk(marksOf(made, mei))
    for (const [one, students] of [
      [set, []],
      [lower, [zoe.id, mei.id]],
    ] as const)
      await st.as.okafor.teachingSets.setStudents({ params: { id: one.id }, body: { studentIds: [...students] } })
    expect([await sees({ studentGroupId: class3B.id }), await sees({ teachingSetId: lower.id })]).toEqual([true, true])
  })

  test('a sheet of marks of the class accepts no mark in it for a pupil outside the set', async () => {
    const set = await setOf('English upper', [people.ada], [mei])
    const made = await giveTo(set)
    const query = { studentGroupId: class3B.id, termId: michaelmas.id, subjectId: english.id }
    const importing = (name: string) => () =>
      st.as.byrne.imports.grades.raw({ query, body: csv('Last name,First name,Set paper', `${name},30`) })
    const { status, body } = await importing(`${zoe.last_name},${zoe.first_name}`)()
    expect([status, body]).toMatchObject([
      200,
      { id: null, errors: 1, rows: [{ row: 2, issues: [{ code: 'not_for_pupil', path: 'Set paper' }] }] },
    ])
    expect((await st.rows('grade')).some(({ assessment_id }) => assessment_id === made.id)).toBe(false)
    expect((await importing(`${mei.last_name},${mei.first_name}`)()).body).toMatchObject({ created: 1, errors: 0 })
    expect((await st.rows('grade')).find(({ id }) => id === naturalId('grade', made.id, mei.id))?.score).toBe(30)
    // Of the assessment alone: the pupils of the set, and nobody else.
    const alone = (name: string) =>
      st.as.ada.imports.grades({ query: { assessmentId: made.id }, body: csv('Last name,First name,score', `${name},31`) })
    expect(await alone(`${mei.last_name},${mei.first_name}`)).toMatchObject({ updated: 1, errors: 0 })
    expect(await alone(`${zoe.last_name},${zoe.first_name}`)).toMatchObject({ created: 0, errors: 1 })
  })
})

describe('a set that is deleted', () => {
  test('is refused while its assessments have marks; without, they are deleted and restored with it', async () => {
    const set = await upper()
    const made = await giveTo(set)
    await st.as.ada.grades.bulk(marksOf(made, mei))
    const remove = () => st.as.okafor.teachingSets.remove.raw({ params: { id: set.id } })
    expect(await refused(st, remove)).toEqual({ status: 409, code: 'teaching_sets.has_marks' })
    const kept = await giveTo(set, { title: 'Empty' })
    await st.as.okafor.assessments.update({ params: { id: made.id }, body: { teachingSetId: null } })
    const before = (await st.rows('assessment')).find(({ id }) => id === kept.id)
    expect((await remove()).status).toBe(200)
    expect((await st.rows('assessment')).some(({ id }) => id === kept.id)).toBe(false)
    expect((await st.rows('grade')).some(({ assessment_id }) => assessment_id === made.id)).toBe(true)
    const listed = await st.as.okafor.bin.list()
    expect(listed.map(({ entity, row_id, assessments }) => [entity, row_id, assessments])).toEqual([['teaching_set', set.id, 1]])
    await st.as.okafor.bin.restore({ params: { id: listed[0]?.id ?? '' } })
    const { updated_at: _, ...restored } = (await st.rows('assessment')).find(({ id }) => id === kept.id) ?? ({} as never)
    expect(before).toMatchObject(restored)
    expect(await st.as.ada.assessments.update({ params: { id: kept.id }, body: { title: 'Again' } })).toMatchObject({ title: 'Again' })
  })

  test('in the moment in which a mark is entered: one of both is refused, and no mark is lost', async () => {
    for (let round = 0; round < 5; round += 1) {
      const set = await setOf(`Set ${round}`, [people.ada], [mei])
      const made = await giveTo(set)
      const [mark, removal] = await Promise.all([
        st.as.ada.grades.bulk.raw(marksOf(made, mei)),
        st.as.okafor.teachingSets.remove.raw({ params: { id: set.id } }),
      ])
      const isThere = (await st.rows('grade')).some(({ assessment_id }) => assessment_id === made.id)
      expect(`${mark.status} ${removal.status} ${isThere}`).toMatch(/^(200 409 true|40[34] 200 false)$/)
    }
  })

  test('an assessment with its marks is restored to its set, and not while that is deleted', async () => {
    const set = await upper()
    const made = await giveTo(set)
    await st.as.ada.grades.bulk(marksOf(made, mei, fatima))
    await st.as.ada.assessments.remove({ params: { id: made.id } })
    await st.as.okafor.teachingSets.remove({ params: { id: set.id } })
    const itemOf = async (entity: string) => (await st.as.okafor.bin.list()).find((item) => item.entity === entity)?.id ?? ''
    const early = await st.as.okafor.bin.restore.raw({ params: { id: await itemOf('assessment') } })
    expect(early).toMatchObject({ status: 409, body: { issues: [{ code: 'missing_teaching_set', values: { name: 'English upper' } }] } })
    await st.as.okafor.bin.restore({ params: { id: await itemOf('teaching_set') } })
    expect((await st.as.ada.bin.restore.raw({ params: { id: await itemOf('assessment') } })).status).toBe(200)
    expect((await st.rows('grade')).filter(({ assessment_id }) => assessment_id === made.id)).toHaveLength(2)
  })
})

test('rolling over copies the set, and none of its assessments', async () => {
  const set = await upper()
  await giveTo(set)
  const next = await st.as.okafor.academicYears.create({
    body: { name: 'Next', gradingModel: 'term_based', startDate: '2030-09-01', endDate: '2031-06-30' },
  })
  const before = (await st.rows('assessment')).length
  await st.as.okafor.academicYears.rollOver({
    params: { id: next.id },
    query: { dryRun: 'false' },
    body: { classes: [{ fromClassId: class3B.id, name: '4B' }], setsFromYearId: thisYear.id },
  })
  expect((await st.rows('teaching_set')).filter(({ name }) => name === 'English upper')).toHaveLength(2)
  expect((await st.rows('assessment')).length).toBe(before)
})
