import { elan, mathsQuiz, mei, pupilsOf3A, pupilsOf3B } from '@markbook/shared/story/marks'
import {
  class3A,
  class3B,
  hilltopTerm,
  irish,
  lastMichaelmas,
  lastYear,
  michaelmas,
  thisYear,
  trinity,
} from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

type Who = 'okafor' | 'byrne' | 'ada' | 'quinn'
const query = { termId: michaelmas.id }
const progress = async (who: Who, termId = michaelmas.id) =>
  (await st.as[who].classes.progress({ query: { termId } })).map(
    (row) => `${row.class.name} ${row.subject.code} ${row.assessments} ${row.recorded}/${row.expected}${row.is_own ? ' own' : ''}`,
  )

describe('GET /api/classes/places', () => {
  const placesOf = async (who: Who, academicYearId: string = thisYear.id) =>
    (await st.as[who].classes.places({ query: { academicYearId } })).map(({ student_id, student_group_id }) => [
      student_id,
      student_group_id,
    ])

  test('the class of each pupil in the year: of every class for an administrator, of their own for a teacher', async () => {
    const all = await placesOf('okafor')
    expect(all).toHaveLength(pupilsOf3A.length + pupilsOf3B.length)
    expect(all).toContainEqual([pupilsOf3A[0]?.id, class3A.id])
    const own = await placesOf('byrne')
    expect(new Set(own.map(([, group]) => group))).toEqual(new Set([class3B.id]))
    expect(new Set(own.map(([student]) => student))).toEqual(new Set(pupilsOf3B.map(({ id }) => id)))
    expect(new Set((await placesOf('okafor', lastYear.id)).map(([, group]) => group))).not.toContain(class3B.id)
  })
})

describe('GET /api/classes/progress', () => {
  test('a teacher sees the own subjects of the own classes', async () => {
    expect(await st.as.ada.classes.progress({ query })).toEqual([
      {
        class: { id: class3B.id, name: '3B' },
        is_class_teacher: false,
        is_own: true,
        subject: expect.objectContaining({ code: 'MA', name: 'Mathematics' }),
        assessments: 3,
        expected: 18,
        recorded: 17,
        is_sent: false,
      },
    ])
  })

  test('a class teacher sees every subject of the class, and which are the own', async () => {
    expect(await progress('byrne')).toEqual(['3B MA 3 17/18', '3B EN 2 12/12 own', '3B GA 1 5/6'])
  })

  test('an assessment of the whole school counts in every class, one of a class only there', async () => {
    expect(await progress('quinn')).toEqual(['3A MA 2 4/4 own', '3A EN 2 0/4 own', '3A GA 1 0/2'])
  })

  test('an administrator sees every class of the term’s year, by name, and no other year’s', async () => {
    expect(await progress('okafor')).toEqual(['3A MA 2 4/4', '3A EN 2 0/4', '3A GA 1 0/2', '3B MA 3 17/18', '3B EN 2 12/12', '3B GA 1 5/6'])
    expect(await progress('okafor', lastMichaelmas.id)).toEqual([])
  })

  test('a subject that somebody teaches is listed before it has an assessment', async () => {
    expect(await progress('byrne', trinity.id)).toEqual(['3B MA 1 0/6', '3B EN 0 0/0 own'])
  })

  test('an excluded assessment expects no marks', async () => {
    const exclude = (isExcluded: boolean) => st.as.okafor.assessments.exclude({ params: { id: mathsQuiz.id }, body: { isExcluded } })
    await exclude(true)
    expect(await progress('ada')).toEqual(['3B MA 2 11/12 own'])
    await exclude(false)
  })

  test('a code is a mark, except one that means that the mark is still to come; missing-marks agrees', async () => {
    const put = (said: { score?: number | null; status?: string | null }) =>
      st.as.ada.grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: mei.id, ...said }] } })
    const missing = async () => {
      const found = await st.as.byrne.calculations.missingMarks({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })
      return found.flatMap(({ assessment_id, students }) => (assessment_id === mathsQuiz.id ? students.map(({ id }) => id) : []))
    }
    const before = (await st.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === mathsQuiz.id && student_id === mei.id)
    expect(before?.score).not.toBeNull()
    for (const [status, recorded] of [
      ['abs', 17],
      ['inc', 16],
    ] as const) {
      await put({ status })
      expect(await progress('ada')).toEqual([`3B MA 3 ${recorded}/18 own`])
      expect((await missing()).includes(mei.id)).toBe(recorded === 16)
    }
    await put({ score: before?.score ?? 0 })
    expect(await progress('ada')).toEqual(['3B MA 3 17/18 own'])
  })

  test('a student with subjects of their own is expected only in those, and a mark elsewhere does not count', async () => {
    const params = { id: class3B.id }
    await st.as.byrne.classes.assignSubjects({ params, body: { studentId: mei.id, subjectIds: [irish.id] } })
    expect(await progress('byrne')).toEqual(['3B MA 3 14/15', '3B EN 2 10/10 own', '3B GA 1 5/6'])
    await st.as.byrne.classes.removeStudentSubject({ params: { ...params, sid: mei.id, subjectId: irish.id } })
  })

  test('a pupil who leaves the class is not expected any more', async () => {
    const params = { id: class3B.id }
    await st.as.byrne.classes.unenroll({ params: { ...params, studentId: elan.id } })
    expect(await progress('byrne')).toEqual(['3B MA 3 15/15', '3B EN 2 10/10 own', '3B GA 1 4/5'])
    await st.as.byrne.classes.enroll({ params, body: { studentId: elan.id } })
  })

  test('400 without a term, 404 for another school’s, 403 for a member and for who is suspended', async () => {
    expect(await st.as.byrne.classes.progress.raw({})).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await st.as.byrne.classes.progress.raw({ query: { termId: hilltopTerm.id } })).toMatchObject({ status: 404 })
    expect(await st.as.niamh.classes.progress.raw({ query })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await st.as.doyle.classes.progress.raw({ query })).toMatchObject({ status: 403, body: { code: 'inactive' } })
    expect(await st.anonymous.classes.progress.raw({ query })).toMatchObject({ status: 401 })
  })

  test('a class is sent once every pupil in it has a book that is', async () => {
    const sentOf = async (name: string) =>
      new Set((await st.as.okafor.classes.progress({ query })).flatMap((row) => (row.class.name === name ? [row.is_sent] : [])))
    const { reports } = st.as.byrne
    await reports.generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
    const books = await reports.list({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })
    const [last, ...others] = books.filter(({ status }) => status !== 'sent_to_ministry')
    for (const { id, status } of [...others, ...(last ? [last] : [])]) {
      expect(await sentOf('3B')).toEqual(new Set([false]))
      if (status === 'draft') await reports.publish({ params: { id } })
      await reports.sendToMinistry({ params: { id } })
    }
    expect(await sentOf('3B')).toEqual(new Set([true]))
    expect(await sentOf('3A')).toEqual(new Set([false]))
  })
})
