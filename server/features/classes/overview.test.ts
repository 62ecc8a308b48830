import { limits } from '@markbook/shared/limits'
import { mathsQuiz, pupilsOf3B } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, hilltopTerm, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const query = { termId: michaelmas.id, reportType: 'term' as const }
const of3B = { ...query, studentGroupId: class3B.id }
const read = () => st.as.okafor.overview.read({ query })
const ofClass = async (id: string) => (await read()).find((each) => each.class.id === id)

describe('GET /api/overview', () => {
  test('each class of the year by name: its class teacher, subjects with teachers and marks, and the report books', async () => {
    expect((await read()).map((each) => [each.class.name, each.class_teacher?.last_name, each.students])).toEqual([
      ['3A', 'Quinn', 2],
      ['3B', 'Byrne', 6],
    ])
    const marks = (await ofClass(class3B.id))?.subjects.map(({ subject, teachers, recorded, expected }) => [
      subject.code,
      teachers.map(({ last_name }) => last_name),
      `${recorded}/${expected}`,
    ])
    expect(marks).toEqual([
      ['MA', ['Nowak'], '17/18'],
      ['EN', ['Byrne'], '12/12'],
      ['GA', [], '5/6'],
    ])
    expect((await ofClass(class3B.id))?.books).toEqual({
      made: 2,
      without_remark: 0,
      to_approve: 0,
      sent_back: 0,
      approved: 0,
      published: 0,
      sent: 1,
    })
  })

  test('books that are made, remarks that are missing, published ones', async () => {
    const { reports } = await st.as.byrne.reports.generate({ body: of3B })
    expect((await ofClass(class3B.id))?.books).toMatchObject({ made: 6, without_remark: 4, sent: 1 })
    const [first] = reports.filter(({ class_teacher_remark, status }) => status === 'draft' && class_teacher_remark === null)
    const params = { id: first?.id ?? '' }
    await st.as.byrne.reports.update({ params, body: { classTeacherRemark: ' \n ' } })
    expect((await ofClass(class3B.id))?.books).toMatchObject({ without_remark: 4 })
    await st.as.byrne.reports.update({ params, body: { classTeacherRemark: '\nGood.' } })
    await st.as.byrne.reports.publish({ params })
    expect((await ofClass(class3B.id))?.books).toMatchObject({ without_remark: 3, published: 1, to_approve: 0 })
  })

  test('books that wait for approval where the school requires it, and approved ones', async () => {
    await st.as.okafor.schools.updateMine({ body: { approvesReports: true } })
    await st.as.byrne.reports.generate({ body: of3B })
    expect((await ofClass(class3B.id))?.books).toMatchObject({ to_approve: 1, approved: 0 })
    const [book] = (await st.as.byrne.reports.list({ query: of3B })).filter(({ class_teacher_remark }) => class_teacher_remark !== null)
    await st.as.okafor.reports.approve({ params: { id: book?.id ?? '' }, body: { isApproved: true } })
    expect((await ofClass(class3B.id))?.books).toMatchObject({ to_approve: 0, approved: 1 })
  })

  test('remarks of each subject', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    const [entry] = (await st.as.ada.reports.entries({ query: of3B })).filter(({ status }) => status === 'draft')
    await st.as.ada.reports.updateEntry({ params: { entryId: entry?.id ?? '' }, body: { teacherRemark: 'Exact.' } })
    const maths = (await ofClass(class3B.id))?.subjects.find(({ subject }) => subject.code === 'MA')
    expect(maths).toMatchObject({ entries: 5, remarks: 1 })
  })

  test('entries of sent books are not counted, since they can have no further remark', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    const english = async () => (await ofClass(class3B.id))?.subjects.find(({ subject }) => subject.code === 'EN')
    // The sixth was sent.
    expect((await st.as.byrne.reports.entries({ query: of3B })).filter(({ subject }) => subject.code === 'EN')).toHaveLength(6)
    expect(await english()).toMatchObject({ entries: 5, remarks: 0 })
  })

  test('the book of a pupil who left the class does not count for the class', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    const pupil = pupilsOf3B[1]?.id ?? ''
    await st.as.byrne.classes.unenroll({ params: { id: class3B.id, studentId: pupil } })
    expect(await ofClass(class3B.id)).toMatchObject({ students: 5, books: { made: 5 } })
  })

  test('403 for teachers, 404 for another school’s term, 400 without a kind of reports', async () => {
    expect(await st.as.byrne.overview.read.raw({ query })).toMatchObject({ status: 403 })
    expect(await st.as.marker.overview.read.raw({ query })).toMatchObject({ status: 404 })
    expect(await st.as.okafor.overview.read.raw({ query: { ...query, termId: hilltopTerm.id } })).toMatchObject({ status: 404 })
    expect(await st.as.okafor.overview.read.raw({ query: { termId: michaelmas.id } as never })).toMatchObject({ status: 400 })
  })

  test('takes as many statements for forty classes as for two', async () => {
    const statements = async () => {
      const executed = vi.fn()
      await st.services.store.read(asSystem(), async (tx) => {
        const { execute } = tx.connection
        const connection = Object.assign(Object.create(tx.connection), {
          execute: (...given: Parameters<typeof execute>) => {
            executed()
            return execute.apply(tx.connection, given)
          },
        })
        const { classesOfTerm } = await import('./overview.ts')
        const caller = { role: 'admin', school_id: stBrigids, user_id: people.okafor.id } as never
        const found = await classesOfTerm(Object.assign(Object.create(tx), { connection }), caller, michaelmas as never, 'term')
        expect(found.length).toBeGreaterThan(1)
      })
      return executed.mock.calls.length
    }
    const few = await statements()
    for (let at = 0; at < 38; at += 1) await st.as.okafor.classes.create({ body: { name: `Class ${at}`, academicYearId: thisYear.id } })
    expect(few).toBeGreaterThan(5)
    expect(await statements()).toBe(few)
  })
})

describe('reminders', () => {
  const remind = (userIds?: string[]) => st.as.okafor.overview.remind({ body: { ...query, ...(userIds && { userIds }) } })
  const listed = async () => (await st.as.okafor.overview.reminders({ query })).people

  test('the list has the people with missing work, with their mail', async () => {
    const { can_mail, people: behind } = await st.as.okafor.overview.reminders({ query })
    expect(can_mail).toBe(true)
    expect(behind.map(({ person, email }) => [person.last_name, email])).toEqual([
      ['Byrne', people.byrne.email],
      ['Nowak', people.ada.email],
      ['Quinn', people.quinn.email],
    ])
    const ada = behind.find(({ person }) => person.id === people.ada.id)
    expect(ada?.text).toContain('- 3B, Mathematics: 1 of 18 marks is missing')
    expect(ada?.text).toContain('Michaelmas term')
    // Nobody teaches Irish there.
    expect(behind[0]?.text).toContain('- 3B, Irish: 1 of 6 marks is missing')
    expect(behind[0]?.text).toContain('- 3B: 4 of 6 report books are not made')
    expect(st.outbox).toEqual([])
  })

  test('a class teacher is told of the books that are older than their marks and that were sent back, and nobody else', async () => {
    await st.as.okafor.schools.updateMine({ body: { approvesReports: true } })
    const { reports } = await st.as.byrne.reports.generate({ body: of3B })
    const sentBack = reports.find(({ status }) => status === 'draft')?.id ?? ''
    const textOf = async (id: string, language?: string) =>
      (await st.as.okafor.overview.reminders({ query: { ...query, language } })).people.find(({ person }) => person.id === id)?.text
    expect(await textOf(people.byrne.id)).not.toMatch(/older|sent back/)
    await st.as.okafor.reports.approve({ params: { id: sentBack }, body: { isApproved: false, reason: 'Too short.' } })
    await st.as.ada.grades.bulk({
      body: { assessmentId: mathsQuiz.id, grades: pupilsOf3B.slice(0, 2).map(({ id }) => ({ studentId: id, score: 3 })) },
    })
    const outdated = (await st.as.byrne.reports.standing({ query: of3B })).filter((one) => one.is_behind && one.status === 'draft').length
    expect(outdated).toBeGreaterThan(0)
    const text = await textOf(people.byrne.id)
    expect(text).toContain(
      `- 3B: ${outdated} of 6 report books ${outdated === 1 ? 'is older than its marks' : 'are older than their marks'}`,
    )
    expect(text).toContain('- 3B: 1 of 6 report books was sent back and not changed since')
    expect(await textOf(people.ada.id)).not.toMatch(/older|sent back/)
    expect(await textOf(people.byrne.id, 'fr')).toContain('- 3B : 1 bulletin sur 6 a été renvoyé et n’a pas été modifié depuis')
    expect(await textOf(people.byrne.id, 'ar')).toContain('- 3B: دفاتر أُعيدت ولم تُعدّل بعد ذلك: 1 من 6')
    await st.as.okafor.overview.remind({ body: { ...query, userIds: [people.byrne.id], language: 'fr' } })
    expect(st.outbox).toMatchObject([{ to: people.byrne.email, subject: 'Ce qui manque encore dans Markbook' }])
    expect(st.outbox[0]?.text).toContain(`sur 6 ${outdated === 1 ? 'est plus ancien que ses notes' : 'sont plus anciens que leurs notes'}`)
    // Once it has changed it waits for the head, not for its class teacher.
    await st.as.byrne.reports.update({ params: { id: sentBack }, body: { classTeacherRemark: 'A good term, with care.' } })
    expect(await textOf(people.byrne.id)).not.toContain('sent back')
  })

  test('outdated books are counted once, and again after a change in the school', async () => {
    await st.as.byrne.reports.generate({ body: of3B })
    const counted = vi.spyOn(st.services.cache, 'setText')
    const list = () => st.as.okafor.overview.reminders({ query })
    const first = await list()
    expect(await list()).toEqual(first)
    expect(counted).toHaveBeenCalledTimes(1)
    await st.as.ada.grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: pupilsOf3B[0]?.id ?? '', score: 3 }] } })
    expect(await list()).not.toEqual(first)
    expect(counted).toHaveBeenCalledTimes(2)
  })

  test('the requesting administrator is not reminded, even with missing work', async () => {
    const own = await st.as.okafor.classes.create({ body: { name: '3C', academicYearId: thisYear.id } })
    expect((await ofClass(own.id))?.class_teacher?.id).toBe(people.okafor.id)
    const studentId = pupilsOf3B[0]?.id ?? ''
    await st.as.okafor.classes.unenroll({ params: { id: class3B.id, studentId } })
    await st.as.okafor.classes.enroll({ params: { id: own.id }, body: { studentId } })
    const ids = (await listed()).map(({ person }) => person.id)
    expect(ids).toContain(people.byrne.id)
    expect(ids).not.toContain(people.okafor.id)
    expect(await remind([people.okafor.id])).toEqual({ sent: 0, already_reminded: 0 })
    expect(st.outbox).toEqual([])
  })

  test('one mail a person and day, whoever requests it and however often', async () => {
    expect(await remind([people.ada.id])).toEqual({ sent: 1, already_reminded: 0 })
    expect(st.outbox).toMatchObject([{ to: people.ada.email, lane: 'members', subject: 'What is still missing in Markbook' }])
    expect((await listed()).map(({ is_reminded }) => is_reminded)).toEqual([false, true, false])
    expect(await remind([people.ada.id])).toEqual({ sent: 0, already_reminded: 1 })
    expect(await remind()).toEqual({ sent: 2, already_reminded: 1 })
    expect(st.outbox.map(({ to }) => to).sort()).toEqual([people.ada.email, people.byrne.email, people.quinn.email].sort())
    st.clock.advance(86_400_000 - 1)
    expect(await remind([people.ada.id])).toMatchObject({ sent: 0 })
    st.clock.advance(1)
    expect(await remind([people.ada.id])).toMatchObject({ sent: 1 })
  })

  test('a mail has no loopback URL; the text to copy has it, for the app to replace', async () => {
    const { config } = st.services
    await remind([people.ada.id])
    expect(st.outbox[0]?.text).toContain(`Open this page to complete it:\n\n${config.publicUrl}\n`)
    for (const url of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:3000']) {
      config.publicUrl = url
      st.clock.advance(86_400_000)
      await remind([people.ada.id])
      expect(st.outbox.at(-1)?.text).toContain('Open Markbook at the school to complete it.')
      expect(st.outbox.at(-1)?.text).not.toContain('://')
      const { people: behind } = await st.as.okafor.overview.reminders({ query })
      expect(behind[0]?.text).toContain(url)
    }
    expect(st.outbox).toHaveLength(4)
  })

  test('200 in a minute send one mail, and are soon refused without any counting', async () => {
    const ask = () => st.as.okafor.overview.remind.raw({ body: { ...query, userIds: [people.ada.id] } })
    const statuses: number[] = []
    for (let ten = 0; ten < 20; ten += 1) {
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, ask))).map(({ status }) => status))
      st.clock.advance(3_000)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(limits.reminders.mailsPerHour)
    expect(statuses.filter((status) => status === 429)).toHaveLength(200 - limits.reminders.mailsPerHour)
    expect(st.outbox).toHaveLength(1)
  })

  test('two heads at once send one mail', async () => {
    await st.as.okafor.schools.updateMember({ params: { userId: people.quinn.id }, body: { role: 'admin' } })
    const both = await Promise.all([remind([people.ada.id]), st.as.quinn.overview.remind({ body: { ...query, userIds: [people.ada.id] } })])
    expect(both.map(({ sent }) => sent).sort()).toEqual([0, 1])
    expect(st.outbox).toHaveLength(1)
  })

  test('a person without missing work, or of another school, gets none', async () => {
    await st.as.ada.grades.bulk({
      body: { assessmentId: mathsQuiz.id, grades: pupilsOf3B.map(({ id }) => ({ studentId: id, score: 10 })) },
    })
    const before = (await listed()).map(({ person }) => person.id)
    expect(await remind([people.marker.id, people.okafor.id])).toEqual({ sent: 0, already_reminded: 0 })
    expect(before).not.toContain(people.okafor.id)
    expect(st.outbox).toEqual([])
  })

  test('are in the list of writes, with the requester', async () => {
    await remind([people.ada.id])
    const { entries } = await st.as.okafor.audit.entries({ query: { entity: 'reminder' } })
    expect(entries).toMatchObject([{ entity: 'reminder', row_id: people.ada.id, actor: { id: people.okafor.id }, action: 'create' }])
  })

  test('409 where no mail leaves, and the text can be copied', async () => {
    vi.spyOn(st.services.mailer, 'state').mockReturnValue({ kind: 'console', lastFailure: null, queued: 0 })
    const before = await st.digest()
    expect(await st.as.okafor.overview.remind.raw({ body: query })).toMatchObject({ status: 409, body: { code: 'overview.no_mail' } })
    expect(await st.digest()).toBe(before)
    expect(await st.as.okafor.overview.reminders({ query })).toMatchObject({ can_mail: false })
  })

  test('403 for a teacher, and nobody is reminded', async () => {
    expect(await st.as.byrne.overview.remind.raw({ body: query })).toMatchObject({ status: 403 })
    expect(await st.as.byrne.overview.reminders.raw({ query })).toMatchObject({ status: 403 })
    expect(await st.as.marker.overview.remind.raw({ body: query })).toMatchObject({ status: 404 })
    expect(st.outbox).toEqual([])
  })
})
