import { naturalId } from '@markbook/shared/ids'
import type { NewRow } from '../../store/tx.ts'
import { type ActionContext, all, CODES, change, free, remove, some } from './actions.context.ts'

export async function newSubject(context: ActionContext) {
  const code = await free(context, 'subject', 'code', CODES)
  if (!code) return
  const { tx, school } = context
  return tx.insert('subject', [
    { id: tx.newId(), school_id: school.id, name: `Subject ${context.fresh()}`, code, sort_order: 9, is_active: true },
  ])
}

export async function newStudent(context: ActionContext) {
  const { tx, school, chance, fresh } = context
  const number = chance.often(0.7) ? await free(context, 'student', 'student_number', ['X1', 'X2', 'X3']) : undefined
  const row: NewRow<'student'> = {
    id: tx.newId(),
    school_id: school.id,
    first_name: `New${fresh()}`,
    last_name: `L${fresh()}`,
    gender: 'female',
    is_active: true,
    student_number: number ?? null,
    sort_key: '',
    search_key: '',
  }
  await tx.insert('student', [row])
  return enrol(context, row.id)
}

export async function enrol(context: ActionContext, student: string) {
  const { tx, school } = context
  const group = await some(context, 'student_group', ({ academic_year_id }) => academic_year_id === school.years[0])
  if (!group) return
  const id = naturalId('enrolment', student, group.academic_year_id)
  if (await tx.find('enrolment', school.id, id)) return
  const place = { school_id: school.id, academic_year_id: group.academic_year_id, student_group_id: group.id }
  return tx.insert('enrolment', [{ id, ...place, student_id: student, enrolled_at: tx.now }])
}

export async function newClass(context: ActionContext) {
  const { tx, school } = context
  const name = await free(context, 'student_group', 'name', ['3A', '3B', '3C'])
  const year = school.years[0]
  if (!name || !year) return
  return tx.insert('student_group', [{ id: tx.newId(), school_id: school.id, academic_year_id: year, name, created_by: context.actor }])
}

export async function appoint(context: ActionContext) {
  const { tx, school, chance } = context
  const group = await some(context, 'student_group')
  const user = chance.pick(school.teachers)
  if (!group) return
  const place = { school_id: school.id, student_group_id: group.id, user_profile_id: user }
  const id = naturalId('teacher_group_assignment', user, group.id)
  if (!(await tx.find('teacher_group_assignment', school.id, id)))
    await tx.insert('teacher_group_assignment', [{ id, ...place, academic_year_id: group.academic_year_id }])
  const before = await tx.find('class_teacher', school.id, group.id)
  if (before) return change(context, 'class_teacher', before, { user_profile_id: user })
  return tx.insert('class_teacher', [{ id: group.id, ...place }])
}

export async function dismiss(context: ActionContext) {
  const heads = await all(context, 'class_teacher')
  const assignment = await some(
    context,
    'teacher_group_assignment',
    (row) => !heads.some((head) => head.student_group_id === row.student_group_id && head.user_profile_id === row.user_profile_id),
  )
  if (!assignment) return
  const { tx } = context
  const subjects = (await all(context, 'teacher_subject_assignment')).filter(
    (row) => row.student_group_id === assignment.student_group_id && row.user_profile_id === assignment.user_profile_id,
  )
  await tx.remove('teacher_subject_assignment', subjects)
  await tx.remove('teacher_group_assignment', [assignment])
}

export async function newTerm(context: ActionContext) {
  const { tx, school, chance, fresh } = context
  const year = school.years[1] as string
  const own = (await all(context, 'term')).filter(({ academic_year_id }) => academic_year_id === year)
  const name = chance.pick(['michaelmas', 'hilary', 'trinity'] as const)
  if (own.some((term) => term.name === name)) return
  const natural = naturalId('term', year, name)
  const id = (await tx.find('term', school.id, natural)) ? tx.newId() : natural
  const exam_weight = fresh() % 100
  const dates = { start_date: '2025-09-01', end_date: '2025-10-01' }
  const weights = { exam_weight, coursework_weight: 100 - exam_weight }
  return tx.insert('term', [
    { id, school_id: school.id, academic_year_id: year, name, ...dates, ...weights, is_ministry_reporting: false, sort_order: 1 },
  ])
}

export async function renameTerm(context: ActionContext) {
  const term = await some(context, 'term', ({ academic_year_id }) => academic_year_id === context.school.years[1])
  if (!term) return
  const taken = (await all(context, 'term')).filter((each) => each.academic_year_id === term.academic_year_id).map(({ name }) => name)
  const left = (['michaelmas', 'hilary', 'trinity'] as const).filter((name) => !taken.includes(name))
  if (left.length > 0) return change(context, 'term', term, { name: context.chance.pick(left) })
}

export async function removeUnused(context: ActionContext, table: 'term' | 'subject' | 'student' | 'student_group') {
  const column = { term: 'term_id', subject: 'subject_id', student: 'student_id', student_group: 'student_group_id' }[table]
  const row = await some(context, table)
  if (!row) return
  const cascades = {
    term: [],
    subject: [],
    student: ['attendance_mark', 'teaching_set_member', 'student_subject', 'enrolment'],
    student_group: [
      'assessment',
      'report_book',
      'class_report_file',
      'attendance_mark',
      'attendance_register',
      'student_subject',
      'enrolment',
      'class_teacher',
      'teacher_subject_assignment',
      'teacher_group_assignment',
    ],
  }[table]
  const users = ['assessment', 'grade', 'report_book', 'report_book_entry', 'teacher_subject_assignment', 'student_subject'] as const
  for (const user of users) {
    if (cascades.includes(user as never)) continue
    if ((await all(context, user)).some((each) => (each as Record<string, unknown>)[column] === row.id)) return
  }
  // Nobody deletes a class of which reports were sent.
  const sent = (await all(context, 'report_book')).filter(({ status }) => status === 'sent_to_ministry')
  if (table === 'student_group' && sent.some(({ student_group_id }) => student_group_id === row.id)) return
  if (table === 'subject')
    for (const along of ['teaching_set', 'assessment_category'] as const)
      await context.tx.remove(
        along,
        (await all(context, along)).filter(({ subject_id }) => subject_id === row.id),
      )
  return remove(context, table, row as never)
}

export async function changeMember(context: ActionContext) {
  const { chance } = context
  const members = await all(context, 'school_management')
  const member = chance.pick(members)
  const admins = members.filter(({ role, is_active }) => role === 'admin' && is_active)
  if (admins.length === 1 && admins[0]?.id === member.id) return
  if (chance.often(0.5)) return change(context, 'school_management', member, { is_active: !member.is_active })
  return change(context, 'school_management', member, { role: chance.pick(['admin', 'teacher', 'teacher', 'member'] as const) })
}

export async function askToJoin(context: ActionContext) {
  const { tx, school, chance } = context
  const user_id = chance.pick([...school.admins, ...school.teachers])
  const before = (await all(context, 'school_join_request')).find((each) => each.user_id === user_id && each.status === 'pending')
  if (!before)
    return tx.insert('school_join_request', [{ id: tx.newId(), school_id: school.id, user_id, status: 'pending', requested_at: tx.now }])
  const status = chance.pick(['approved', 'rejected'] as const)
  return change(context, 'school_join_request', before, { status, reviewed_at: tx.now, reviewed_by: context.actor })
}
