import type { HistoryEntity } from '@markbook/shared/contract/history'
import { naturalId } from '@markbook/shared/ids'
import {
  elan,
  hilltopExam,
  hilltopPupil,
  mathsExam,
  mathsHilary,
  mathsHomework,
  mathsQuiz,
  mei,
  sean,
  wanderer,
  zoe,
} from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3A, class3B, english, hilary, irish, maths } from '@markbook/shared/story/school-year'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  await st?.close()
  st = await school()
})
afterAll(() => st.close())

type Entity = z.infer<typeof HistoryEntity>
const idOf = (assessment: { id: string }, student: { id: string }) => naturalId('grade', assessment.id, student.id)
const absent = '00000000-0000-7000-8000-999999999999'
const ofZoe = { params: { id: idOf(mathsExam, zoe) } }
const lastOf = async (entity: Entity, id: string) => {
  const [last] = await st.as.okafor.history.list({ query: { entity, id } })
  return { params: { id: last?.id ?? '' } }
}
const stored = async (id: string) => (await st.rows('grade')).find((grade) => grade.id === id)

describe('POST /api/history/:id/undo of a grade', () => {
  test('writes the earlier value again, as a new change that history shows', async () => {
    await st.as.ada.grades.update({ ...ofZoe, body: { score: 17, remarks: 'slip' } })
    const undone = await st.as.byrne.history.undo(await lastOf('grade', ofZoe.params.id))
    expect(undone).toMatchObject({
      action: 'update',
      actor: { id: people.byrne.id, first_name: 'Cathal', last_name: 'Byrne' },
      node: st.services.store.nodeId,
      changes: { score: { before: 17, after: 71 }, remarks: { before: 'slip', after: null } },
    })
    expect(await stored(ofZoe.params.id)).toMatchObject({ score: 71, remarks: null })
    const [last] = await st.as.ada.history.list({ query: { entity: 'grade', id: ofZoe.params.id } })
    expect(last).toEqual(undone)
  })

  test('an undo can be undone, once', async () => {
    await st.as.ada.grades.update({ ...ofZoe, body: { score: 17 } })
    const first = await lastOf('grade', ofZoe.params.id)
    const second = await st.as.ada.history.undo(first)
    await st.as.ada.history.undo({ params: { id: second.id } })
    expect(await stored(ofZoe.params.id)).toMatchObject({ score: 17 })
    expect(await refused(st, () => st.as.ada.history.undo.raw({ params: { id: second.id } }))).toEqual({
      status: 409,
      code: 'history.changed_since',
    })
  })

  test('an exclusion is undone with its reason, both ways', async () => {
    await st.as.ada.grades.exclude({ ...ofZoe, body: { isExcluded: true, exclusionReason: 'ill' } })
    const excluded = await st.as.ada.history.undo(await lastOf('grade', ofZoe.params.id))
    expect(await stored(ofZoe.params.id)).toMatchObject({ is_excluded: false, exclusion_reason: null })
    await st.as.ada.history.undo({ params: { id: excluded.id } })
    expect(await stored(ofZoe.params.id)).toMatchObject({ is_excluded: true, exclusion_reason: 'ill' })
    await st.as.ada.grades.exclude({ ...ofZoe, body: { isExcluded: true, exclusionReason: 'very ill' } })
    await st.as.ada.history.undo(await lastOf('grade', ofZoe.params.id))
    expect(await stored(ofZoe.params.id)).toMatchObject({ is_excluded: true, exclusion_reason: 'ill' })
  })

  test('undoing a recorded grade removes it; undoing that restores it whole, under its id', async () => {
    const created = await st.as.ada.grades.create({ body: { assessmentId: mathsExam.id, studentId: elan.id, score: 50, remarks: 'late' } })
    const removal = await st.as.ada.history.undo(await lastOf('grade', created.id))
    expect(removal).toMatchObject({ action: 'delete', changes: { score: { before: 50, after: null } } })
    expect(await stored(created.id)).toBeUndefined()
    const restored = await st.as.byrne.history.undo({ params: { id: removal.id } })
    expect(restored).toMatchObject({ action: 'create', changes: { score: { before: null, after: 50 } } })
    expect(await stored(created.id)).toMatchObject({
      score: 50,
      remarks: 'late',
      is_excluded: false,
      term_id: mathsExam.term_id,
      assessment_id: mathsExam.id,
    })
    expect(await refused(st, () => st.as.ada.history.undo.raw({ params: { id: removal.id } }))).toMatchObject({ status: 409 })
  })

  test('409 where a field of it was changed since; another field’s change does not matter', async () => {
    await st.as.ada.grades.update({ ...ofZoe, body: { score: 17 } })
    const slip = await lastOf('grade', ofZoe.params.id)
    await st.as.byrne.grades.update({ ...ofZoe, body: { score: 18 } })
    expect(await refused(st, () => st.as.ada.history.undo.raw(slip))).toEqual({ status: 409, code: 'history.changed_since' })
    const second = await lastOf('grade', ofZoe.params.id)
    await st.as.byrne.grades.update({ ...ofZoe, body: { remarks: 'Well done.' } })
    await st.as.ada.history.undo(second)
    expect(await stored(ofZoe.params.id)).toMatchObject({ score: 17, remarks: 'Well done.' })
  })

  test('409 for a recorded grade that was changed since', async () => {
    const created = await st.as.ada.grades.create({ body: { assessmentId: mathsExam.id, studentId: elan.id, score: 50 } })
    const creation = await lastOf('grade', created.id)
    await st.as.ada.grades.update({ params: { id: created.id }, body: { score: 51 } })
    expect(await refused(st, () => st.as.ada.history.undo.raw(creation))).toEqual({ status: 409, code: 'history.changed_since' })
  })

  test('409 where the earlier score exceeds the present maximum', async () => {
    const own = { params: { id: idOf(mathsHilary, sean) } }
    await st.as.ada.grades.update({ ...own, body: { score: 60 } })
    await st.as.ada.grades.update({ ...own, body: { score: 20 } })
    const change = await lastOf('grade', own.params.id)
    await st.as.ada.assessments.update({ params: { id: mathsHilary.id }, body: { maxScore: 58 } })
    const attempt = () => st.as.ada.history.undo.raw(change)
    expect(await refused(st, attempt)).toEqual({ status: 409, code: 'history.cannot_undo' })
    expect((await attempt()).body).toMatchObject({ message: 'A score is above the maximum of the assessment.' })
  })

  test('409 for a grade that went with its assessment', async () => {
    await st.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
    const removal = await lastOf('grade', idOf(mathsQuiz, zoe))
    expect(await refused(st, () => st.as.ada.history.undo.raw(removal))).toEqual({ status: 409, code: 'history.cannot_undo' })
  })

  test('403 for who may not write the grade, 404 for another school’s entry or an absent one', async () => {
    await st.as.okafor.grades.bulk({
      body: {
        assessmentId: mathsExam.id,
        grades: [
          { studentId: mei.id, score: 1 },
          { studentId: wanderer.id, score: 1 },
        ],
      },
    })
    const ofMei = await lastOf('grade', idOf(mathsExam, mei))
    const ofWanderer = await lastOf('grade', idOf(mathsExam, wanderer))
    expect(await refused(st, () => st.as.quinn.history.undo.raw(ofMei))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.ada.history.undo.raw(ofWanderer))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.niamh.history.undo.raw(ofMei))).toMatchObject({ status: 403 })
    const [foreign] = await st.as.marker.history.list({ query: { entity: 'grade', id: idOf(hilltopExam, hilltopPupil) } })
    const replies = [
      await st.as.okafor.history.undo.raw({ params: { id: foreign?.id ?? '' } }),
      await st.as.okafor.history.undo.raw({ params: { id: absent } }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([404, 404])
    expect(replies[0]?.body).toEqual(replies[1]?.body)
    expect((await st.as.ada.history.undo.raw(ofMei)).status).toBe(200)
  })

  test('two undoes of one change at once: one is done', async () => {
    await st.as.ada.grades.update({ ...ofZoe, body: { score: 17 } })
    const change = await lastOf('grade', ofZoe.params.id)
    const replies = await Promise.all([st.as.ada, st.as.byrne, st.as.okafor].map((api) => api.history.undo.raw(change)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })

  test('access comes before the body, which must be empty', async () => {
    await st.as.ada.grades.update({ ...ofZoe, body: { score: 17 } })
    const change = await lastOf('grade', ofZoe.params.id)
    expect(await refused(st, () => st.as.quinn.history.undo.raw({ ...change, body: { force: true } }))).toMatchObject({ status: 403 })
    expect(await refused(st, () => st.as.ada.history.undo.raw({ ...change, body: { force: true } }))).toMatchObject({ status: 400 })
  })
})

describe('POST /api/history/:id/undo of other rows', () => {
  test('an assessment’s fields, and its exclusion', async () => {
    const own = { params: { id: mathsHilary.id } }
    await st.as.ada.assessments.update({ ...own, body: { maxScore: 65, title: 'Quiz', weight: 2 } })
    await st.as.ada.history.undo(await lastOf('assessment', mathsHilary.id))
    expect(await st.as.ada.assessments.get(own)).toMatchObject({ max_score: 60, title: 'Spring test', weight: null })
    await st.as.ada.assessments.exclude({ ...own, body: { isExcluded: true, exclusionReason: 'snow' } })
    await st.as.ada.history.undo(await lastOf('assessment', mathsHilary.id))
    expect(await st.as.ada.assessments.get(own)).toMatchObject({ is_excluded: false, exclusion_reason: null })
  })

  test('an assessment is moved back to a class only by a person who may write it there', async () => {
    await st.as.okafor.assessments.update({ params: { id: mathsHomework.id }, body: { studentGroupId: null } })
    const move = await lastOf('assessment', mathsHomework.id)
    expect(await refused(st, () => st.as.byrne.history.undo.raw(move))).toMatchObject({ status: 403 })
    await st.as.ada.history.undo(move)
    expect(await st.as.ada.assessments.get({ params: { id: mathsHomework.id } })).toMatchObject({ student_group_id: class3B.id })
  })

  test('an assessment’s maximum is not lowered below a later score', async () => {
    await st.as.ada.assessments.update({ params: { id: mathsHilary.id }, body: { maxScore: 65 } })
    const change = await lastOf('assessment', mathsHilary.id)
    await st.as.ada.grades.update({ params: { id: idOf(mathsHilary, sean) }, body: { score: 64 } })
    expect(await refused(st, () => st.as.ada.history.undo.raw(change))).toEqual({ status: 409, code: 'history.cannot_undo' })
  })

  test('a term’s weights by an administrator, a student’s name by a teacher, a class’s name by its class teacher', async () => {
    await st.as.okafor.terms.update({ params: { id: hilary.id }, body: { examWeight: 50, courseworkWeight: 50 } })
    const weights = await lastOf('term', hilary.id)
    expect(await refused(st, () => st.as.byrne.history.undo.raw(weights))).toEqual({ status: 403, code: 'admin_only' })
    await st.as.okafor.history.undo(weights)
    expect(await st.as.okafor.terms.get({ params: { id: hilary.id } })).toMatchObject({ exam_weight: 60, coursework_weight: 40 })

    await st.as.ada.students.update({ params: { id: elan.id }, body: { firstName: 'Alan', isActive: false } })
    await st.as.quinn.history.undo(await lastOf('student', elan.id))
    expect(await st.as.ada.students.get({ params: { id: elan.id } })).toMatchObject({ first_name: 'Élan', is_active: true })

    await st.as.byrne.classes.update({ params: { classId: class3B.id }, body: { name: '3C' } })
    const rename = await lastOf('student_group', class3B.id)
    expect(await refused(st, () => st.as.ada.history.undo.raw(rename))).toMatchObject({ status: 403 })
    await st.as.byrne.history.undo(rename)
    expect(await st.as.byrne.classes.get({ params: { classId: class3B.id } })).toMatchObject({ name: '3B' })
  })

  test('409 where the earlier name was taken since', async () => {
    await st.as.okafor.classes.update({ params: { classId: class3A.id }, body: { name: '3X' } })
    const rename = await lastOf('student_group', class3A.id)
    await st.as.okafor.classes.update({ params: { classId: class3B.id }, body: { name: '3A' } })
    expect(await refused(st, () => st.as.okafor.history.undo.raw(rename))).toEqual({ status: 409, code: 'history.cannot_undo' })
  })

  test('a subject’s name', async () => {
    await st.as.okafor.subjects.update({ params: { id: irish.id }, body: { name: 'Gaeilge' } })
    await st.as.okafor.history.undo(await lastOf('subject', irish.id))
    expect(await st.as.okafor.subjects.get({ params: { id: irish.id } })).toMatchObject({ name: 'Irish' })
  })

  test('a report’s remarks and an entry’s letter, until the report is sent to the ministry', async () => {
    const book = { params: { id: draftReport.id } }
    await st.as.byrne.reports.update({ ...book, body: { classTeacherRemark: 'Slip.', attendancePercentage: 95.5 } })
    await st.as.byrne.history.undo(await lastOf('report_book', draftReport.id))
    expect(await st.as.byrne.reports.get(book)).toMatchObject({ class_teacher_remark: 'A steady term.', attendance_percentage: null })

    const entryId = naturalId('report_book_entry', draftReport.id, english.id)
    await st.as.byrne.reports.updateEntry({ params: { entryId }, body: { letterGrade: 'C', teacherRemark: 'Slip.' } })
    await st.as.byrne.history.undo(await lastOf('report_book_entry', entryId))
    const [entry] = (await st.as.byrne.reports.get(book)).entries
    expect(entry).toMatchObject({ letter_grade: 'A+', teacher_remark: null })

    await st.as.byrne.reports.update({ ...book, body: { conduct: 'Good' } })
    const change = await lastOf('report_book', draftReport.id)
    expect(await refused(st, () => st.as.ada.history.undo.raw(change))).toMatchObject({ status: 403 })
    await st.as.byrne.reports.publish(book)
    const move = await lastOf('report_book', draftReport.id)
    expect(await refused(st, () => st.as.byrne.history.undo.raw(move))).toEqual({ status: 409, code: 'history.cannot_undo' })
    await st.as.byrne.reports.sendToMinistry(book)
    expect(await refused(st, () => st.as.byrne.history.undo.raw(change))).toEqual({ status: 409, code: 'reports.locked' })
  })

  test.each([
    ['assessment', mathsExam.id],
    ['student', elan.id],
    ['subject', maths.id],
    ['report_book', draftReport.id],
    ['enrolment', naturalId('enrolment', elan.id, class3B.academic_year_id)],
  ] as const)('409 for the creation of a %s', async (entity, id) => {
    const creation = await lastOf(entity, id)
    expect(await refused(st, () => st.as.okafor.history.undo.raw(creation))).toEqual({ status: 409, code: 'history.cannot_undo' })
  })

  test('409 for the recording of a mark that has got a remark since', async () => {
    const { id } = await st.as.okafor.grades.create({ body: { assessmentId: mathsExam.id, studentId: wanderer.id, score: 40 } })
    const recording = await lastOf('grade', id)
    await st.as.okafor.grades.update({ params: { id }, body: { remarks: 'By word of mouth' } })
    expect(await refused(st, () => st.as.okafor.history.undo.raw(recording))).toEqual({ status: 409, code: 'history.changed_since' })
  })

  test('409 for a change of a row that was deleted, and for its deletion', async () => {
    await st.as.okafor.students.update({ params: { id: wanderer.id }, body: { firstName: 'Rob' } })
    const change = await lastOf('student', wanderer.id)
    await st.as.okafor.students.remove({ params: { id: wanderer.id } })
    expect(await refused(st, () => st.as.okafor.history.undo.raw(change))).toEqual({ status: 409, code: 'history.changed_since' })
    const removal = await lastOf('student', wanderer.id)
    expect(await refused(st, () => st.as.okafor.history.undo.raw(removal))).toEqual({ status: 409, code: 'history.cannot_undo' })
  })
})
