import { naturalId } from '@markbook/shared/ids'
import { elan, hilltopExam, hilltopPupil, mathsExam, mathsHomework, mathsQuiz, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { draftReport, hilltopReport } from '@markbook/shared/story/reports'
import { class3A, class3B, hilltopTerm, michaelmas } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const absent = '00000000-0000-7000-8000-999999999999'
const idOf = (assessment: { id: string }, student: { id: string }) => naturalId('grade', assessment.id, student.id)
const gradeId = idOf(mathsExam, zoe)

describe('GET /api/history', () => {
  test('the changes of a row, newest first, with who, where and what', async () => {
    st.clock.advance(60_000)
    await st.as.ada.grades.update({ params: { id: gradeId }, body: { score: 72 } })
    await st.as.byrne.grades.update({ params: { id: gradeId }, body: { score: 73, remarks: 'Well done.' } })
    const listed = await st.as.quinn.history.list({ query: { entity: 'grade', id: gradeId } })
    expect(listed).toMatchObject([
      {
        action: 'update',
        at: '2026-01-12T08:01:00.000Z',
        actor: { id: people.byrne.id, first_name: 'Cathal', last_name: 'Byrne' },
        node: st.services.store.nodeId,
        changes: { score: { before: 72, after: 73 }, remarks: { before: null, after: 'Well done.' } },
      },
      { action: 'update', actor: { id: people.ada.id }, changes: { score: { before: 71, after: 72 } } },
      { action: 'create', actor: null, changes: { score: { before: null, after: 71 }, student_id: { before: null, after: zoe.id } } },
    ])
    expect(listed[0]).not.toHaveProperty('head')
    expect(listed[0]?.changes).not.toHaveProperty('updated_at')
  })

  test('limit, offset and X-Total-Count as in every list', async () => {
    const { body, headers } = await st.as.ada.history.list.raw({ query: { entity: 'grade', id: gradeId, limit: 1, offset: 1 } })
    expect(body).toMatchObject([{ changes: { score: { after: 72 } } }])
    expect(headers.get('x-total-count')).toBe('3')
  })

  test.each([
    ['grade', idOf(hilltopExam, hilltopPupil)],
    ['assessment', hilltopExam.id],
    ['student', hilltopPupil.id],
    ['term', hilltopTerm.id],
    ['report_book', hilltopReport.id],
    ['school', hilltopTerm.school_id],
    ['student', gradeId],
    ['grade', absent],
  ] as const)('404 for a %s that is not the school’s, like one that does not exist', async (entity, id) => {
    const foreign = await st.as.okafor.history.list.raw({ query: { entity, id } })
    const missing = await st.as.okafor.history.list.raw({ query: { entity, id: absent } })
    expect(foreign.status).toBe(404)
    expect(foreign.body).toEqual(missing.body)
  })

  test('nobody reads the history of people', async () => {
    for (const entity of ['user_profile', 'school_management', 'session', 'node'])
      expect((await st.as.okafor.history.list.raw({ query: { entity, id: people.okafor.id } })).status).toBe(400)
  })

  test.each([
    ['report_book', draftReport.id, { byrne: 200, ada: 403, quinn: 403, okafor: 200, niamh: 403 }],
    [
      'report_book_entry',
      naturalId('report_book_entry', draftReport.id, draftReport.snapshot.entries[0]?.subject_id ?? ''),
      { byrne: 200, ada: 403, okafor: 200 },
    ],
    ['student_group', class3B.id, { byrne: 200, ada: 200, quinn: 403, okafor: 200, niamh: 403 }],
    ['class_teacher', class3A.id, { byrne: 403, quinn: 200 }],
    ['enrolment', naturalId('enrolment', elan.id, class3B.academic_year_id), { ada: 200, quinn: 403, okafor: 200 }],
    ['teacher_group_assignment', naturalId('teacher_group_assignment', people.ada.id, class3B.id), { ada: 200, quinn: 403 }],
    ['school', stBrigids, { okafor: 200, byrne: 403, niamh: 403 }],
    ['term', michaelmas.id, { okafor: 200, byrne: 200, niamh: 403 }],
    ['student', elan.id, { quinn: 200, niamh: 403, doyle: 403, tomas: 403 }],
  ] as const)('who may read the history of a %s', async (entity, id, readers) => {
    for (const [name, status] of Object.entries(readers))
      expect([name, (await st.as[name as keyof School['as']].history.list.raw({ query: { entity, id } })).status]).toEqual([name, status])
  })

  test('what was deleted keeps its history', async () => {
    await st.as.okafor.assessments.remove({ params: { id: mathsHomework.id } })
    const ofGrade = await st.as.quinn.history.list({ query: { entity: 'grade', id: idOf(mathsHomework, elan) } })
    expect(ofGrade.map(({ action }) => action)).toEqual(['delete', 'create'])
    expect(ofGrade[0]?.changes).toMatchObject({ score: { before: 8, after: null } })
    expect((await st.as.marker.history.list.raw({ query: { entity: 'assessment', id: mathsHomework.id } })).status).toBe(404)
  })

  test('administrators read the history of a deleted class’s rows', async () => {
    await st.as.okafor.classes.remove({ params: { classId: class3A.id } })
    const query = { entity: 'student_group', id: class3A.id } as const
    expect((await st.as.quinn.history.list.raw({ query })).status).toBe(403)
    expect((await st.as.okafor.history.list({ query }))[0]?.action).toBe('delete')
  })

  test('people who have left the school are still named in it', async () => {
    await st.services.store.write(asSystem(), async (tx) => {
      const membership = await tx.find('school_management', stBrigids, naturalId('membership', people.byrne.id, stBrigids))
      if (membership) await tx.remove('school_management', [membership])
    })
    const [last] = await st.as.ada.history.list({ query: { entity: 'grade', id: gradeId } })
    expect(last?.actor).toEqual({ id: people.byrne.id, first_name: 'Cathal', last_name: 'Byrne' })
  })

  test('401 without a session, 400 for no entity or a malformed id', async () => {
    expect((await st.anonymous.history.list.raw({ query: { entity: 'grade', id: gradeId } })).status).toBe(401)
    expect((await st.as.ada.history.list.raw({ query: { id: mathsQuiz.id } })).status).toBe(400)
    expect((await st.as.ada.history.list.raw({ query: { entity: 'grade', id: 'x' } })).status).toBe(400)
  })
})
