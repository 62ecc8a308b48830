import { elan, wanderer, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, english, irish, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { afterEach, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import type { School } from '../../testing/school.ts'

type Client = Awaited<ReturnType<typeof signedIn>>
const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const roleOfAda = (role: 'admin' | 'teacher' | 'member') => ({ params: { userId: people.ada.id }, body: { role } })
const inClass = { params: { id: class3B.id } }

/** Ada makes something on her laptop, which has not heard that she left. Her school takes none of it, and the head may keep it. */
async function madeAfterSheLeft(make: (ada: Client) => Promise<unknown>) {
  const { server } = await serverAndLaptop(open)
  const head = await signedIn(server, 'okafor')
  await head.schools.updateMember(roleOfAda('admin'))
  const { laptop, link } = await laptopOf(open, server, people.ada.id, 'ada')
  await head.schools.updateMember(roleOfAda('member'))
  await make(await signedIn(laptop, 'ada'))
  for (let round = 0; round < 3; round += 1) await link.round()
  const listed = () => head.replication.conflicts({ query: { status: 'open' } })
  const keep = (id: string) => head.replication.resolve.raw({ params: { id }, body: { choice: 'kept' } })
  return { server, head, link, listed, keep }
}

const towers = { termId: michaelmas.id, subjectId: english.id, title: 'Towers', assessmentType: 'coursework' as const, maxScore: 30 }
const projects = { academicYearId: thisYear.id, subjectId: maths.id, assessmentType: 'coursework' as const, name: 'Projects', weight: 2 }
const next = { name: '2026/27', startDate: '2026-09-01', endDate: '2027-07-01', gradingModel: 'term_based' as const }
const robin = { firstName: 'Robin', lastName: 'Byrd', gender: 'other' as const, enrollmentDate: '2025-09-01', studentNumber: 'R-77' }
const monday = { day: '2025-11-10', lesson: 0 }

async function oneOfEach(ada: Client) {
  const year = await ada.academicYears.create({ body: next })
  await ada.terms.create({
    body: {
      academicYearId: year.id,
      name: 'michaelmas',
      startDate: '2026-09-01',
      endDate: '2026-12-18',
      examWeight: 60,
      courseworkWeight: 40,
      isMinistryReporting: false,
    },
  })
  const latin = await ada.subjects.create({ body: { name: 'Latin', code: 'LAT' } })
  await ada.students.create({ body: robin })
  await ada.classes.create({ body: { name: '4A', academicYearId: thisYear.id, subjectIds: [latin.id] } })
  await ada.classes.enroll({ ...inClass, body: { studentId: wanderer.id } })
  await ada.classes.assignSubjects({ ...inClass, body: { studentId: zoe.id, subjectIds: [irish.id] } })
  await ada.teachingSets.create({
    body: { academicYearId: thisYear.id, subjectId: maths.id, name: 'Top', teacherIds: [people.ada.id], studentIds: [elan.id, zoe.id] },
  })
  await ada.assessmentCategories.create({ body: projects })
  await ada.attendance.take({
    params: { classId: class3B.id },
    body: { ...monday, marks: [{ studentId: zoe.id, code: 'late', note: 'Bus' }] },
  })
  const { id } = await ada.assessments.create({ body: { ...towers, studentGroupId: class3B.id } })
  await ada.assessments.exclude({ params: { id }, body: { isExcluded: true, exclusionReason: 'Fire alarm' } })
}

const KINDS: readonly Replicated[] = [
  'academic_year',
  'term',
  'subject',
  'student',
  'student_group',
  'teacher_group_assignment',
  'class_teacher',
  'teacher_subject_assignment',
  'enrolment',
  'student_subject',
  'teaching_set',
  'teaching_set_teacher',
  'teaching_set_member',
  'assessment_category',
  'attendance_register',
  'attendance_mark',
  'assessment',
]

test('whatever somebody made whose right was lost can be kept: as it was made, under its id, in the history of whoever keeps it', async () => {
  const { server, head, link, listed, keep } = await madeAfterSheLeft(oneOfEach)
  await head.schools.updateMember(roleOfAda('teacher'))
  const order = Object.keys(descriptions)
  const all = (await listed()).sort((a, b) => order.indexOf(a.entity) - order.indexOf(b.entity))
  expect([...new Set(all.map(({ entity }) => entity))]).toEqual(KINDS)
  for (const { id, entity, row_id, kept } of all) {
    expect([entity, (await keep(id)).status]).toEqual([entity, 200])
    const row = (await server.rows(entity as Replicated)).find((each) => each.id === row_id)
    const { created_at: _, created_by: __, enrolled_at: ___, user_profile_id: ____, ...values } = { ...kept }
    expect([entity, row]).toEqual([entity, expect.objectContaining(values)])
  }
  expect(await listed()).toEqual([])
  const history = await server.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))
  const made = (row: string) => history.some(({ row_id, actor_id }) => row_id === row && actor_id === people.okafor.id)
  expect(all.filter(({ row_id }) => !made(row_id)).map(({ entity }) => entity)).toEqual([])
  for (let round = 0; round < 2; round += 1) await link.round()
  expect(await listed()).toEqual([])
})

test('it is not kept where the class to which it belongs is gone: nothing is written, and the conflict stays open', async () => {
  const { server, listed, keep } = await madeAfterSheLeft(async (ada) => {
    await ada.classes.create({ body: { name: '4A', academicYearId: thisYear.id } })
    const group = (await ada.classes.list({ query: {} })).find(({ name }) => name === '4A')
    await ada.assessments.create({ body: { ...towers, studentGroupId: group?.id as string } })
  })
  const test = (await listed()).find(({ entity }) => entity === 'assessment')
  expect(await refused(server, () => keep(test?.id as string))).toEqual({ status: 409, code: 'sync.belongs_to_nothing' })
  expect((await listed()).map(({ id }) => id)).toContain(test?.id)
  const group = (await listed()).find(({ entity }) => entity === 'student_group')
  await keep(group?.id as string)
  expect((await keep(test?.id as string)).status).toBe(200)
  expect((await server.rows('assessment')).find(({ id }) => id === test?.row_id)).toMatchObject({ student_group_id: group?.row_id })
})

test('what somebody else has made meanwhile stands, and what breaks a rule by now is refused with that rule', async () => {
  const { server, head, listed, keep } = await madeAfterSheLeft(async (ada) => {
    await ada.classes.enroll({ ...inClass, body: { studentId: wanderer.id } })
    await ada.subjects.create({ body: { name: 'Latin', code: 'LAT' } })
  })
  await head.classes.enroll({ ...inClass, body: { studentId: wanderer.id } })
  await head.subjects.create({ body: { name: 'Latin for all', code: 'LAT' } })
  const idOf = async (entity: Replicated) => (await listed()).find((conflict) => conflict.entity === entity)?.id as string
  const [enrolment, subject] = [await idOf('enrolment'), await idOf('subject')]
  expect(await refused(server, () => keep(subject))).toEqual({ status: 409, code: 'sync.cannot_resolve' })
  const before = await server.rows('enrolment')
  expect((await keep(enrolment)).status).toBe(200)
  expect(await server.rows('enrolment')).toEqual(before)
})
