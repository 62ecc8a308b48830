import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { rowsWhere } from '../../store/replica/states.ts'
import { asSystem, type NewRow } from '../../store/tx.ts'
import { asModifiedProgram } from '../../testing/modified-program.ts'
import { type Action, type ActionContext, all, CODES, change, free, remove, some } from './actions.context.ts'
import {
  appoint,
  askToJoin,
  changeMember,
  dismiss,
  enrol,
  newClass,
  newStudent,
  newSubject,
  newTerm,
  removeUnused,
  renameTerm,
} from './actions.school.ts'
import { isSqlFailure } from './failures.ts'
import type { WorldNode } from './node.ts'

async function mark(context: ActionContext, fill: (before: Row<'grade'> | undefined) => Partial<Row<'grade'>>) {
  const { tx, school } = context
  const assessment = await some(context, 'assessment')
  const student = await some(context, 'student')
  if (!assessment || !student) return
  const id = naturalId('grade', assessment.id, student.id)
  const before = await tx.find('grade', school.id, id)
  const patch = fill(before)
  if (patch.score != null && patch.score > assessment.max_score) patch.score = Math.round(patch.score * 10) / 100
  if (before) return change(context, 'grade', before, patch)
  const score = patch.status && patch.score === null ? null : (patch.score ?? (context.fresh() % 500) / 100)
  if (score !== null && score > assessment.max_score) return
  const row: NewRow<'grade'> = {
    is_excluded: false,
    ...patch,
    id,
    school_id: school.id,
    assessment_id: assessment.id,
    term_id: assessment.term_id,
    student_id: student.id,
    score,
  }
  return tx.insert('grade', [row])
}

const scoreOf = (context: ActionContext) => (context.fresh() % 9_999) / 100

async function newAssessment(context: ActionContext) {
  const { tx, school, chance } = context
  const [term, subject] = [await some(context, 'term'), await some(context, 'subject')]
  if (!term || !subject) return
  const group = chance.often(0.5)
    ? await some(context, 'student_group', (row) => row.academic_year_id === term.academic_year_id)
    : undefined
  const row: NewRow<'assessment'> = {
    id: tx.newId(),
    school_id: school.id,
    term_id: term.id,
    subject_id: subject.id,
    student_group_id: group?.id ?? null,
    title: `A${context.fresh()}`,
    assessment_type: chance.pick(['exam', 'coursework']),
    max_score: chance.pick([20, 50, 100]),
    is_excluded: false,
  }
  return tx.insert('assessment', [row])
}

async function lowerMaximum(context: ActionContext) {
  const assessment = await some(context, 'assessment')
  if (!assessment) return
  const grades = (await all(context, 'grade')).filter(({ assessment_id }) => assessment_id === assessment.id)
  const top = Math.max(10, ...grades.map(({ score }) => score ?? 0))
  return change(context, 'assessment', assessment, { max_score: Math.ceil(top) + (context.fresh() % 30) })
}

const openBook = (context: ActionContext) => some(context, 'report_book', ({ status }) => status !== 'sent_to_ministry')

/** By name; how often each is done is in `weights`. */
export const actions = {
  score: (context) => mark(context, () => ({ score: scoreOf(context), status: null })),
  code: (context) => mark(context, () => ({ score: null, status: context.chance.pick(['abs', 'ex', 'inc']) })),
  remark: (context) => mark(context, () => ({ remarks: `R${context.fresh()}` })),
  exclude: (context) =>
    mark(context, (before) => ({
      is_excluded: !before?.is_excluded,
      exclusion_reason: before?.is_excluded ? null : `E${context.fresh()}`,
    })),
  unmark: async (context) => remove(context, 'grade', await some(context, 'grade')),
  attend: async (context) => {
    const { tx, school, chance } = context
    const [group, student] = [await some(context, 'student_group'), await some(context, 'student')]
    const year = (await all(context, 'academic_year')).find(({ id }) => id === group?.academic_year_id)
    if (!group || !student || !year) return
    const place = { school_id: school.id, student_group_id: group.id, day: year.start_date, lesson: chance.pick([0, 1]) }
    const register = naturalId('attendance_register', group.id, place.day, String(place.lesson))
    if (!(await tx.find('attendance_register', school.id, register))) await tx.insert('attendance_register', place)
    const id = naturalId('attendance_mark', group.id, student.id, place.day, String(place.lesson))
    const code = chance.pick(['present', 'absent', 'late', 'excused'] as const)
    const before = await tx.find('attendance_mark', school.id, id)
    if (before) return change(context, 'attendance_mark', before, { code })
    return tx.insert('attendance_mark', { ...place, student_id: student.id, code })
  },
  newAssessment,
  retitle: async (context) => change(context, 'assessment', await some(context, 'assessment'), { title: `T${context.fresh()}` }),
  lowerMaximum,
  removeAssessment: async (context) => remove(context, 'assessment', await some(context, 'assessment')),
  newSubject,
  recode: async (context) => {
    const subject = await some(context, 'subject')
    const code = subject && (await free(context, 'subject', 'code', CODES, subject))
    if (code) return change(context, 'subject', subject, { code })
  },
  removeSubject: (context) => removeUnused(context, 'subject'),
  newStudent,
  renameStudent: async (context) => change(context, 'student', await some(context, 'student'), { first_name: `F${context.fresh()}` }),
  renumber: async (context) => {
    const student = await some(context, 'student')
    const number = student && (await free(context, 'student', 'student_number', ['X1', 'X2', 'X3'], student))
    if (number) return change(context, 'student', student, { student_number: number })
  },
  removeStudent: (context) => removeUnused(context, 'student'),
  move: async (context) => {
    const place = await some(context, 'enrolment')
    if (!place) return
    await remove(context, 'enrolment', place)
    if (context.chance.often(0.5)) await enrol(context, place.student_id)
  },
  enrol: async (context) => {
    const student = await some(context, 'student')
    if (student) return enrol(context, student.id)
  },
  newClass,
  renameClass: async (context) => {
    const group = await some(context, 'student_group')
    const name = group && (await free(context, 'student_group', 'name', ['3A', '3B', '3C'], group))
    if (name) return change(context, 'student_group', group, { name })
  },
  removeClass: (context) => removeUnused(context, 'student_group'),
  appoint,
  dismiss,
  newTerm,
  renameTerm,
  reweigh: async (context) => {
    const exam_weight = (context.fresh() % 10_000) / 100
    return change(context, 'term', await some(context, 'term'), {
      exam_weight,
      coursework_weight: Math.round((100 - exam_weight) * 100) / 100,
    })
  },
  removeTerm: (context) => removeUnused(context, 'term'),
  activate: async (context) => {
    const [register] = await all(context, 'active_year')
    return change(context, 'active_year', register, { academic_year_id: context.chance.pick(context.school.years) })
  },
  renameSchool: async (context) =>
    change(
      context,
      'school',
      (await rowsWhere(context.tx, 'school', context.school.id)).find(({ id }) => id === context.school.id) as never,
      {
        phone: `P${context.fresh()}`,
      },
    ),
  changeMember,
  renamePerson: async (context) => {
    const user = context.chance.pick([...context.school.admins, ...context.school.teachers])
    const row = (await all(context, 'user_profile')).find(({ id }) => id === user)
    return change(context, 'user_profile', row, { first_name: `P${context.fresh()}` })
  },
  askToJoin,
  conduct: async (context) => change(context, 'report_book', await openBook(context), { conduct: `C${context.fresh()}` }),
  entryRemark: async (context) => {
    const book = await openBook(context)
    const entry = book && (await some(context, 'report_book_entry', ({ report_book_id }) => report_book_id === book.id))
    return change(context, 'report_book_entry', entry, { teacher_remark: `R${context.fresh()}` })
  },
} satisfies Record<string, Action>
export type ActionName = keyof typeof actions

const OFTEN: Partial<Record<ActionName, number>> = {
  score: 14,
  code: 2,
  remark: 5,
  exclude: 3,
  unmark: 2,
  newAssessment: 4,
  lowerMaximum: 3,
  conduct: 4,
  entryRemark: 4,
  removeClass: 0.5,
  newSubject: 2,
  newStudent: 2,
}
export const weights = Object.fromEntries(Object.keys(actions).map((name) => [name, OFTEN[name as ActionName] ?? 1])) as Record<
  ActionName,
  number
>
/** What a teacher may do with some luck; a laptop's other actions are refused. */
export const ofTeachers: readonly ActionName[] = [
  'score',
  'code',
  'remark',
  'exclude',
  'unmark',
  'attend',
  'newAssessment',
  'retitle',
  'lowerMaximum',
  'removeAssessment',
  'conduct',
  'entryRemark',
]

/** Does it through the store's own door. Answers false where a rule of the database was in the way, and nothing was written. */
export async function perform(node: WorldNode, action: Action, context: Omit<ActionContext, 'tx'>): Promise<boolean> {
  try {
    await node.services.store.write(
      asSystem(context.actor),
      async (tx) => void (await asModifiedProgram(tx, () => action({ ...context, tx }))),
    )
    return true
  } catch (error) {
    if (!isSqlFailure(error)) throw error
    return false
  }
}
