import { mathsExam, mathsHomework, mathsQuiz } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B } from '@markbook/shared/story/school-year'
import { afterEach, expect, test } from 'vitest'
import type { WriteTx } from '../../store/tx.ts'
import { meanwhile } from '../../testing/meanwhile.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
afterEach(() => st.close())

/** As the route does (schools/members.handlers.ts). */
async function removeAda(tx: WriteTx): Promise<void> {
  const { teacher_subject_assignment, teacher_group_assignment, school_management } = tx.t
  const lessons = await tx.db.select().from(teacher_subject_assignment)
  const classes = await tx.db.select().from(teacher_group_assignment)
  const members = await tx.db.select().from(school_management)
  await tx.remove(
    'teacher_subject_assignment',
    lessons.filter(({ user_profile_id }) => user_profile_id === people.ada.id),
  )
  await tx.remove(
    'teacher_group_assignment',
    classes.filter(({ user_profile_id }) => user_profile_id === people.ada.id),
  )
  await tx.remove(
    'school_management',
    members.filter(({ user_id }) => user_id === people.ada.id),
  )
}

/** The bulk request has checked the rights, and waits for a mark that the other transaction has locked while it removes the teacher. */
test.each(['a mark that is there', 'a mark that is new'] as const)(
  'a bulk of marks in the moment in which the teacher is removed, with %s: 403 or 404, and nothing changes',
  async (which) => {
    st = await school()
    const marks = async () => (await st.rows('grade')).map(({ id, score }) => [id, score])
    const before = await marks()
    const given = await st.rows('grade')
    const enrolments = await st.rows('enrolment')
    const markOf = (student: string, { id }: { id: string }) =>
      given.find((each) => each.assessment_id === id && each.student_id === student)
    const pupils = enrolments.filter(({ student_group_id }) => student_group_id === class3B.id).map(({ student_id }) => student_id)
    // An assessment in which a mark is missing.
    const test = [mathsQuiz, mathsHomework, mathsExam].find((each) => pupils.some((id) => !markOf(id, each)))
    if (!test) throw new Error('the story has every mark')
    const held = pupils.map((id) => markOf(id, test)).find((each) => each !== undefined)
    const without = pupils.find((id) => !markOf(id, test))
    const students = which === 'a mark that is new' ? [held?.student_id, without] : [held?.student_id]
    const grades = students.map((studentId, at) => ({ studentId: studentId ?? '', score: 1.5 + at }))
    const { status } = await meanwhile(
      st,
      async (tx) => {
        await tx.find('grade', stBrigids, held?.id ?? '')
        await removeAda(tx)
      },
      () => st.as.ada.grades.bulk.raw({ body: { assessmentId: test.id, grades } }),
    )
    expect([403, 404]).toContain(status)
    expect(await marks()).toEqual(before)
  },
)
