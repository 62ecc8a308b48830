import type { Explanation } from '@markbook/shared/contract/calculations'
import { defaultGradingScale } from '@markbook/shared/domain/letters'
import { whatIf } from '@markbook/shared/domain/what-if'
import { naturalId } from '@markbook/shared/ids'
import {
  englishEssay,
  englishExam,
  fatima,
  hilltopPupil,
  irishOral,
  mathsHomework,
  mei,
  oisin,
  wanderer,
  zoe,
} from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, english, irish, lastYear, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const ofYear = { academicYearId: thisYear.id, subjectId: english.id }
const make = (name = 'English upper', more: object = {}) => st.as.okafor.teachingSets.create({ body: { ...ofYear, name, ...more } })
const fill = (set: { id: string }, ...students: { id: string }[]) =>
  st.as.okafor.teachingSets.setStudents({ params: { id: set.id }, body: { studentIds: students.map(({ id }) => id) } })
const give = (set: { id: string }, ...teachers: { id: string }[]) =>
  st.as.okafor.teachingSets.setTeachers({ params: { id: set.id }, body: { teacherIds: teachers.map(({ id }) => id) } })

/** Ada, who teaches no English in any class, teaches it to Fatima of 3A and Mei of 3B. */
async function upper() {
  const set = await make()
  await give(set, people.ada)
  await fill(set, mei, fatima)
  return set
}

describe('a set', () => {
  test('is made by an administrator, and listed with subject, teachers and number of students', async () => {
    const set = await upper()
    await make('Maths A', { subjectId: maths.id })
    expect(await st.as.okafor.teachingSets.list({ query: { academicYearId: thisYear.id } })).toMatchObject([
      { name: 'Maths A', teachers: [], students: 0, is_own: false },
      { id: set.id, name: 'English upper', subject: { code: 'EN' }, teachers: [{ id: people.ada.id }], students: 2, is_own: false },
    ])
    expect(await st.as.okafor.teachingSets.list({ query: { academicYearId: lastYear.id } })).toEqual([])
    expect((await st.as.ada.teachingSets.list({ query: { academicYearId: thisYear.id } })).map(({ id, is_own }) => [id, is_own])).toEqual([
      [set.id, true],
    ])
    expect(await st.as.byrne.teachingSets.list({ query: { academicYearId: thisYear.id } })).toEqual([])
  })

  test('is made with its teachers and pupils by one request, and changed by one', async () => {
    const set = await make('English upper', { teacherIds: [people.ada.id], studentIds: [mei.id, fatima.id] })
    expect(set).toMatchObject({ teachers: [{ id: people.ada.id }], students: 2 })
    const change = (body: object) => st.as.okafor.teachingSets.update({ params: { id: set.id }, body })
    const { name, ...others } = await change({ name: 'English top', teacherIds: [people.quinn.id], studentIds: [zoe.id] })
    expect([name, others]).toMatchObject(['English top', { teachers: [{ id: people.quinn.id }], students: 1 }])
    expect(await change({ name: 'English upper' })).toMatchObject({ teachers: [{ id: people.quinn.id }], students: 1 })
    expect(await change({ teacherIds: [] })).toMatchObject({ name: 'English upper', teachers: [], students: 1 })
    expect((await st.rows('teaching_set_member')).map(({ id }) => id)).toEqual([naturalId('teaching_set_member', set.id, zoe.id)])
  })

  test('is not made or changed in part: where a teacher or a pupil is refused, all of it is', async () => {
    const set = await upper()
    const nobody = { teacherIds: [people.ada.id, people.doyle.id] }
    const teaches = { teacherIds: [people.quinn.id] }
    const create = (more: object) => () => st.as.okafor.teachingSets.create.raw({ body: { ...ofYear, name: 'English lower', ...more } })
    const update = (more: object) => () =>
      st.as.okafor.teachingSets.update.raw({ params: { id: set.id }, body: { name: 'English top', ...more } })
    for (const request of [create, update]) {
      expect(await refused(st, request(nobody))).toMatchObject({ status: 404 })
      expect(await refused(st, request({ ...teaches, studentIds: [hilltopPupil.id] }))).toMatchObject({ status: 404 })
      expect(await refused(st, request({ ...teaches, studentIds: [zoe.id, wanderer.id] }))).toEqual({
        status: 400,
        code: 'teaching_sets.in_no_class',
      })
    }
  })

  test('its pupils are listed by class and name; the ids are computed from set and pupil', async () => {
    const set = await upper()
    await fill(set, zoe, mei, fatima)
    expect((await st.as.ada.teachingSets.students({ params: set })).map(({ first_name, class: of }) => [first_name, of?.name])).toEqual([
      ['Fatima', '3A'],
      ['Zoë', '3B'],
      ['Mei', '3B'],
    ])
    const ids = (await st.rows('teaching_set_member')).map(({ id }) => id)
    expect(ids.sort()).toEqual([zoe, mei, fatima].map(({ id }) => naturalId('teaching_set_member', set.id, id)).sort())
    expect((await st.rows('teaching_set_teacher')).map(({ id }) => id)).toEqual([naturalId('teaching_set_teacher', set.id, people.ada.id)])
  })

  test('the same again writes nothing; omitted people are removed', async () => {
    const set = await upper()
    const before = await st.digest()
    await fill(set, fatima, mei)
    await give(set, people.ada)
    await st.as.okafor.teachingSets.update({ params: set, body: { name: 'English upper' } })
    expect(await st.digest()).toBe(before)
    await fill(set, fatima)
    await give(set)
    expect((await st.rows('teaching_set_member')).map(({ student_id }) => student_id)).toEqual([fatima.id])
    expect(await st.rows('teaching_set_teacher')).toEqual([])
  })

  test('409 for a name that the subject has in the year; another subject may have it', async () => {
    const set = await make()
    expect(await refused(st, () => st.as.okafor.teachingSets.create.raw({ body: { ...ofYear, name: 'English upper' } }))).toEqual({
      status: 409,
      code: 'teaching_sets.duplicate_name',
    })
    await make('English upper', { subjectId: maths.id })
    const lower = await make('English lower')
    const rename = (name: string) => st.as.okafor.teachingSets.update.raw({ params: { id: lower.id }, body: { name } })
    expect(await refused(st, () => rename('English upper'))).toMatchObject({ status: 409 })
    expect((await rename('English second')).body).toMatchObject({ name: 'English second' })
    expect(set.name).toBe('English upper')
  })

  test('400 for a pupil without a class of the year, 404 for another school’s pupil, and nothing is written', async () => {
    const set = await upper()
    const put = (studentIds: string[]) => () => st.as.okafor.teachingSets.setStudents.raw({ params: { id: set.id }, body: { studentIds } })
    expect(await refused(st, put([mei.id, wanderer.id]))).toEqual({ status: 400, code: 'teaching_sets.in_no_class' })
    expect((await put([mei.id, wanderer.id])()).body).toMatchObject({ issues: [{ path: 'studentIds.1' }] })
    expect(await refused(st, put([hilltopPupil.id]))).toMatchObject({ status: 404 })
  })

  test('404 for a teacher who is none of the school, or suspended', async () => {
    const set = await make()
    for (const { id } of [people.markerTeacher, people.niamh, people.doyle]) {
      const attempt = () => st.as.okafor.teachingSets.setTeachers.raw({ params: { id: set.id }, body: { teacherIds: [people.ada.id, id] } })
      expect(await refused(st, attempt)).toMatchObject({ status: 404 })
    }
  })

  test('is deleted with its teachers and pupils; marks stay. Deleting a subject, a pupil or a membership deletes its rows', async () => {
    const set = await upper()
    const marks = (await st.rows('grade')).length
    await st.as.okafor.schools.removeMember({ params: { userId: people.ada.id } })
    expect(await st.rows('teaching_set_teacher')).toEqual([])
    await st.as.okafor.teachingSets.remove({ params: set })
    expect([await st.rows('teaching_set'), await st.rows('teaching_set_member')]).toEqual([[], []])
    expect(await st.rows('grade')).toHaveLength(marks)
    const music = await st.as.okafor.subjects.create({ body: { name: 'Music', code: 'MU' } })
    await make('Choir', { subjectId: music.id })
    const fresh = await st.as.okafor.students.create({ body: { firstName: 'Nora', lastName: 'New', gender: 'female' } })
    await st.as.okafor.classes.enroll({ params: { id: class3A.id }, body: { studentId: fresh.id } })
    await fill(await make(), fresh)
    await st.as.okafor.students.remove({ params: fresh })
    expect(await st.rows('teaching_set_member')).toEqual([])
    await st.as.okafor.subjects.remove({ params: music })
    expect((await st.rows('teaching_set')).map(({ name }) => name)).toEqual(['English upper'])
  })

  test('a year is deleted with its sets', async () => {
    const span = { startDate: '2026-09-01', endDate: '2027-06-30' }
    const next = await st.as.okafor.academicYears.create({ body: { name: 'Next', gradingModel: 'term_based', ...span } })
    await make('English upper', { academicYearId: next.id })
    await st.as.okafor.academicYears.remove({ params: next })
    expect(await st.rows('teaching_set')).toEqual([])
  })
})

describe('a teacher of a set', () => {
  const write = (assessment: { id: string }, ...students: { id: string }[]) =>
    st.as.ada.grades.bulk.raw({ body: { assessmentId: assessment.id, grades: students.map(({ id }) => ({ studentId: id, score: 31 })) } })

  test('writes the marks of its pupils in its subject, and of nobody else and in no other subject', async () => {
    expect(await refused(st, () => write(englishEssay, mei))).toMatchObject({ status: 403 })
    await upper()
    expect((await write(englishEssay, mei, fatima)).status).toBe(200)
    const before = await st.digest()
    const { status, body } = await write(englishEssay, mei, zoe)
    expect([status, body]).toMatchObject([403, { code: 'grades.not_your_subject', issues: [{ path: 'grades.1.studentId' }] }])
    expect((await write(irishOral, mei)).status).toBe(403)
    expect(await st.digest()).toBe(before)
  })

  test('only in the year of the set, while they teach it, and while the pupil is in it', async () => {
    const set = await upper()
    await fill(set, mei)
    expect((await write(englishEssay, fatima)).status).toBe(403)
    await give(set, people.quinn)
    expect((await write(englishEssay, mei)).status).toBe(403)
    await st.as.okafor.teachingSets.remove({ params: set })
    const other = await make('English upper', { academicYearId: lastYear.id })
    await give(other, people.ada)
    expect((await write(englishEssay, mei)).status).toBe(403)
  })

  test('not as a member, and not for a pupil who left every class', async () => {
    await upper()
    await st.as.okafor.classes.unenroll({ params: { id: class3B.id, studentId: mei.id } })
    expect((await write(englishEssay, mei)).status).toBe(403)
    expect((await write(englishEssay, fatima)).status).toBe(200)
    await st.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
    expect((await write(englishEssay, fatima)).status).toBe(403)
  })

  test('changes and deletes a mark, and undoes it', async () => {
    await upper()
    const [grade] = (await write(englishEssay, mei)).body as { id: string }[]
    const params = { id: grade?.id ?? '' }
    expect(await st.as.ada.grades.update({ params, body: { score: 40 } })).toMatchObject({ score: 40 })
    const [change] = await st.as.ada.history.list({ query: { entity: 'grade', id: params.id } })
    await st.as.ada.history.undo({ params: { id: change?.id ?? '' } })
    await st.as.ada.grades.remove({ params, query: {} })
    expect((await st.rows('grade')).some(({ id }) => id === params.id)).toBe(false)
  })

  test('makes assessments of every class in its subject, none of one class; and changes how they count while only its pupils have marks', async () => {
    const body = { termId: michaelmas.id, subjectId: english.id, title: 'Set test', assessmentType: 'coursework' } as const
    const create = (more: object) => st.as.ada.assessments.create.raw({ body: { ...body, ...more } })
    expect(await refused(st, () => create({}))).toMatchObject({ status: 403 })
    await upper()
    expect(await refused(st, () => create({ studentGroupId: class3A.id }))).toMatchObject({ status: 403 })
    expect(await refused(st, () => create({ subjectId: irish.id }))).toMatchObject({ status: 403 })
    const made = (await create({})).body as { id: string }
    await write(made, mei, fatima)
    const change = (weight: number) => st.as.ada.assessments.update.raw({ params: made, body: { weight } })
    expect((await change(2)).status).toBe(200)
    await st.as.quinn.grades.create({ body: { assessmentId: made.id, studentId: oisin.id, score: 20 } })
    expect(await refused(st, () => change(3))).toEqual({ status: 403, code: 'assessments.shared' })
    expect((await change(3)).body).toMatchObject({ issues: [{ values: { classes: '3A' } }] })
  })

  test('sees the progress of its marks; a mark that is still to come is not recorded', async () => {
    const set = await upper()
    const progress = async (who: 'ada' | 'okafor' | 'byrne') =>
      (await st.as[who].teachingSets.progress({ query: { termId: michaelmas.id } })).map(({ teaching_set, recorded, expected, is_own }) => [
        teaching_set.id,
        `${recorded}/${expected}`,
        is_own,
      ])
    const given = (await st.rows('grade')).filter(
      ({ student_id, assessment_id }) =>
        [mei.id, fatima.id].includes(student_id) && [englishEssay.id, englishExam.id].includes(assessment_id),
    ).length
    expect(await progress('ada')).toEqual([[set.id, `${given}/4`, true]])
    expect(await progress('byrne')).toEqual([])
    const own = {
      termId: michaelmas.id,
      subjectId: english.id,
      title: 'Of 3A',
      assessmentType: 'coursework',
      studentGroupId: class3A.id,
    } as const
    const { id } = await st.as.quinn.assessments.create({ body: own })
    await write({ id }, fatima)
    expect(await progress('okafor')).toEqual([[set.id, `${given + 1}/5`, false]])
    const put = (status: string) => st.as.quinn.grades.bulk({ body: { assessmentId: id, grades: [{ studentId: fatima.id, status }] } })
    await put('inc')
    expect(await progress('okafor')).toEqual([[set.id, `${given}/5`, false]])
    await put('abs')
    expect(await progress('okafor')).toEqual([[set.id, `${given + 1}/5`, false]])
    expect((await write({ id }, mei)).status).toBe(400)
    expect(mathsHomework.student_group_id).toBe(class3B.id)
  })

  test('sees its results, which are those of the pupils’ classes, and only the explanation of its subject', async () => {
    const set = await upper()
    await write(englishEssay, fatima)
    const query = { teachingSetId: set.id, termId: michaelmas.id }
    const results = await st.as.ada.calculations.setTerm({ query })
    const ofClass = async (studentGroupId: string, student: string) =>
      (await st.as.okafor.calculations.classTerm({ query: { studentGroupId, termId: michaelmas.id } })).students
        .find(({ student_id }) => student_id === student)
        ?.subjects.find(({ subject_id }) => subject_id === english.id)
    expect(results.students.map(({ student_id, class: of, result }) => [student_id, of?.name, result])).toEqual([
      [fatima.id, '3A', await ofClass(class3A.id, fatima.id)],
      [mei.id, '3B', await ofClass(class3B.id, mei.id)],
    ])
    expect(results.students[0]?.result?.coursework_average).toBe(62)
    const explain = (student: { id: string }, subject: { id: string }) =>
      st.as.ada.calculations.explain.raw({ query: { studentId: student.id, subjectId: subject.id, termId: michaelmas.id } })
    expect((await explain(fatima, english)).status).toBe(200)
    const working = (await explain(fatima, english)).body as Explanation
    expect(working.steps.map(({ step }) => step)).toEqual(['coursework_average', 'exam_average', 'term_composite', 'letter_grade'])
    expect(JSON.stringify(working)).not.toContain(maths.id)
    expect(whatIf(working, { scale: defaultGradingScale, codes: [], categories: [] }, new Map())).toEqual(working)
    // In her own class she sees every subject.
    expect(JSON.stringify((await explain(mei, english)).body)).toContain(maths.id)
    expect((await explain(fatima, maths)).status).toBe(403)
    expect((await explain(oisin, english)).status).toBe(403)
    const wrongYear = await st.as.okafor.calculations.setTerm.raw({
      query: { ...query, termId: (await st.rows('term')).find(({ academic_year_id }) => academic_year_id === lastYear.id)?.id ?? '' },
    })
    expect(wrongYear.status).toBe(400)
  })
})

test('a change of a set’s name can be undone', async () => {
  const set = await make()
  await st.as.okafor.teachingSets.update({ params: set, body: { name: 'English A' } })
  const [change] = await st.as.okafor.history.list({ query: { entity: 'teaching_set', id: set.id } })
  await st.as.okafor.history.undo({ params: { id: change?.id ?? '' } })
  expect((await st.rows('teaching_set')).map(({ name }) => name)).toEqual(['English upper'])
})
