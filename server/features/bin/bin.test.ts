import { limits } from '@markbook/shared/limits'
import { elan, englishEssay, fatima, mathsHilary, mathsQuiz, oisin, wanderer, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import {
  class3A,
  class3B,
  english,
  hilary,
  lastYears2B,
  maths,
  michaelmas,
  science,
  thisYear,
  trinity,
} from '@markbook/shared/story/school-year'
import type { Replicated } from '@markbook/shared/tables/tables'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signedIn } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const only = async (who: 'okafor' | 'ada' | 'quinn' = 'okafor') => {
  const listed = await st.as[who].bin.list()
  expect(listed).toHaveLength(1)
  return listed[0] as (typeof listed)[number]
}
const binned = async (entity: string) => (await st.as.okafor.bin.list()).find((item) => item.entity === entity)?.id as string
const restore = (id: string, who: 'okafor' | 'ada' | 'quinn' | 'byrne' = 'okafor') => st.as[who].bin.restore.raw({ params: { id } })

const TABLES: readonly Replicated[] = [
  'student',
  'student_group',
  'subject',
  'term',
  'assessment',
  'grade',
  'enrolment',
  'student_subject',
  'teacher_group_assignment',
  'teacher_subject_assignment',
  'class_teacher',
  'report_book',
  'report_book_entry',
  'teaching_set',
  'teaching_set_member',
  'teaching_set_teacher',
]
/** All rows of these tables, without time and author of the last change. */
async function content() {
  const all: Record<string, unknown[]> = {}
  for (const table of TABLES) {
    const rows = (await st.rows(table)) as unknown as (Record<string, unknown> & { id: string })[]
    all[table] = rows.map(({ updated_at: _, updated_by: __, ...rest }) => rest).sort((a, b) => (a.id < b.id ? -1 : 1))
  }
  return all
}
const readResults = () => st.as.okafor.calculations.classTerm({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })

/** Gives 3A an own assessment with marks, report books with a remark, and a pupil with subjects. */
async function furnish3A() {
  const body = { termId: michaelmas.id, subjectId: english.id, title: 'Homework 3A', assessmentType: 'coursework' } as const
  const made = await st.as.quinn.assessments.create({ body: { ...body, studentGroupId: class3A.id } })
  const marks = [oisin, fatima].map(({ id: studentId }, at) => ({ studentId, score: 10 + at, remarks: 'Well read.' }))
  await st.as.quinn.grades.bulk({ body: { assessmentId: made.id, grades: marks } })
  const { reports } = await st.as.quinn.reports.generate({
    body: { studentGroupId: class3A.id, termId: michaelmas.id, reportType: 'term' },
  })
  await st.as.quinn.reports.update({ params: { id: reports[0]?.id as string }, body: { classTeacherRemark: 'A good start.' } })
  await st.as.quinn.classes.assignSubjects({
    params: { id: class3A.id },
    body: { studentId: oisin.id, subjectIds: [maths.id, english.id] },
  })
  return made
}

/** A set of a subject, English by default, that Ada and Quinn teach to pupils of two classes. */
async function makeSet(subject: { id: string } = english, name = 'English upper') {
  const set = await st.as.okafor.teachingSets.create({ body: { academicYearId: thisYear.id, subjectId: subject.id, name } })
  await st.as.okafor.teachingSets.setTeachers({ params: set, body: { teacherIds: [people.ada.id, people.quinn.id] } })
  await st.as.okafor.teachingSets.setStudents({ params: set, body: { studentIds: [fatima.id, oisin.id, zoe.id] } })
  return set
}

const ownTerm = { academicYearId: thisYear.id, startDate: '2026-04-14', endDate: '2026-06-20', examWeight: 60, courseworkWeight: 40 }
const room = { name: 'Drama', code: 'DR' }
const late = { firstName: 'Late', lastName: 'Comer', gender: 'other', studentNumber: 'SB-900' } as const

describe('what was deleted', () => {
  test('is listed with its name, actor, time, end of the period, and the rows deleted with it', async () => {
    st.clock.advance(5_000)
    await st.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
    const item = await only()
    expect(item).toMatchObject({
      entity: 'assessment',
      row_id: mathsQuiz.id,
      name: 'Quiz 1',
      deleted_at: '2026-01-12T08:00:05.000Z',
      restorable_until: '2026-02-11T08:00:05.000Z',
      actor: { id: people.okafor.id, first_name: 'Ngozi', last_name: 'Okafor' },
    })
    expect(item).toMatchObject({ marks: 8, assessments: 0, enrolments: 0, assignments: 0, report_books: 0 })
  })

  test('names its subject, class or set, term and year, also under their last names where they were deleted too', async () => {
    const body = { subjectId: english.id, termId: michaelmas.id, title: 'Test 1', assessmentType: 'coursework' } as const
    const subject = await st.as.okafor.subjects.create({ body: room })
    const play = await st.as.okafor.assessments.create({ body: { ...body, subjectId: subject.id } })
    const set = await makeSet()
    const ofSet = await st.as.okafor.assessments.create({ body: { ...body, teachingSetId: set.id } })
    const ofClass = await st.as.okafor.assessments.create({ body: { ...body, studentGroupId: class3A.id } })
    for (const { id } of [play, ofSet, ofClass]) await st.as.okafor.assessments.remove({ params: { id } })
    st.clock.advance(1_000)
    await st.as.okafor.subjects.update({ params: { id: subject.id }, body: { name: 'Theatre' } })
    await st.as.okafor.subjects.remove({ params: { id: subject.id } })
    await st.as.okafor.teachingSets.remove({ params: set })
    await st.as.quinn.classes.remove({ params: { classId: class3A.id } })
    const named = new Map((await st.as.okafor.bin.list()).map(({ row_id, belongs_to }) => [row_id, belongs_to]))
    const [term, year] = [
      { entity: 'term', id: michaelmas.id, name: 'michaelmas' },
      { entity: 'academic_year', id: thisYear.id, name: '2025/26' },
    ]
    const ofEnglish = { entity: 'subject', id: english.id, name: 'English' }
    expect(named.get(play.id)).toEqual([{ entity: 'subject', id: subject.id, name: 'Theatre' }, term])
    expect(named.get(ofClass.id)).toEqual([ofEnglish, { entity: 'student_group', id: class3A.id, name: '3A' }, term])
    expect(named.get(ofSet.id)).toEqual([ofEnglish, { entity: 'teaching_set', id: set.id, name: 'English upper' }, term])
    expect(named.get(set.id)).toEqual([ofEnglish, year])
    expect(named.get(class3A.id)).toEqual([year])
    expect(named.get(subject.id)).toEqual([])
  })

  test('newest first, with the pages and the count of a list', async () => {
    for (const name of ['one', 'two', 'three']) {
      st.clock.advance(1_000)
      const { id } = await st.as.okafor.students.create({ body: { ...late, lastName: name, studentNumber: null } })
      await st.as.okafor.students.remove({ params: { id } })
    }
    const page = await st.as.okafor.bin.list.raw({ query: { limit: 1, offset: 1 } })
    expect(page.headers.get('x-total-count')).toBe('3')
    expect(page.body).toMatchObject([{ name: 'Late two', entity: 'student' }])
  })

  test('is gone from the list after 30 days', async () => {
    await st.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
    const { id } = await only()
    st.clock.advance(limits.binRetentionMs)
    const okafor = await signedIn(st, 'okafor')
    expect(await okafor.bin.list()).toMatchObject([{ id }])
    st.clock.advance(1)
    expect(await okafor.bin.list()).toEqual([])
    expect(await refused(st, () => okafor.bin.restore.raw({ params: { id } }))).toEqual({ status: 409, code: 'bin.gone' })
  })

  test('a teacher sees the assessments that they deleted, an administrator everything, a member nothing', async () => {
    await st.as.ada.assessments.remove({ params: { id: mathsHilary.id } })
    await st.as.byrne.assessments.remove({ params: { id: englishEssay.id } })
    await st.as.byrne.classes.remove({ params: { classId: lastYears2B.id } })
    expect((await st.as.okafor.bin.list()).map(({ name }) => name).sort()).toEqual(['2B', 'Essay', 'Spring test'])
    expect((await st.as.ada.bin.list()).map(({ name }) => name)).toEqual(['Spring test'])
    expect((await st.as.byrne.bin.list()).map(({ name }) => name)).toEqual(['Essay'])
    expect(await st.as.quinn.bin.list()).toEqual([])
    expect((await st.as.marker.bin.list()).length).toBe(0)
  })

  test('with another row is restored only with that: an assessment with its class; a year is not in the bin', async () => {
    const year = await st.as.okafor.academicYears.create({
      body: { name: '2030/31', startDate: '2030-09-01', endDate: '2031-06-30', gradingModel: 'term_based' },
    })
    await st.as.okafor.terms.create({
      body: {
        academicYearId: year.id,
        name: 'hilary',
        startDate: '2031-01-07',
        endDate: '2031-03-28',
        examWeight: 50,
        courseworkWeight: 50,
      },
    })
    await st.as.okafor.classes.create({ body: { name: 'X', academicYearId: year.id } })
    await st.as.okafor.academicYears.remove({ params: { id: year.id } })
    expect(await st.as.okafor.bin.list()).toEqual([])
    const { id: homework } = await furnish3A()
    await st.as.quinn.classes.remove({ params: { classId: class3A.id } })
    const figures = { marks: 2, assessments: 1, enrolments: 2, assignments: 2, report_books: 2 }
    expect(await only()).toMatchObject({ entity: 'student_group', name: '3A', ...figures })
    const [entry] = await st.as.okafor.history.list({ query: { entity: 'assessment', id: homework } })
    expect(await refused(st, () => restore(entry?.id as string))).toEqual({ status: 409, code: 'bin.gone' })
  })

  test('404 for an entry that is no such deletion; 403 for a teacher who did not delete it, or may not write it any more', async () => {
    await st.as.ada.assessments.update({ params: { id: mathsHilary.id }, body: { title: 'x' } })
    const [change] = await st.as.ada.history.list({ query: { entity: 'assessment', id: mathsHilary.id } })
    expect(await refused(st, () => restore(change?.id as string))).toMatchObject({ status: 404 })
    await st.as.ada.assessments.remove({ params: { id: mathsHilary.id } })
    const { id } = await only('ada')
    expect(await refused(st, () => restore(id, 'quinn'))).toEqual({ status: 403, code: 'admin_only' })
    await st.as.byrne.classes.addTeacher({ params: { classId: class3B.id }, body: { teacherId: people.ada.id, subjectIds: [] } })
    expect(await refused(st, () => restore(id, 'ada'))).toEqual({ status: 403, code: 'assessments.not_your_subject' })
  })
})

describe('is restored whole', () => {
  test('an assessment with its marks, their authors and remarks, by the person who deleted it; the results are as before', async () => {
    const [before, results] = [await content(), await readResults()]
    st.clock.advance(60_000)
    await st.as.okafor.assessments.remove({ params: { id: englishEssay.id } })
    const { id } = await only()
    st.clock.advance(60_000)
    expect(await restore(id)).toMatchObject({
      status: 200,
      body: { message: 'Essay was restored.', entity: 'assessment', row_id: englishEssay.id, restored: 7, left_out: 0 },
    })
    expect(await content()).toEqual(before)
    expect(await readResults()).toEqual(results)
    expect(await st.as.okafor.bin.list()).toEqual([])
    const [entry] = await st.as.ada.history.list({ query: { entity: 'assessment', id: englishEssay.id } })
    expect(entry).toMatchObject({ action: 'create', actor: { id: people.okafor.id }, changes: { title: { after: 'Essay' } } })
  })

  test('a teacher’s own', async () => {
    const before = await content()
    await st.as.ada.assessments.remove({ params: { id: mathsHilary.id } })
    const { id } = await only('ada')
    expect(await restore(id, 'ada')).toMatchObject({ status: 200, body: { restored: 7 } })
    expect(await content()).toEqual(before)
  })

  test('a class with its pupils, teachers, class teacher, assessments, marks and report books', async () => {
    await furnish3A()
    const before = await content()
    await st.as.quinn.classes.remove({ params: { classId: class3A.id } })
    await restore(await binned('student_group'))
    expect(await content()).toEqual(before)
  })

  test('a pupil with their place and subjects', async () => {
    const pupil = await st.as.okafor.students.create({ body: late })
    await st.as.byrne.classes.enroll({ params: { id: class3B.id }, body: { studentId: pupil.id } })
    await st.as.byrne.classes.assignSubjects({ params: { id: class3B.id }, body: { studentId: pupil.id, subjectIds: [maths.id] } })
    const before = await content()
    await st.as.okafor.students.remove({ params: { id: pupil.id } })
    await restore(await binned('student'))
    expect(await content()).toEqual(before)
    expect(await st.as.okafor.students.list({ query: { search: 'comer late' } })).toHaveLength(1)
  })

  test('a subject with its teachers and those who were given it, and a term', async () => {
    const subject = await st.as.okafor.subjects.create({ body: room })
    await st.as.byrne.classes.addTeacher({
      params: { classId: class3B.id },
      body: { teacherId: people.ada.id, subjectIds: [maths.id, subject.id] },
    })
    await st.as.byrne.classes.assignSubjects({ params: { id: class3B.id }, body: { studentId: elan.id, subjectIds: [subject.id] } })
    await st.as.okafor.assessments.remove({ params: { id: (await trinityExam()).id } })
    const before = await content()
    await st.as.okafor.subjects.remove({ params: { id: subject.id } })
    await st.as.okafor.terms.remove({ params: { id: trinity.id } })
    for (const entity of ['subject', 'term']) await restore(await binned(entity))
    expect(await content()).toEqual(before)
  })

  test('a teaching set with its name, subject, year, teachers and pupils, and the right that it gives', async () => {
    const set = await makeSet()
    const before = await content()
    await st.as.okafor.teachingSets.remove({ params: set })
    const mark = { body: { assessmentId: englishEssay.id, grades: [{ studentId: zoe.id, score: 31 }] } }
    expect(await refused(st, () => st.as.ada.grades.bulk.raw(mark))).toMatchObject({ status: 403 })
    const item = await only()
    expect(item).toMatchObject({ entity: 'teaching_set', row_id: set.id, name: 'English upper', set_places: 3, set_teachers: 2, marks: 0 })
    expect(await st.as.ada.bin.list()).toEqual([])
    expect(await refused(st, () => restore(item.id, 'ada'))).toEqual({ status: 403, code: 'admin_only' })
    expect(await restore(item.id)).toMatchObject({
      status: 200,
      body: { message: 'English upper was restored.', entity: 'teaching_set', row_id: set.id, restored: 6, left_out: 0 },
    })
    expect(await content()).toEqual(before)
    expect((await st.as.ada.grades.bulk.raw(mark)).status).toBe(200)
  })

  test('a set with its subject, and with that alone; a pupil with their places in sets', async () => {
    const subject = await st.as.okafor.subjects.create({ body: room })
    const set = await makeSet(subject, 'Stage')
    const pupil = await st.as.okafor.students.create({ body: late })
    await st.as.okafor.classes.enroll({ params: { id: class3B.id }, body: { studentId: pupil.id } })
    await st.as.okafor.teachingSets.setStudents({ params: set, body: { studentIds: [pupil.id, zoe.id] } })
    const before = await content()
    await st.as.okafor.students.remove({ params: { id: pupil.id } })
    expect(await only()).toMatchObject({ entity: 'student', set_places: 1 })
    await restore((await only()).id)
    expect(await content()).toEqual(before)
    await st.as.okafor.subjects.remove({ params: { id: subject.id } })
    expect(await only()).toMatchObject({ entity: 'subject', set_places: 2, set_teachers: 2 })
    const [entry] = await st.as.okafor.history.list({ query: { entity: 'teaching_set', id: set.id } })
    expect(await refused(st, () => restore(entry?.id as string))).toEqual({ status: 409, code: 'bin.gone' })
    await restore(await binned('subject'))
    expect(await content()).toEqual(before)
  })

  const trinityExam = async () => (await st.rows('assessment')).find(({ term_id }) => term_id === trinity.id) as { id: string }

  test('once: of two concurrent restorations one is refused', async () => {
    await st.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
    const { id } = await only()
    const replies = await Promise.all([restore(id), restore(id)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await refused(st, () => restore(id))).toEqual({ status: 409, code: 'bin.gone' })
  })

  test('deleted again, it is restored with its last values, and the first deletion is not listed any more', async () => {
    await st.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
    const first = await only()
    await restore(first.id)
    await st.as.okafor.assessments.update({ params: { id: mathsQuiz.id }, body: { title: 'Quiz one' } })
    await st.as.okafor.grades.create({ body: { assessmentId: mathsQuiz.id, studentId: wanderer.id, score: 3 } })
    st.clock.advance(1_000)
    await st.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
    expect(await refused(st, () => restore(first.id))).toEqual({ status: 409, code: 'bin.gone' })
    expect(await only()).toMatchObject({ name: 'Quiz one', marks: 9 })
    await restore((await only()).id)
    expect((await st.rows('assessment')).find(({ id }) => id === mathsQuiz.id)?.title).toBe('Quiz one')
  })
})

describe('with a conflict nothing is restored, and the refusal names the cause', () => {
  const says = async (id: string, code: string, message: string) => {
    expect(await refused(st, () => restore(id))).toEqual({ status: 409, code: 'bin.in_the_way' })
    expect((await restore(id)).body).toMatchObject({ message, issues: [{ code, message }] })
  }

  test('an assessment whose subject, term or class was deleted since', async () => {
    const subject = await st.as.okafor.subjects.create({ body: room })
    const body = { termId: trinity.id, subjectId: subject.id, title: 'Play', assessmentType: 'coursework' } as const
    const play = await st.as.okafor.assessments.create({ body })
    await st.as.okafor.assessments.remove({ params: { id: play.id } })
    const { id } = await only()
    await st.as.okafor.subjects.remove({ params: { id: subject.id } })
    await says(id, 'missing_subject', 'The subject Drama that it belongs to was deleted too. Restore that first.')
    await restore(await binned('subject'))
    expect((await restore(id)).status).toBe(200)
    const ofClass = await st.as.okafor.assessments.create({ body: { ...body, studentGroupId: class3A.id } })
    st.clock.advance(1_000)
    await st.as.okafor.assessments.remove({ params: { id: ofClass.id } })
    const other = (await only()).id
    await st.as.quinn.classes.remove({ params: { classId: class3A.id } })
    await says(other, 'missing_student_group', 'The class 3A that it belongs to was deleted too. Restore that first.')
  })

  test('a set whose name another of that subject has now, whose subject was deleted since, or whose year is full', async () => {
    const subject = await st.as.okafor.subjects.create({ body: room })
    const set = await makeSet(subject, 'Stage')
    await st.as.okafor.teachingSets.remove({ params: set })
    const { id } = await only()
    const again = await makeSet(subject, 'Stage')
    await says(id, 'taken_teaching_set', 'Another set of that subject and year has the name Stage by now. Give that one another first.')
    await st.as.okafor.teachingSets.update({ params: again, body: { name: 'Stage 2' } })
    await makeSet(english, 'Stage')
    await st.as.okafor.subjects.remove({ params: { id: subject.id } })
    await says(id, 'missing_subject', 'The subject Drama that it belongs to was deleted too. Restore that first.')
    await restore(await binned('subject'))
    const { perYear } = limits.teachingSets
    const one = { school_id: thisYear.school_id, academic_year_id: thisYear.id, subject_id: subject.id }
    const full = Array.from({ length: perYear - 2 }, (_, at) => ({ ...one, name: `Set ${at}` }))
    await st.services.store.write({ as: 'system', userId: null }, (tx) =>
      tx.insert(
        'teaching_set',
        full.map((row) => ({ id: tx.newId(), ...row })),
      ),
    )
    await says(id, 'full_year_of_sets', `That year has ${perYear} teaching sets by now, and no room for another.`)
    const [last] = (await st.rows('teaching_set')).filter(({ name }) => name === 'Set 0')
    await st.as.okafor.teachingSets.remove({ params: { id: last?.id as string } })
    expect((await restore(id)).status).toBe(200)
  })

  test('a code, number or name that another row has now', async () => {
    const subject = await st.as.okafor.subjects.create({ body: room })
    const pupil = await st.as.okafor.students.create({ body: late })
    await st.as.okafor.subjects.remove({ params: { id: subject.id } })
    await st.as.okafor.students.remove({ params: { id: pupil.id } })
    await st.as.quinn.classes.remove({ params: { classId: class3A.id } })
    await st.as.okafor.subjects.create({ body: { ...room, name: 'Drawing' } })
    await st.as.okafor.students.create({ body: { ...late, lastName: 'Other' } })
    await st.as.okafor.classes.create({ body: { name: '3A', academicYearId: thisYear.id } })
    await says(await binned('subject'), 'taken_subject', 'Another subject has the code DR by now. Give that one another first.')
    await says(await binned('student'), 'taken_student', 'Another student has the number SB-900 by now. Give that one another first.')
    await says(
      await binned('student_group'),
      'taken_student_group',
      'Another class of that year has the name 3A by now. Give that one another first.',
    )
  })

  test('a term whose name another has, or whose year has other days now', async () => {
    const [exam] = (await st.rows('assessment')).filter(({ term_id }) => term_id === trinity.id)
    await st.as.okafor.assessments.remove({ params: { id: exam?.id as string } })
    await st.as.okafor.terms.remove({ params: { id: trinity.id } })
    const id = await binned('term')
    await st.as.okafor.academicYears.update({ params: { id: thisYear.id }, body: { endDate: '2026-05-30' } })
    await says(id, 'outside_year', 'The term lies outside the days of the year 2025/26 by now.')
    await st.as.okafor.academicYears.update({ params: { id: thisYear.id }, body: { endDate: '2026-06-30' } })
    await st.as.okafor.terms.update({ params: { id: hilary.id }, body: { name: 'trinity' } })
    await says(id, 'taken_term', 'Another term of that year has the name trinity by now. Give that one another first.')
    await st.as.okafor.terms.update({ params: { id: hilary.id }, body: { name: 'hilary' } })
    for (let part = 1; part <= 4; part += 1) await st.as.okafor.terms.create({ body: { ...ownTerm, name: `Part ${part}` } })
    await says(id, 'full_year', 'That year has 6 terms by now, and no room for another.')
  })

  test('a class one of whose pupils is in another now', async () => {
    await st.as.quinn.classes.remove({ params: { classId: class3A.id } })
    await st.as.byrne.classes.enroll({ params: { id: class3B.id }, body: { studentId: oisin.id } })
    const id = await binned('student_group')
    await says(id, 'enrolled', 'Oisín Kelly is in the class 3B by now. Take them out of it first.')
    await st.as.byrne.classes.unenroll({ params: { id: class3B.id, studentId: oisin.id } })
    expect((await restore(id)).status).toBe(200)
  })
})

describe('rows that are not restored', () => {
  test('the mark of a pupil who was deleted since; the reply says how many', async () => {
    const pupil = await st.as.okafor.students.create({ body: late })
    const { id: quiz } = await st.as.okafor.assessments.create({
      body: { termId: michaelmas.id, subjectId: science.id, title: 'Quiz', assessmentType: 'coursework' },
    })
    for (const { id: studentId } of [pupil, zoe, elan])
      await st.as.okafor.grades.create({ body: { assessmentId: quiz, studentId, score: 5 } })
    await st.as.okafor.assessments.remove({ params: { id: quiz } })
    const { id } = await only()
    await st.as.okafor.students.remove({ params: { id: pupil.id } })
    expect((await restore(id)).body).toMatchObject({ restored: 3, left_out: 1 })
    expect((await st.rows('grade')).filter(({ assessment_id }) => assessment_id === quiz)).toHaveLength(2)
  })

  test('of a set the pupil who was deleted and the teacher who left since; of a pupil the place in a set that was deleted since', async () => {
    const set = await makeSet()
    const pupil = await st.as.okafor.students.create({ body: late })
    await st.as.okafor.classes.enroll({ params: { id: class3B.id }, body: { studentId: pupil.id } })
    await st.as.okafor.teachingSets.setStudents({ params: set, body: { studentIds: [pupil.id, zoe.id] } })
    await st.as.okafor.students.remove({ params: { id: pupil.id } })
    const gone = await binned('student')
    await st.as.okafor.teachingSets.remove({ params: set })
    await st.as.okafor.schools.removeMember({ params: { userId: people.ada.id } })
    expect((await restore(gone)).body).toMatchObject({ restored: 2, left_out: 1 })
    expect((await st.as.okafor.classes.students({ params: { id: class3B.id } })).map(({ id }) => id)).toContain(pupil.id)
    expect((await restore(await binned('teaching_set'))).body).toMatchObject({ restored: 3, left_out: 1 })
    expect((await st.as.okafor.teachingSets.get({ params: set })).teachers).toMatchObject([{ id: people.quinn.id }])
    expect(await st.rows('teaching_set_teacher')).toHaveLength(1)
    await st.as.okafor.teachingSets.setStudents({ params: set, body: { studentIds: [pupil.id, zoe.id] } })
    await st.as.okafor.teachingSets.remove({ params: set })
    await st.as.okafor.students.remove({ params: { id: pupil.id } })
    expect((await restore(await binned('teaching_set'))).body).toMatchObject({ left_out: 1 })
    expect((await st.as.okafor.teachingSets.students({ params: set })).map(({ id }) => id)).toEqual([zoe.id])
  })

  test('a pupil of the class who was deleted since, and a teacher who left; a class whose class teacher left gets the restoring person', async () => {
    await st.as.quinn.classes.remove({ params: { classId: class3A.id } })
    const [oneOf] = [fatima]
    for (const { id, student_id } of await st.rows('grade'))
      if (student_id === oneOf.id)
        await st.services.store.write({ as: 'system', userId: null }, async (tx) =>
          tx.remove('grade', [(await tx.find('grade', oneOf.school_id, id)) as never]),
        )
    await st.as.okafor.students.remove({ params: { id: oneOf.id } })
    await st.as.okafor.schools.removeMember({ params: { userId: people.quinn.id } })
    const reply = await restore(await binned('student_group'))
    expect(reply).toMatchObject({ status: 200, body: { entity: 'student_group' } })
    const teachers = await st.as.okafor.classes.teachers({ params: { classId: class3A.id } })
    expect(teachers).toMatchObject([{ teacherId: people.okafor.id, isClassTeacher: true }])
    expect((await st.as.okafor.classes.students({ params: { id: class3A.id } })).map(({ id }) => id)).toEqual([oisin.id])
  })
})

test('the neighbour’s bin is empty, and its restoring is 404', async () => {
  await st.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
  const { id } = await only()
  expect(await st.as.marker.bin.list()).toEqual([])
  expect(await refused(st, () => st.as.marker.bin.restore.raw({ params: { id } }))).toMatchObject({ status: 404 })
})
