import { serveOnly } from './bare.ts'
import { callerOf, database } from './signed-in.ts'

const classById = database.prepare<[string, string], { id: string }>('select * from student_group where school_id = ? and id = ?')
const assignment = database.prepare<[string, string, string], { teacher: string }>(`
  select a.user_profile_id as teacher, c.user_profile_id as class_teacher, s.subject_id
  from teacher_group_assignment a
  left join class_teacher c on c.school_id = a.school_id and c.student_group_id = a.student_group_id
  left join teacher_subject_assignment s on s.school_id = a.school_id and s.student_group_id = a.student_group_id
    and s.user_profile_id = a.user_profile_id
  where a.school_id = ? and a.user_profile_id = ? and a.student_group_id = ?`)
const pupils = database.prepare<[string, string], { is_active: number | boolean }>(`
  select s.id, s.first_name, s.last_name, s.gender, s.date_of_birth, s.enrollment_date, s.is_active, s.student_number, s.created_at,
    s.updated_at, e.id as enrollment_id
  from enrolment e join student s on s.school_id = e.school_id and s.id = e.student_id
  where e.school_id = ? and e.student_group_id = ? order by s.sort_key, s.id`)

/** `GET /api/classes/:id/students` for a teacher of the class: the same four queries; the rows are sent unchanged. */
serveOnly((request) => {
  const caller = callerOf(request)
  const group = classById.get(caller.school_id, (request.url ?? '').slice('/api/classes/'.length, '/api/classes/'.length + 36))
  if (!group || assignment.all(caller.school_id, caller.id, group.id).length === 0) throw new Error('not found')
  const rows = pupils.all(caller.school_id, group.id)
  for (const row of rows) row.is_active = row.is_active === 1
  return JSON.stringify(rows)
})
