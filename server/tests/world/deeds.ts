import { naturalId } from '@markbook/shared/ids'
import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { rowsWhere } from '../../store/replica/states.ts'
import { asSystem, type NewRow, type WriteTx } from '../../store/tx.ts'
import type { Chance } from './chance.ts'
import { isSqlFailure } from './failures.ts'
import type { Founded } from './founding.ts'
import type { WorldNode } from './node.ts'

/** What somebody does at a node. `fresh` never gives the same number twice, so that every value names its write. */
export type Scene = { tx: WriteTx; school: Founded; chance: Chance; fresh(): number; actor: string }
type Deed = (scene: Scene) => Promise<unknown>

const all = async <T extends Replicated>({ tx, school }: Scene, table: T): Promise<Row<T>[]> =>
  ((await rowsWhere(tx, table, school.id)) as unknown as (Row<T> & { id: string })[]).sort((a, b) => (a.id < b.id ? -1 : 1))
async function some<T extends Replicated>(
  scene: Scene,
  table: T,
  fits: (row: Row<T>) => boolean = () => true,
): Promise<Row<T> | undefined> {
  const rows = (await all(scene, table)).filter(fits)
  return rows.length > 0 ? scene.chance.pick(rows) : undefined
}
const change = async <T extends Replicated>({ tx }: Scene, table: T, before: Row<T> | undefined, patch: Partial<Row<T>>) =>
  before && (await tx.update(table, [{ before, patch }]))
const remove = async <T extends Replicated>({ tx }: Scene, table: T, row: Row<T> | undefined) => row && (await tx.remove(table, [row]))

async function mark(scene: Scene, fill: (before: Row<'grade'> | undefined) => Partial<Row<'grade'>>) {
  const { tx, school } = scene
  const assessment = await some(scene, 'assessment')
  const student = await some(scene, 'student')
  if (!assessment || !student) return
  const id = naturalId('grade', assessment.id, student.id)
  const before = await tx.find('grade', school.id, id)
  const patch = fill(before)
  if (patch.score !== undefined && patch.score > assessment.max_score) patch.score /= 10
  if (before) return change(scene, 'grade', before, patch)
  const score = patch.score ?? (scene.fresh() % 5_000) / 1_000
  if (score > assessment.max_score) return
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

const scoreOf = (scene: Scene) => (scene.fresh() % 9_999) / 100

async function newAssessment(scene: Scene) {
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

async function lowerMaximum(scene: Scene) {
  const assessment = await some(scene, 'assessment')
  if (!assessment) return
  const grades = (await all(scene, 'grade')).filter(({ assessment_id }) => assessment_id === assessment.id)
  const top = Math.max(10, ...grades.map(({ score }) => score))
  return change(scene, 'assessment', assessment, { max_score: Math.ceil(top) + (scene.fresh() % 30) })
}

const CODES = ['MU', 'AR', 'PE'] as const
const free = async <T extends Replicated>(scene: Scene, table: T, column: keyof Row<T>, from: readonly string[], own?: Row<T>) => {
  const taken = new Set((await all(scene, table)).filter((row) => row !== own).map((row) => row[column]))
  const left = from.filter((each) => !taken.has(each as never))
  return left.length > 0 ? scene.chance.pick(left) : undefined
}

async function newSubject(scene: Scene) {
  const code = await free(scene, 'subject', 'code', CODES)
  if (!code) return
  const { tx, school } = scene
  return tx.insert('subject', [
    { id: tx.newId(), school_id: school.id, name: `Subject ${scene.fresh()}`, code, sort_order: 9, is_active: true },
  ])
}

async function newStudent(scene: Scene) {
  const { tx, school, chance, fresh } = scene
  const number = chance.often(0.7) ? await free(scene, 'student', 'student_number', ['X1', 'X2', 'X3']) : undefined
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
  return enrol(scene, row.id)
}

async function enrol(scene: Scene, student: string) {
  const { tx, school } = scene
  const group = await some(scene, 'student_group', ({ academic_year_id }) => academic_year_id === school.years[0])
  if (!group) return
  const id = naturalId('enrolment', student, group.academic_year_id)
  if (await tx.find('enrolment', school.id, id)) return
  const place = { school_id: school.id, academic_year_id: group.academic_year_id, student_group_id: group.id }
  return tx.insert('enrolment', [{ id, ...place, student_id: student, enrolled_at: tx.now }])
}

async function newClass(scene: Scene) {
  const { tx, school } = scene
  const name = await free(scene, 'student_group', 'name', ['3A', '3B', '3C'])
  const year = school.years[0]
  if (!name || !year) return
  return tx.insert('student_group', [{ id: tx.newId(), school_id: school.id, academic_year_id: year, name, created_by: scene.actor }])
}

async function appoint(scene: Scene) {
  const { tx, school, chance } = scene
  const group = await some(scene, 'student_group')
  const user = chance.pick(school.teachers)
  if (!group) return
  const place = { school_id: school.id, student_group_id: group.id, user_profile_id: user }
  const id = naturalId('teacher_group_assignment', user, group.id)
  if (!(await tx.find('teacher_group_assignment', school.id, id)))
    await tx.insert('teacher_group_assignment', [{ id, ...place, academic_year_id: group.academic_year_id }])
  const before = await tx.find('class_teacher', school.id, group.id)
  if (before) return change(scene, 'class_teacher', before, { user_profile_id: user })
  return tx.insert('class_teacher', [{ id: group.id, ...place }])
}

async function dismiss(scene: Scene) {
  const heads = await all(scene, 'class_teacher')
  const assignment = await some(
    scene,
    'teacher_group_assignment',
    (row) => !heads.some((head) => head.student_group_id === row.student_group_id && head.user_profile_id === row.user_profile_id),
  )
  if (!assignment) return
  const { tx } = scene
  const subjects = (await all(scene, 'teacher_subject_assignment')).filter(
    (row) => row.student_group_id === assignment.student_group_id && row.user_profile_id === assignment.user_profile_id,
  )
  await tx.remove('teacher_subject_assignment', subjects)
  await tx.remove('teacher_group_assignment', [assignment])
}

async function newTerm(scene: Scene) {
  const { tx, school, chance, fresh } = scene
  const year = school.years[1] as string
  const own = (await all(scene, 'term')).filter(({ academic_year_id }) => academic_year_id === year)
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

async function renameTerm(scene: Scene) {
  const term = await some(scene, 'term', ({ academic_year_id }) => academic_year_id === scene.school.years[1])
  if (!term) return
  const taken = (await all(scene, 'term')).filter((each) => each.academic_year_id === term.academic_year_id).map(({ name }) => name)
  const left = (['michaelmas', 'hilary', 'trinity'] as const).filter((name) => !taken.includes(name))
  if (left.length > 0) return change(scene, 'term', term, { name: scene.chance.pick(left) })
}

async function removeUnused(scene: Scene, table: 'term' | 'subject' | 'student' | 'student_group') {
  const column = { term: 'term_id', subject: 'subject_id', student: 'student_id', student_group: 'student_group_id' }[table]
  const row = await some(scene, table)
  if (!row) return
  const cascades = {
    term: [],
    subject: [],
    student: ['student_subject', 'enrolment'],
    student_group: [
      'assessment',
      'report_book',
      'class_report_file',
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
    if ((await all(scene, user)).some((each) => (each as Record<string, unknown>)[column] === row.id)) return
  }
  // Nobody deletes a class of which reports were sent (docs/decisions/0130).
  const sent = (await all(scene, 'report_book')).filter(({ status }) => status === 'sent_to_ministry')
  if (table === 'student_group' && sent.some(({ student_group_id }) => student_group_id === row.id)) return
  return remove(scene, table, row as never)
}

async function changeMember(scene: Scene) {
  const { chance } = scene
  const members = await all(scene, 'school_management')
  const member = chance.pick(members)
  const admins = members.filter(({ role, is_active }) => role === 'admin' && is_active)
  if (admins.length === 1 && admins[0]?.id === member.id) return
  if (chance.often(0.5)) return change(scene, 'school_management', member, { is_active: !member.is_active })
  return change(scene, 'school_management', member, { role: chance.pick(['admin', 'teacher', 'teacher', 'member'] as const) })
}

async function askToJoin(scene: Scene) {
  const { tx, school, chance } = scene
  const user_id = chance.pick([...school.admins, ...school.teachers])
  const before = (await all(scene, 'school_join_request')).find((each) => each.user_id === user_id && each.status === 'pending')
  if (!before)
    return tx.insert('school_join_request', [{ id: tx.newId(), school_id: school.id, user_id, status: 'pending', requested_at: tx.now }])
  const status = chance.pick(['approved', 'rejected'] as const)
  return change(scene, 'school_join_request', before, { status, reviewed_at: tx.now, reviewed_by: scene.actor })
}

const openBook = (scene: Scene) => some(scene, 'report_book', ({ status }) => status !== 'sent_to_ministry')

/** By name; how often each is done is in `weights`. */
export const deeds = {
  score: (scene) => mark(scene, () => ({ score: scoreOf(scene) })),
  remark: (scene) => mark(scene, () => ({ remarks: `R${scene.fresh()}` })),
  exclude: (scene) =>
    mark(scene, (before) => ({ is_excluded: !before?.is_excluded, exclusion_reason: before?.is_excluded ? null : `E${scene.fresh()}` })),
  unmark: async (scene) => remove(scene, 'grade', await some(scene, 'grade')),
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
  'remark',
  'exclude',
  'unmark',
  'newAssessment',
  'retitle',
  'lowerMaximum',
  'removeAssessment',
  'conduct',
  'entryRemark',
]

/** Does it through the store's own door. Answers false where a rule of the database was in the way, and nothing was written. */
export async function doDeed(node: WorldNode, name: DeedName, scene: Omit<Scene, 'tx'>): Promise<boolean> {
  try {
    await node.services.store.write(asSystem(scene.actor), async (tx) => void (await (deeds[name] as Deed)({ ...scene, tx })))
    return true
  } catch (error) {
    if (!isSqlFailure(error)) throw error
    return false
  }
}
