import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, mathsHomework, oisin, zoe } from '@markbook/shared/story/marks'
import { type PersonName, people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, lastYears2B, maths, thisYear } from '@markbook/shared/story/school-year'
import type { Row } from '@markbook/shared/tables/tables'
import type { Values } from '@markbook/sync/merge/state'
import { LAST_MOMENT } from '@markbook/sync/versions'
import { afterEach, describe, expect, test } from 'vitest'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { mark, saysOf } from './altered.fixtures.ts'
import { conflictsAt, refusedAt, refusedBelow, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

async function serverAnd(who: PersonName) {
  const server = await school({ seed: 'server' })
  open.push(server)
  return { server, ...(await laptopOf(open, server, people[who].id)) }
}

const created_at = '2026-01-12T08:00:00.000Z'
const assigned = (user: string) => ({ user_profile_id: user, student_group_id: class3B.id, academic_year_id: thisYear.id, created_at })

test('who created a class and gave it away does not take it back', async () => {
  const nodes = await serverAnd('byrne')
  const { server } = nodes
  const says = await saysOf('byrne', nodes)
  const { classes } = server.as.okafor
  await classes.handOver({ params: { classId: class3B.id }, body: { teacherId: people.quinn.id } })
  await classes.removeTeacher({ params: { classId: class3B.id, teacherId: people.byrne.id } })
  const place = naturalId('teacher_group_assignment', people.byrne.id, class3B.id)
  expect(await says('teacher_group_assignment', place, assigned(people.byrne.id))).toMatchObject([{ code: 'forbidden' }])
  expect(await says('class_teacher', class3B.id, { user_profile_id: people.byrne.id }, { only: ['winner'] })).toMatchObject([
    { code: 'forbidden' },
  ])
  expect((await server.rows('teacher_group_assignment')).map(({ id }) => id)).not.toContain(place)
  expect((await server.rows('class_teacher')).find(({ id }) => id === class3B.id)).toMatchObject({ user_profile_id: people.quinn.id })
})

describe('a class teacher gives a place in the class', () => {
  test.each(['niamh', 'doyle', 'nobody', 'tomas', 'markerTeacher'] as const)(
    'to nobody who does not teach in the school: %s',
    async (who) => {
      const nodes = await serverAnd('byrne')
      const place = naturalId('teacher_group_assignment', people[who].id, class3B.id)
      const answers = await (await saysOf('byrne', nodes))('teacher_group_assignment', place, assigned(people[who].id))
      expect(answers).toMatchObject([{ outcome: 'refused', code: 'forbidden' }])
      expect((await nodes.server.rows('teacher_group_assignment')).map(({ id }) => id)).not.toContain(place)
    },
  )

  test('to a colleague', async () => {
    const nodes = await serverAnd('byrne')
    const place = naturalId('teacher_group_assignment', people.quinn.id, class3B.id)
    expect(await (await saysOf('byrne', nodes))('teacher_group_assignment', place, assigned(people.quinn.id))).toEqual([])
    expect((await nodes.server.rows('teacher_group_assignment')).map(({ id }) => id)).toContain(place)
  })

  test('and no subject in another year, by which tests of every class of that year could be set', async () => {
    const nodes = await serverAnd('byrne')
    const id = naturalId('teacher_subject_assignment', people.byrne.id, maths.id, lastYears2B.id)
    const values = { ...assigned(people.byrne.id), student_group_id: lastYears2B.id, subject_id: maths.id }
    const answers = await (await saysOf('byrne', nodes))('teacher_subject_assignment', id, values)
    expect(answers).toMatchObject([{ outcome: 'refused', code: 'forbidden' }])
    expect((await nodes.server.rows('teacher_subject_assignment')).map((row) => row.id)).not.toContain(id)
  })
})

test('an assessment is not for a class of another year', async () => {
  const nodes = await serverAnd('okafor')
  const place = { student_group_id: lastYears2B.id, teaching_set_id: null }
  const answers = await (await saysOf('okafor', nodes))('assessment', mathsHomework.id, place, { only: ['student_group_id'] })
  expect(answers).toMatchObject([{ outcome: 'refused', code: 'forbidden' }])
  const stands = (await nodes.server.rows('assessment')).find(({ id }) => id === mathsHomework.id)
  expect(stands?.student_group_id).toBe(mathsHomework.student_group_id)
})

test('a clock that no program gives is not taken: nobody could correct the mark after it', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const { laptop } = await laptopOf(open, box, people.ada.id)
  const id = naturalId('grade', mathsExam.id, zoe.id)
  const says = await saysOf('ada', { server: box, laptop })
  const answers = await says('grade', id, { score: 3 }, { only: ['score'], clock: LAST_MOMENT })
  await (await signedIn(box, 'okafor')).grades.update({ params: { id }, body: { score: 55 } })
  await settle(link)
  for (const node of [box, centre]) expect((await node.rows('grade')).find((row) => row.id === id)?.score).toBe(55)
  expect(answers).toMatchObject([{ outcome: 'refused', code: 'malformed' }])
})

describe('a conflict is decided by whoever may write the mark', () => {
  const decided = {
    status: 'resolved',
    resolved_at: created_at,
    resolved_by: people.ada.id,
    resolution: { choice: 'current', value: null },
  }
  test.each<[string, Values]>([
    ['not in the name of the head', { ...decided, resolved_by: people.okafor.id }],
    ['not by nobody', { ...decided, resolved_by: null }],
    ['not silently', { status: 'noticed', resolved_at: null, resolved_by: null, resolution: null }],
    ['not by a choice that there is not', { ...decided, resolution: { choice: 'a'.repeat(50_000), value: null } }],
    ['not by a value that nobody could type', { ...decided, resolution: { choice: 'typed', value: { score: 'many' } } }],
  ])('%s', async (_, values) => {
    const nodes = await serverAnd('ada')
    const { server, laptop, link } = nodes
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(zoe, 51))
    server.clock.advance(60_000)
    await server.as.okafor.grades.bulk(mark(zoe, 59))
    await settle(link)
    const [before] = await conflictsAt(server)
    expect(before).toMatchObject({ status: 'open' })
    const says = await saysOf('ada', nodes)
    expect(await says('sync_conflict', before?.id as string, values, { only: ['status'] })).toMatchObject([{ code: 'malformed' }])
    expect(await conflictsAt(server)).toEqual([before])
    expect(await says('sync_conflict', before?.id as string, decided, { only: ['status'] })).toEqual([])
    expect(await conflictsAt(server)).toMatchObject([decided])
  })
})

describe('what a laptop deletes before anybody has heard of it does not come back by what names it', () => {
  const NEW = '01900000-0000-7000-8000-00000000abcd'
  const NAMING = '01900000-0000-7000-8000-00000000abce'
  const unknown = [{ outcome: 'refused', code: 'unknown_row' }]

  test.each(['before', 'after'] as const)('a year, told %s the class of a teacher that is in it', async (when) => {
    const nodes = await serverAnd('ada')
    const says = await saysOf('ada', nodes)
    const year = async () => {
      const { updated_at: _, ...row } = (await nodes.server.rows('academic_year')).find(({ id }) => id === thisYear.id) ?? {}
      expect(await says('academic_year', NEW, { ...row, id: NEW, name: 'Forged' }, { isDeleted: true })).toMatchObject(unknown)
    }
    if (when === 'before') await year()
    await says('student_group', NAMING, { name: 'Forged', academic_year_id: NEW, created_by: people.ada.id, created_at })
    if (when === 'after') await year()
    expect((await nodes.server.rows('academic_year')).map(({ id }) => id)).not.toContain(NEW)
    expect((await nodes.server.rows('student_group')).map(({ id }) => id)).not.toContain(NAMING)
  })

  test('an assessment of somebody else’s with a title that nobody could type', async () => {
    const nodes = await serverAnd('ada')
    const says = await saysOf('ada', nodes)
    const { updated_at: _, ...row } = (await nodes.server.rows('assessment')).find(({ id }) => id === mathsExam.id) ?? {}
    const forged = { ...row, id: NEW, title: 'a'.repeat(100_000), created_by: people.okafor.id }
    expect(await says('assessment', NEW, forged, { isDeleted: true })).toMatchObject(unknown)
    const grade = { assessment_id: NEW, student_id: zoe.id, score: 1, is_excluded: false, created_by: people.ada.id, created_at }
    await says('grade', naturalId('grade', NEW, zoe.id), grade)
    expect((await nodes.server.rows('assessment')).map(({ id }) => id)).not.toContain(NEW)
  })

  test.each(['draft', 'sent_to_ministry'] as const)('a report book of another class: %s', async (status) => {
    const nodes = await serverAnd('byrne')
    const { server } = nodes
    const says = await saysOf('byrne', nodes)
    await server.as.byrne.reports.publish({ params: { id: draftReport.id } })
    await server.as.byrne.reports.sendToMinistry({ params: { id: draftReport.id } })
    const row = (await server.rows('report_book')).find(({ id }) => id === draftReport.id) as Row<'report_book'>
    const id = naturalId('report_book', oisin.id, draftReport.term_id, 'term')
    const sent_snapshot = status === 'draft' ? null : row.sent_snapshot
    const forged = { ...row, id, student_id: oisin.id, status, sent_snapshot, created_by: people.byrne.id, updated_at: undefined }
    expect(await says('report_book', id, forged, { isDeleted: true })).toMatchObject(unknown)
    const [entry] = (await server.rows('report_book_entry')).filter(({ report_book_id }) => report_book_id === draftReport.id)
    const of = { ...entry, report_book_id: id, created_by: people.byrne.id, updated_at: undefined }
    await says('report_book_entry', naturalId('report_book_entry', id, entry?.subject_id as string), of)
    expect((await server.rows('report_book')).map((each) => each.id)).not.toContain(id)
  })

  test('a class that its teacher made and deleted without a line is no refused write', async () => {
    const { server, laptop, link } = await serverAnd('ada')
    const { classes } = await signedIn(laptop, 'ada')
    const { id: classId } = await classes.create({ body: { name: '4C', academicYearId: thisYear.id, subjectIds: [maths.id] } })
    await classes.remove({ params: { classId } })
    await settle(link)
    expect(await refusedAt(laptop)).toEqual([])
    expect((await server.rows('student_group')).map(({ id }) => id)).not.toContain(classId)
  })
})

test('who made a mark is said alike at both ends, also where the laptop had to give its own up', async () => {
  const { server, laptop, link } = await serverAnd('ada')
  await server.as.okafor.grades.bulk(mark(elan, 59))
  laptop.clock.advance(60_000)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(elan, 11))
  await server.as.okafor.classes.removeTeacher({ params: { classId: class3B.id, teacherId: people.ada.id } })
  await settle(link)
  const madeBy = async (node: School) => {
    const made = (await node.rows('grade')).find(({ id }) => id === naturalId('grade', mathsExam.id, elan.id))
    return [made?.score, made?.created_by, made?.created_at]
  }
  expect((await madeBy(server)).slice(0, 2)).toEqual([59, people.okafor.id])
  expect(await madeBy(laptop)).toEqual(await madeBy(server))
  const refused = await refusedBelow(server)
  await settle(link)
  expect(await refusedBelow(server)).toEqual(refused)
})
