import { mathsHomework } from '@markbook/shared/story/marks'
import { class3A, class3B, english, hilltopClass, lastYears2B } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const params = { classId: class3B.id }

describe('DELETE /api/classes/:classId', () => {
  test('409 while the class holds a report that was sent to the ministry, and nothing is deleted', async () => {
    for (const who of ['byrne', 'okafor'] as const) {
      expect(await refused(st, () => st.as[who].classes.remove.raw({ params }))).toEqual({ status: 409, code: 'classes.sent_reports' })
    }
  })

  test('403 for a subject teacher, a teacher of other classes and a member; 404 for the neighbour’s administrator', async () => {
    for (const who of ['ada', 'quinn', 'niamh', 'markerTeacher'] as const) {
      expect(await refused(st, () => st.as[who].classes.remove.raw({ params }))).toEqual({ status: 403, code: 'forbidden' })
    }
    expect(await refused(st, () => st.as.marker.classes.remove.raw({ params }))).toMatchObject({ status: 404 })
  })

  test('the class teacher deletes a class with everything in it, and nothing of any other', async () => {
    const sent = (await st.rows('report_book')).find(({ status }) => status === 'sent_to_ministry')!
    await st.services.store.write(asSystem(), async (tx) => {
      await tx.update('report_book', [{ before: sent, patch: { status: 'published' } }])
      const file = {
        student_group_id: class3B.id,
        term_id: sent.term_id,
        report_type: 'term' as const,
        file_type: 'csv' as const,
        file_path: 'a/b.csv',
      }
      await tx.insert('class_report_file', [
        { ...file, id: tx.newId(), school_id: sent.school_id, file_size: 1, generated_by: null, generated_at: tx.now },
      ])
      const printed = { report_book_id: sent.id, file_path: 'a/b.pdf', file_size: 1, generated_by: null, generated_at: tx.now }
      await tx.insert('report_book_pdf', [{ ...printed, id: tx.newId(), school_id: sent.school_id }])
    })
    const [pupil] = await st.as.byrne.classes.students({ params: { id: class3B.id } })
    await st.as.byrne.classes.assignSubjects({ params: { id: class3B.id }, body: { studentId: pupil!.id, subjectIds: [english.id] } })
    const homework = (await st.rows('grade')).filter((row) => row.assessment_id === mathsHomework.id)
    expect(homework).toHaveLength(6)
    const [grades, students] = [await st.rows('grade'), await st.rows('student')]

    await st.as.byrne.classes.remove({ params })

    const ofClass = [
      'class_teacher',
      'teacher_subject_assignment',
      'teacher_group_assignment',
      'student_subject',
      'enrolment',
      'class_report_file',
    ] as const
    for (const table of [...ofClass, 'report_book', 'assessment'] as const) {
      expect((await st.rows(table)).filter((row) => row.student_group_id === class3B.id)).toEqual([])
    }
    expect((await st.rows('student_group')).map(({ id }) => id).sort()).toEqual([class3A.id, hilltopClass.id, lastYears2B.id].sort())
    expect(await st.rows('grade')).toEqual(grades.filter((row) => row.assessment_id !== mathsHomework.id))
    expect(await st.rows('student')).toEqual(students)
    expect(await st.rows('report_book_entry')).toHaveLength(1)
    expect(await st.rows('report_book_pdf')).toEqual([])
    expect(await st.rows('class_teacher')).toHaveLength(3)
    const tombstones = await st.services.store.read(asSystem(), async ({ db, t }) =>
      (await db.select().from(t.sync_row)).filter((row) => row.deleted),
    )
    expect(tombstones.map((row) => row.row_id)).toEqual(
      expect.arrayContaining([class3B.id, mathsHomework.id, ...homework.map(({ id }) => id)]),
    )
  })
})
