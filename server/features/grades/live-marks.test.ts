import type { LiveMarks } from '@markbook/shared/contract/grades'
import { limits } from '@markbook/shared/limits'
import { elan, mathsExam, mathsQuiz, oisin, pupilsOf3B, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { withLowerLimit } from '../../testing/lower-limit.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const query = { termId: michaelmas.id, subjectId: maths.id, studentGroupId: class3B.id }
const marked = (assessmentId: string, studentId: string, score: number) => ({ body: { assessmentId, grades: [{ studentId, score }] } })

/** The events of a stream, one after the other. */
async function listening(client: School['as']['ada']) {
  const events = (await client.grades.events({ query }))[Symbol.asyncIterator]()
  return {
    next: async () => (await events.next()).value as LiveMarks,
    close: () => void events.return?.(),
  }
}

describe('GET /api/grades/events', () => {
  test('begins with all the marks of the class in the subject and term, and none of another class', async () => {
    const stream = await listening(st.as.ada)
    const { is_whole, marks, gone } = await stream.next()
    stream.close()
    expect({ is_whole, gone }).toEqual({ is_whole: true, gone: [] })
    const pupils: readonly string[] = pupilsOf3B.map(({ id }) => id)
    expect(marks).toHaveLength(17)
    expect(marks.filter(({ student_id }) => !pupils.includes(student_id))).toEqual([])
    const excluded = marks.find(({ assessment_id, student_id }) => assessment_id === mathsQuiz.id && student_id === zoe.id)
    expect(excluded).toMatchObject({ score: 4, is_excluded: true, exclusion_reason: 'was ill', is_waiting: false, is_above: false })
  })

  test('sends a mark that another person saves, and nothing else', async () => {
    const stream = await listening(st.as.ada)
    await stream.next()
    await st.as.quinn.grades.bulk(marked(mathsQuiz.id, oisin.id, 13))
    await st.as.byrne.grades.bulk(marked(mathsExam.id, elan.id, 64))
    const event = await stream.next()
    stream.close()
    expect(event).toMatchObject({ is_whole: false, gone: [], touched: [] })
    expect(event.marks.map(({ student_id, score, updated_by }) => [student_id, score, updated_by])).toEqual([
      [elan.id, 64, people.byrne.id],
    ])
  })

  test('has the ids of deleted marks, and the tables of changed assessments, pupils or scale', async () => {
    const stream = await listening(st.as.okafor)
    const { marks } = await stream.next()
    await st.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
    const event = await stream.next()
    stream.close()
    const ofQuiz = marks.filter(({ assessment_id }) => assessment_id === mathsQuiz.id).map(({ id }) => id)
    expect(event.gone).toEqual(expect.arrayContaining(ofQuiz))
    expect(event).toMatchObject({ marks: [], touched: ['assessment'] })
  })

  test('ends where the client may no longer read them', async () => {
    const stream = await listening(st.as.ada)
    await stream.next()
    await st.as.okafor.classes.removeTeacher({ params: { classId: class3B.id, teacherId: people.ada.id } })
    expect(await stream.next()).toBeUndefined()
  })

  test('ends where the client is suspended', async () => {
    const stream = await listening(st.as.ada)
    await stream.next()
    await st.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { isActive: false } })
    expect(await stream.next()).toBeUndefined()
  })

  test('sends all marks again after more deletions at once than an event names', async () => {
    await withLowerLimit(limits.liveMarks, 'deletionsPerEvent', 2, async () => {
      const stream = await listening(st.as.okafor)
      const { marks } = await stream.next()
      await st.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
      const event = await stream.next()
      stream.close()
      expect(event).toEqual({
        ...{ is_whole: true, gone: [], touched: [] },
        marks: marks.filter(({ assessment_id }) => assessment_id !== mathsQuiz.id),
      })
    })
  })

  test('is for teachers of the class', async () => {
    const other = { query: { ...query, studentGroupId: class3A.id } }
    expect(await refused(st, () => st.as.ada.grades.events.raw(other))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.niamh.grades.events.raw({ query }))).toMatchObject({ status: 403 })
  })

  test('is limited in number for each person', async () => {
    const streams = []
    for (let each = 0; each < limits.jobs.streamsPerUser; each += 1) streams.push(await listening(st.as.ada))
    for (const stream of streams) await stream.next()
    expect(await st.as.ada.grades.events.raw({ query })).toMatchObject({ status: 429, body: { code: 'grades.too_many_listeners' } })
    for (const stream of streams) stream.close()
  })
})

describe('GET /api/grades/events of a teaching set', () => {
  test('has the marks of its pupils, of whichever class, first and then each change; also that a pupil joins', async () => {
    const head = st.as.okafor.teachingSets
    const set = await head.create({ body: { academicYearId: michaelmas.academic_year_id, subjectId: maths.id, name: 'Upper' } })
    const params = { id: set.id }
    await head.setTeachers({ params, body: { teacherIds: [people.byrne.id] } })
    await head.setStudents({ params, body: { studentIds: [elan.id, oisin.id] } })
    const { studentGroupId: _class, ...of } = query
    expect(await refused(st, () => st.as.ada.grades.events.raw({ query: { ...of, teachingSetId: set.id } }))).toMatchObject({ status: 403 })
    const events = (await st.as.byrne.grades.events({ query: { ...of, teachingSetId: set.id } }))[Symbol.asyncIterator]()
    const next = async () => (await events.next()).value as LiveMarks
    const first = await next()
    expect([...new Set(first.marks.map(({ student_id }) => student_id))].sort()).toEqual([elan.id, oisin.id].sort())
    await st.as.okafor.grades.bulk(marked(mathsQuiz.id, zoe.id, 7))
    await st.as.okafor.grades.bulk(marked(mathsQuiz.id, oisin.id, 13))
    expect((await next()).marks.map(({ student_id, score }) => [student_id, score])).toEqual([[oisin.id, 13]])
    await head.setStudents({ params, body: { studentIds: [elan.id, oisin.id, zoe.id] } })
    expect((await next()).touched).toContain('teaching_set_member')
    await head.setTeachers({ params, body: { teacherIds: [] } })
    expect((await events.next()).done).toBe(true)
  })
})

describe('GET /api/grades/events of a server with a parent', () => {
  test('sends a mark as waiting, and again once the parent has it', async () => {
    const box = await school({ seed: 'box', story: false, database: 'sqlite' })
    const link = await under(st, box)
    await link.round()
    const ada = await signedIn(box, 'ada')
    const stream = await listening(ada)
    await stream.next()
    await ada.grades.bulk(marked(mathsExam.id, elan.id, 64))
    const waiting = async () => (await stream.next()).marks.map(({ student_id, is_waiting }) => [student_id, is_waiting])
    expect(await waiting()).toEqual([[elan.id, true]])
    await link.round()
    expect(await waiting()).toEqual([[elan.id, false]])
    stream.close()
    await box.close()
  })
})
