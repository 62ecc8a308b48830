import type { Subject, Year } from './calendar.ts'
import type { Student } from './classes.ts'
import { type Columns, timestamps } from './columns.sqlite.ts'
import { ofSchool } from './describe.ts'
import type { Profile } from './people.ts'

/** A group of pupils from several classes who are taught one subject together in one year. Year and subject never change. */
export const teachingSet = (c: Columns, { academic_year, subject }: Year & Subject) =>
  c.ofSchool('student', 'teaching_set', {
    columns: {
      academic_year_id: c.uuid().notNull(),
      subject_id: c.uuid().notNull(),
      name: c.text().notNull(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.index('teaching_set_year', t.school_id, t.academic_year_id, t.subject_id),
      c.foreign('teaching_set_year_fk', [t.school_id, t.academic_year_id], [academic_year.school_id, academic_year.id]),
      c.foreign('teaching_set_subject_fk', [t.school_id, t.subject_id], [subject.school_id, subject.id]),
    ],
  })

export const teachingSetDescription = ofSchool({
  identity: ['academic_year_id', 'subject_id', 'created_at'],
  units: { name: ['name'] },
  audit: ['updated_at'],
  cascade: [
    { table: 'assessment', column: 'teaching_set_id' },
    { table: 'teaching_set_member', column: 'teaching_set_id' },
    { table: 'teaching_set_teacher', column: 'teaching_set_id' },
  ],
})

export type TeachingSet = { teaching_set: ReturnType<typeof teachingSet> }

export const teachingSetTeacher = (c: Columns, { teaching_set, user_profile }: TeachingSet & Profile) =>
  c.ofSchool('staff', 'teaching_set_teacher', {
    columns: { teaching_set_id: c.uuid().notNull(), user_profile_id: c.uuid().notNull(), created_at: c.instant().notNull() },
    rules: (t) => [
      c.unique('teaching_set_teacher_once', [t.school_id, t.teaching_set_id, t.user_profile_id]),
      c.index('teaching_set_teacher_user', t.school_id, t.user_profile_id),
      c.foreign('teaching_set_teacher_set', [t.school_id, t.teaching_set_id], [teaching_set.school_id, teaching_set.id]),
      c.foreign('teaching_set_teacher_profile', [t.user_profile_id], [user_profile.id]),
    ],
  })

export const teachingSetTeacherDescription = ofSchool({
  identity: ['teaching_set_id', 'user_profile_id', 'created_at'],
  natural: { kind: 'teaching_set_teacher', of: ['teaching_set_id', 'user_profile_id'] },
  units: {},
})

export const teachingSetMember = (c: Columns, { teaching_set, student }: TeachingSet & Student) =>
  c.ofSchool('student', 'teaching_set_member', {
    columns: { teaching_set_id: c.uuid().notNull(), student_id: c.uuid().notNull(), created_at: c.instant().notNull() },
    rules: (t) => [
      c.unique('teaching_set_member_once', [t.school_id, t.teaching_set_id, t.student_id]),
      c.index('teaching_set_member_student', t.school_id, t.student_id),
      c.foreign('teaching_set_member_set', [t.school_id, t.teaching_set_id], [teaching_set.school_id, teaching_set.id]),
      c.foreign('teaching_set_member_pupil', [t.school_id, t.student_id], [student.school_id, student.id]),
    ],
  })

export const teachingSetMemberDescription = ofSchool({
  identity: ['teaching_set_id', 'student_id', 'created_at'],
  natural: { kind: 'teaching_set_member', of: ['teaching_set_id', 'student_id'] },
  units: {},
})
