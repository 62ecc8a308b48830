import { naturalId } from '@markbook/shared/ids'
import type { class3B } from '@markbook/shared/story/school-year'
import { asSystem } from '../../store/tx.ts'
import type { School } from '../../testing/school.ts'

type Student = { id: string; school_id: string }
type Assessment = { id: string; school_id: string; term_id: string }

export const addGrade = ({ services }: School, { id, school_id, term_id }: Assessment, student: Student, score: number) =>
  services.store.write(asSystem(), (tx) =>
    tx.insert('grade', [
      {
        id: naturalId('grade', id, student.id),
        school_id,
        assessment_id: id,
        term_id,
        student_id: student.id,
        score,
        remarks: null,
        is_excluded: false,
        exclusion_reason: null,
      },
    ]),
  )

/** Assigns subjects to a student of 3B. */
export const assignSubject = ({ services }: School, student: Student, subjects: readonly { id: string }[]) =>
  services.store.write(asSystem(), async (tx) => {
    const enrolments = await tx.db.select().from(tx.t.enrolment)
    const group = enrolments.find(({ student_id }) => student_id === student.id)?.student_group_id ?? ''
    await tx.insert(
      'student_subject',
      subjects.map(({ id }) => ({
        id: naturalId('student_subject', student.id, id, group),
        school_id: student.school_id,
        student_id: student.id,
        subject_id: id,
        student_group_id: group,
      })) as never,
    )
  })

/** Moves students to another class of the same year, or, for null, out of theirs. */
export const place = ({ services }: School, students: readonly Student[], group: typeof class3B | null) =>
  services.store.write(asSystem(), async (tx) => {
    const enrolments = await tx.db.select().from(tx.t.enrolment)
    const own = enrolments.filter(({ student_id }) => students.some(({ id }) => id === student_id))
    if (group)
      await tx.update(
        'enrolment',
        own.map((before) => ({ before, patch: { student_group_id: group.id } })),
      )
    else await tx.remove('enrolment', own)
  })
