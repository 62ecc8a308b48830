import type { Message } from '@electric-sql/client'
import { oisin, pupilsOf3A, pupilsOf3B, wanderer } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { draftReport, sentReport } from '@markbook/shared/story/reports'
import { class3A, class3B, thisYear } from '@markbook/shared/story/school-year'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Box, isChange, openBox, until } from '../../testing/shapes.ts'

let box: Box
beforeAll(async () => {
  box = await openBox()
})
afterEach(() => box.letGo())
afterAll(() => box.close())

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()

describe('who reads what', () => {
  test('nobody without a session, a school or an active place in it', async () => {
    expect((await box.get(null, { table: 'term', offset: '-1' })).status).toBe(401)
    expect((await box.get('nobody', { table: 'term', offset: '-1' })).status).toBe(403)
    expect((await box.get('doyle', { table: 'term', offset: '-1' })).status).toBe(403)
  })

  test.each([
    'student',
    'student_group',
    'enrolment',
    'student_subject',
    'teaching_set',
    'teaching_set_teacher',
    'teaching_set_member',
    'attendance_register',
    'attendance_mark',
    'assessment',
    'grade',
    'report_book',
    'report_book_entry',
    'report_book_pdf',
    'class_report_file',
    'class_teacher',
    'teacher_group_assignment',
    'teacher_subject_assignment',
    'school_management',
  ])('a member may not follow %s', async (table) => {
    expect((await box.get('niamh', { table, offset: '-1' })).status).toBe(403)
  })

  test('members are the administrators’ to read', async () => {
    expect((await box.get('byrne', { table: 'school_management', offset: '-1' })).status).toBe(403)
    const { shape } = box.follow('okafor', { table: 'school_management' })
    expect((await shape.rows).map(({ user_id }) => user_id)).toContain(people.byrne.id)
  })

  test.each([
    'user_profile',
    'user_totp',
    'recovery_code',
    'session',
    'school_join_request',
    'sync_row',
    'history',
    'sync_conflict',
    'node',
    'constructor',
  ])('%s cannot be followed by anybody', async (table) => {
    expect((await box.get('okafor', { table, offset: '-1' })).status).toBe(400)
  })

  test('the neighbour sees nothing of it, at first or later', async () => {
    const neighbour = box.follow('marker', { table: 'student' })
    const rows = await neighbour.shape.rows
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows.map((row) => row['last_name']))).toMatch(/^\["Hilltop/)
    await box.as('okafor').students.update({ params: { id: wanderer.id }, body: { firstName: 'Robyn' } })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(neighbour.ids()).toEqual(idsOf(rows as { id: string }[]))
  })

  test('a handle of one school is of no use to another', async () => {
    const ours = await box.get('okafor', { table: 'student', offset: '-1' })
    const asked = { table: 'student', handle: ours.headers.get('electric-handle') ?? '', offset: ours.headers.get('electric-offset') ?? '' }
    const theirs = await box.get('marker', asked)
    expect(theirs.status).toBe(409)
    expect(await theirs.json()).toEqual([{ headers: { control: 'must-refetch' } }])
    expect(theirs.headers.get('electric-handle')).not.toBe(asked.handle)
  })

  test('a teacher has the classes that are theirs, and the reports of those whose class teacher they are', async () => {
    const enrolled = async (name: 'byrne' | 'ada' | 'quinn') => {
      const { shape } = box.follow(name, { table: 'enrolment', where: `academic_year_id = '${thisYear.id}'` })
      return (await shape.rows).map((row) => row['student_id']).sort()
    }
    expect(await enrolled('ada')).toEqual(idsOf(pupilsOf3B))
    expect(await enrolled('quinn')).toEqual(idsOf(pupilsOf3A))
    const books = async (name: 'byrne' | 'ada' | 'okafor') => {
      const { shape } = box.follow(name, { table: 'report_book' })
      await shape.rows
      return shape.currentRows.map((row) => row['id'] as string).sort()
    }
    expect(await books('okafor')).toEqual(expect.arrayContaining([draftReport.id, sentReport.id]))
    expect(await books('byrne')).toEqual(await books('okafor'))
    expect(await books('ada')).toEqual([])
  })

  test('what happens in another class is not told', async () => {
    const quinn = await box.get('quinn', { table: 'enrolment', offset: '-1' })
    const at = {
      table: 'enrolment',
      handle: quinn.headers.get('electric-handle') ?? '',
      offset: quinn.headers.get('electric-offset') ?? '',
    }
    await box.as('okafor').classes.enroll({ params: { id: class3B.id }, body: { studentId: wanderer.id } })
    const since = await box.get('quinn', at)
    expect(((await since.json()) as Message[]).filter(isChange)).toEqual([])
    await box.as('okafor').classes.unenroll({ params: { id: class3B.id, studentId: wanderer.id } })
  })

  test('a pupil who leaves the class leaves the copy', async () => {
    const follower = box.follow('quinn', { table: 'enrolment' })
    await follower.shape.rows
    const has = () => follower.shape.currentRows.some((row) => row['student_id'] === oisin.id)
    expect(has()).toBe(true)
    await box.as('okafor').classes.unenroll({ params: { id: class3A.id, studentId: oisin.id } })
    await until(() => !has())
    await box.as('okafor').classes.enroll({ params: { id: class3A.id }, body: { studentId: oisin.id } })
    await until(has)
    expect(follower.refetches()).toBe(0)
  })

  test('a teacher who loses a class loses its rows while they look on, and gets them back with it', async () => {
    const api = box.as('okafor')
    const books = box.follow('byrne', { table: 'report_book' })
    const setup = box.follow('byrne', { table: 'term' })
    await Promise.all([books.shape.rows, setup.shape.rows])
    expect(books.ids()).toContain(draftReport.id)
    await api.classes.addTeacher({ params: { classId: class3B.id }, body: { teacherId: people.quinn.id, subjectIds: [] } })
    await api.classes.handOver({ params: { classId: class3B.id }, body: { teacherId: people.quinn.id } })
    await until(() => books.shape.currentRows.length === 0 && books.refetches() === 1, 'the books to go')
    await api.classes.handOver({ params: { classId: class3B.id }, body: { teacherId: people.byrne.id } })
    await until(() => books.ids().includes(draftReport.id), 'the books to come back')
    expect(setup.refetches()).toBe(0)
    expect(books.refused()).toEqual([])
  })

  test('a teacher who becomes a member is refused at once', async () => {
    const follower = box.follow('ada', { table: 'grade' })
    await follower.shape.rows
    await box.as('okafor').schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
    await until(() => follower.refused().length > 0)
    expect(follower.refused()).toEqual([403])
    await box.as('okafor').schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'teacher' } })
  })
})
