import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { rowsWhere } from '../../store/replica/states.ts'
import { asSystem, type NewRow } from '../../store/tx.ts'
import { altered } from '../../testing/altered.ts'
import { all, CODES, change, type Deed, type DeedContext, free, remove, some } from './deeds.scene.ts'
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
} from './deeds.school.ts'
import { isSqlFailure } from './failures.ts'
import type { WorldNode } from './node.ts'

async function mark(scene: DeedContext, fill: (before: Row<'grade'> | undefined) => Partial<Row<'grade'>>) {
  const { tx, school } = scene
  const assessment = await some(scene, 'assessment')
  const student = await some(scene, 'student')
  if (!assessment || !student) return
  const id = naturalId('grade', assessment.id, student.id)
  const before = await tx.find('grade', school.id, id)
  const patch = fill(before)
  if (patch.score != null && patch.score > assessment.max_score) patch.score = Math.round(patch.score * 10) / 100
  if (before) return change(scene, 'grade', before, patch)
  const score = patch.status && patch.score === null ? null : (patch.score ?? (scene.fresh() % 500) / 100)
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

const scoreOf = (scene: DeedContext) => (scene.fresh() % 9_999) / 100

async function newAssessment(scene: DeedContext) {
  const { tx, school, chance } = scene
  const [term, subject] = [await some(scene, 'term'), await some(scene, 'subject')]
  if (!term || !subject) return
  const group = chance.often(0.5) ? await some(scene, 'student_group', (row) => row.academic_year_id === term.academic_year_id) : undefined
  const row: NewRow<'assessment'> = {
    id: tx.newId(),
    school_id: school.id,
    term_id: term.id,
    subject_id: subject.id,
    student_group_id: group?.id ?? null,
    title: `A${scene.fresh()}`,
    assessment_type: chance.pick(['exam', 'coursework']),
    max_score: chance.pick([20, 50, 100]),
    is_excluded: false,
  }
  return tx.insert('assessment', [row])
}

async function lowerMaximum(scene: DeedContext) {
  const assessment = await some(scene, 'assessment')
  if (!assessment) return
  const grades = (await all(scene, 'grade')).filter(({ assessment_id }) => assessment_id === assessment.id)
  const top = Math.max(10, ...grades.map(({ score }) => score ?? 0))
  return change(scene, 'assessment', assessment, { max_score: Math.ceil(top) + (scene.fresh() % 30) })
}

const openBook = (scene: DeedContext) => some(scene, 'report_book', ({ status }) => status !== 'sent_to_ministry')

/** By name; how often each is done is in `weights`. */
export const deeds = {
  score: (scene) => mark(scene, () => ({ score: scoreOf(scene), status: null })),
  code: (scene) => mark(scene, () => ({ score: null, status: scene.chance.pick(['abs', 'ex', 'inc']) })),
  remark: (scene) => mark(scene, () => ({ remarks: `R${scene.fresh()}` })),
  exclude: (scene) =>
    mark(scene, (before) => ({ is_excluded: !before?.is_excluded, exclusion_reason: before?.is_excluded ? null : `E${scene.fresh()}` })),
  unmark: async (scene) => remove(scene, 'grade', await some(scene, 'grade')),
  attend: async (scene) => {
    const { tx, school, chance } = scene
    const [group, student] = [await some(scene, 'student_group'), await some(scene, 'student')]
    const year = (await all(scene, 'academic_year')).find(({ id }) => id === group?.academic_year_id)
    if (!group || !student || !year) return
    const place = { school_id: school.id, student_group_id: group.id, day: year.start_date, lesson: chance.pick([0, 1]) }
    const register = naturalId('attendance_register', group.id, place.day, String(place.lesson))
    if (!(await tx.find('attendance_register', school.id, register))) await tx.insert('attendance_register', place)
    const id = naturalId('attendance_mark', group.id, student.id, place.day, String(place.lesson))
    const code = chance.pick(['present', 'absent', 'late', 'excused'] as const)
    const before = await tx.find('attendance_mark', school.id, id)
    if (before) return change(scene, 'attendance_mark', before, { code })
    return tx.insert('attendance_mark', { ...place, student_id: student.id, code })
  },
  newAssessment,
  retitle: async (scene) => change(scene, 'assessment', await some(scene, 'assessment'), { title: `T${scene.fresh()}` }),
  lowerMaximum,
  removeAssessment: async (scene) => remove(scene, 'assessment', await some(scene, 'assessment')),
  newSubject,
  recode: async (scene) => {
    const subject = await some(scene, 'subject')
    const code = subject && (await free(scene, 'subject', 'code', CODES, subject))
    if (code) return change(scene, 'subject', subject, { code })
  },
  removeSubject: (scene) => removeUnused(scene, 'subject'),
  newStudent,
  renameStudent: async (scene) => change(scene, 'student', await some(scene, 'student'), { first_name: `F${scene.fresh()}` }),
  renumber: async (scene) => {
    const student = await some(scene, 'student')
    const number = student && (await free(scene, 'student', 'student_number', ['X1', 'X2', 'X3'], student))
    if (number) return change(scene, 'student', student, { student_number: number })
  },
  removeStudent: (scene) => removeUnused(scene, 'student'),
  move: async (scene) => {
    const place = await some(scene, 'enrolment')
    if (!place) return
    await remove(scene, 'enrolment', place)
    if (scene.chance.often(0.5)) await enrol(scene, place.student_id)
  },
  enrol: async (scene) => {
    const student = await some(scene, 'student')
    if (student) return enrol(scene, student.id)
  },
  newClass,
  renameClass: async (scene) => {
    const group = await some(scene, 'student_group')
    const name = group && (await free(scene, 'student_group', 'name', ['3A', '3B', '3C'], group))
    if (name) return change(scene, 'student_group', group, { name })
  },
  removeClass: (scene) => removeUnused(scene, 'student_group'),
  appoint,
  dismiss,
  newTerm,
  renameTerm,
  reweigh: async (scene) => {
    const exam_weight = (scene.fresh() % 10_000) / 100
    return change(scene, 'term', await some(scene, 'term'), { exam_weight, coursework_weight: Math.round((100 - exam_weight) * 100) / 100 })
  },
  removeTerm: (scene) => removeUnused(scene, 'term'),
  activate: async (scene) => {
    const [register] = await all(scene, 'active_year')
    return change(scene, 'active_year', register, { academic_year_id: scene.chance.pick(scene.school.years) })
  },
  renameSchool: async (scene) =>
    change(scene, 'school', (await rowsWhere(scene.tx, 'school', scene.school.id)).find(({ id }) => id === scene.school.id) as never, {
      phone: `P${scene.fresh()}`,
    }),
  changeMember,
  renamePerson: async (scene) => {
    const user = scene.chance.pick([...scene.school.admins, ...scene.school.teachers])
    const row = (await all(scene, 'user_profile')).find(({ id }) => id === user)
    return change(scene, 'user_profile', row, { first_name: `P${scene.fresh()}` })
  },
  askToJoin,
  conduct: async (scene) => change(scene, 'report_book', await openBook(scene), { conduct: `C${scene.fresh()}` }),
  entryRemark: async (scene) => {
    const book = await openBook(scene)
    const entry = book && (await some(scene, 'report_book_entry', ({ report_book_id }) => report_book_id === book.id))
    return change(scene, 'report_book_entry', entry, { teacher_remark: `R${scene.fresh()}` })
  },
} satisfies Record<string, Deed>
export type DeedName = keyof typeof deeds

const OFTEN: Partial<Record<DeedName, number>> = {
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
export const weights = Object.fromEntries(Object.keys(deeds).map((name) => [name, OFTEN[name as DeedName] ?? 1])) as Record<
  DeedName,
  number
>
/** What a teacher may do with some luck; a laptop's other deeds are refused. */
export const ofTeachers: readonly DeedName[] = [
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
export async function doDeed(node: WorldNode, deed: Deed, scene: Omit<DeedContext, 'tx'>): Promise<boolean> {
  try {
    await node.services.store.write(asSystem(scene.actor), async (tx) => void (await altered(tx, () => deed({ ...scene, tx }))))
    return true
  } catch (error) {
    if (!isSqlFailure(error)) throw error
    return false
  }
}
