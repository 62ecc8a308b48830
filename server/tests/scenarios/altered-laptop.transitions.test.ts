import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, oisin, zoe } from '@markbook/shared/story/marks'
import { type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3A, class3B, english, lastMichaelmas, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { furthestOf, ruleOf } from '@markbook/sync/merge/policy'
import { EXISTENCE } from '@markbook/sync/versions'
import { afterEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { asSystem } from '../../store/tx.ts'
import { laptopOf } from '../../testing/joined.ts'
import { asModifiedProgram } from '../../testing/modified-program.ts'
import { lineOf, signedIn } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { liar, saysOf } from './altered.fixtures.ts'
import { fillEveryTable } from './every-table.fixtures.ts'
import { conflictsAt, refusedAt, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A server, and the laptop of a person; `fill`: what it holds besides the story. */
async function serverAnd(who: PersonName, fill?: (server: School) => Promise<void>) {
  const server = await school({ seed: 'server' })
  open.push(server)
  await fill?.(server)
  const { laptop, link } = await laptopOf(open, server, people[who].id)
  return { server, laptop, link, says: await saysOf(who, { server, laptop }) }
}

const tables = Object.keys(descriptions) as Replicated[]
const created_at = '2026-01-12T08:00:00.000Z'
const FORBIDDEN = [{ outcome: 'refused', code: 'forbidden' }]
const ofSchool = (row: object): row is { id: string; school_id?: string } => 'school_id' in row && row.school_id === stBrigids
const publish = async (server: School) => server.as.byrne.reports.publish({ params: { id: draftReport.id } })
const send = async (server: School) => {
  await publish(server)
  return server.as.byrne.reports.sendToMinistry({ params: { id: draftReport.id } })
}
const draftAt = async (server: School) =>
  (await server.rows('report_book')).find(({ id }) => id === draftReport.id) as Row<'report_book'> & { id: string }

describe('no laptop deletes alone what no route deletes alone', () => {
  test.each(['okafor', 'byrne'] as const)('of any table: %s', async (who) => {
    const { server, says } = await serverAnd(who, fillEveryTable)
    const entryId = naturalId('report_book_entry', draftReport.id, english.id)
    await server.as.byrne.reports.updateEntry({ params: { entryId }, body: { teacherRemark: 'Reads well.' } })
    let count = 0
    for (const table of tables) {
      const isKept = descriptions[table].notDeletedAlone
      const rows = (await server.rows(table)) as { id: string }[]
      for (const row of rows.filter((each) => ofSchool(each) || [stBrigids, people[who].id].includes(each.id))) {
        if (!isKept?.(row)) continue
        count += 1
        const answers = await says(table, row.id, {}, { only: [EXISTENCE], isDeleted: true })
        expect(
          answers.map(({ outcome }) => outcome),
          `${table} ${row.id}`,
        ).toEqual(['refused'])
      }
      expect(await server.rows(table), table).toEqual(rows)
    }
    expect(count).toBeGreaterThan(10)
  })

  test('and takes nothing with it from a class that stays, since a book of it was sent', async () => {
    const { server, says } = await serverAnd('byrne', fillEveryTable)
    await send(server)
    const stands = async () => Promise.all((['enrolment', 'attendance_register', 'assessment', 'student_group'] as const).map(server.rows))
    const before = await stands()
    expect(await says('student_group', class3B.id, {}, { only: [EXISTENCE], isDeleted: true })).toMatchObject(FORBIDDEN)
    expect(await stands()).toEqual(before)
  })

  test('but with the class that its person deleted without a line, also where the class stays for somebody else', async () => {
    const { server, laptop, link } = await serverAnd('okafor')
    const { classes } = await signedIn(laptop, 'okafor')
    const { id: classId } = await classes.create({ body: { name: '5C', academicYearId: thisYear.id } })
    const head = await signedIn(laptop, 'okafor')
    await head.attendance.take({ params: { classId }, body: { day: '2026-01-12', lesson: 0, marks: [] } })
    await settle(link)
    await classes.remove({ params: { classId } })
    await server.as.okafor.classes.update({ params: { classId }, body: { name: '5D' } })
    await settle(link)
    expect(await refusedAt(laptop)).toEqual([])
    expect((await server.rows('attendance_register')).filter(({ student_group_id }) => student_group_id === classId)).toEqual([])
  })
})

test('a laptop changes nothing that no route changes', async () => {
  const { server, says } = await serverAnd('okafor')
  const before = (await server.rows('school')).find(({ id }) => id === stBrigids)
  const values = { code: 'FORGED', school_type: before?.school_type === 'primary' ? 'secondary' : 'primary', is_active: false }
  expect(Object.keys(values)).toEqual(descriptions.school.unchanged)
  for (const [unit, value] of Object.entries(values))
    expect(await says('school', stBrigids, { [unit]: value }, { only: [unit] })).toMatchObject(FORBIDDEN)
  const after = (await server.rows('school')).find(({ id }) => id === stBrigids)
  expect({ ...after, updated_at: null }).toEqual({ ...before, updated_at: null })
})

test('a pupil whom a class teacher takes out of the class of another is a conflict, as between two who knew nothing', async () => {
  const { server, says } = await serverAnd('byrne')
  const id = naturalId('enrolment', oisin.id, thisYear.id)
  const place = { student_id: oisin.id, academic_year_id: thisYear.id, student_group_id: class3B.id, enrolled_at: created_at }
  await says('enrolment', id, place)
  const conflicts = await conflictsAt(server)
  expect(conflicts).toMatchObject([{ entity: 'enrolment', unit: 'place', status: 'open', value: { student_group_id: class3A.id } }])
})

describe('no laptop goes back a step that no route goes back', () => {
  test('in any table', async () => {
    const { server, says } = await serverAnd('okafor')
    let count = 0
    const book = await server.as.okafor.reports.generate({
      body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' },
    })
    await publish(server)
    const [other] = book.reports.filter(({ id, status }) => id !== draftReport.id && status === 'draft')
    await server.as.okafor.reports.publish({ params: { id: other?.id as string } })
    await server.as.okafor.reports.sendToMinistry({ params: { id: other?.id as string } })
    for (const table of tables)
      for (const unit of furthestOf(table)) {
        const rule = ruleOf(table, unit)
        if (typeof rule !== 'object') throw new Error('no steps')
        const empty = Object.fromEntries((descriptions[table].units[unit] ?? []).map((column) => [column, null]))
        for (const row of ((await server.rows(table)) as Record<string, unknown>[]).filter(ofSchool)) {
          const step = rule.furthest.indexOf(String((row as Record<string, unknown>)[rule.of]))
          for (const earlier of rule.furthest.slice(0, step)) {
            count += 1
            expect(await says(table, row.id, { ...empty, [rule.of]: earlier }, { only: [unit] })).toMatchObject(FORBIDDEN)
            const stands = ((await server.rows(table)) as { id: string }[]).find(({ id }) => id === row.id)
            expect({ ...stands, updated_at: null }).toEqual({ ...row, updated_at: null })
          }
        }
      }
    // A book that was published, and two that were sent.
    expect(count).toBeGreaterThanOrEqual(5)
  })

  test('but a book that its person published while the school sent it is no refused write', async () => {
    const { server, laptop, link } = await serverAnd('byrne')
    await (await signedIn(laptop, 'byrne')).reports.publish({ params: { id: draftReport.id } })
    await send(server)
    await settle(link)
    expect(await refusedAt(laptop)).toEqual([])
    expect(await draftAt(server)).toMatchObject({ status: 'sent_to_ministry' })
  })

  test('but a book begins again in another class after its own was deleted', async () => {
    const { server, laptop, link } = await serverAnd('okafor')
    await publish(server)
    await settle(link)
    const head = await signedIn(laptop, 'okafor')
    const { id } = await head.classes.create({ body: { name: '3C', academicYearId: thisYear.id } })
    await head.classes.unenroll({ params: { id: class3B.id, studentId: elan.id } })
    await head.classes.enroll({ params: { id }, body: { studentId: elan.id } })
    // The book stays with the class that generated it.
    const other = await head.classes.create({ body: { name: '3D', academicYearId: thisYear.id } })
    await head.reports.generate({ body: { studentGroupId: id, termId: michaelmas.id, reportType: 'term' } })
    await head.classes.unenroll({ params: { id, studentId: elan.id } })
    await head.classes.remove({ params: { classId: id } })
    await head.classes.enroll({ params: { id: other.id }, body: { studentId: elan.id } })
    await head.reports.generate({ body: { studentGroupId: other.id, termId: michaelmas.id, reportType: 'term' } })
    await settle(link)
    expect(await refusedAt(laptop)).toEqual([])
    expect(await draftAt(server)).toMatchObject({ status: 'draft', student_group_id: other.id })
  })
})

describe('a book is sent with what a person could have typed', () => {
  const frozen = (book: Row<'report_book'>) => ({
    snapshot: book.snapshot,
    class_teacher_remark: book.class_teacher_remark,
    conduct: book.conduct,
    attendance_percentage: book.attendance_percentage,
    student_group_id: book.student_group_id,
    entries: [{ subject_id: english.id, manual_letter: null, teacher_remark: 'Reads well.' }],
  })
  type Frozen = ReturnType<typeof frozen>
  const sending = (content: Frozen) => ({ status: 'sent_to_ministry', sent_snapshot: { sent_at: created_at, frozen: content } })

  test.each<[string, (content: Frozen) => object, 'malformed' | 'forbidden']>([
    ['not with a remark of 100,000 characters', () => ({ class_teacher_remark: 'a'.repeat(100_000) }), 'malformed'],
    ['not with a bell', () => ({ conduct: 'a\u0007' }), 'malformed'],
    ['not with a percentage that is none', () => ({ attendance_percentage: 500 }), 'malformed'],
    ['not with a percentage that is text', () => ({ attendance_percentage: 'all' }), 'malformed'],
    ['not with a class that is no id', () => ({ student_group_id: 'mine' }), 'malformed'],
    ['not in the class of somebody else', () => ({ student_group_id: class3A.id }), 'forbidden'],
    [
      'not with a letter that nobody could type',
      () => ({ entries: [{ subject_id: english.id, manual_letter: 'a'.repeat(99) }] }),
      'malformed',
    ],
    ['not with a remark on a subject that is a number', () => ({ entries: [{ subject_id: english.id, teacher_remark: 7 }] }), 'malformed'],
  ])('%s', async (_, changed, code) => {
    const { server, says } = await serverAnd('byrne')
    await publish(server)
    const before = await draftAt(server)
    const content = frozen(before)
    const told = sending({ ...content, ...changed(content) })
    expect(await says('report_book', draftReport.id, told, { only: ['status'] })).toMatchObject([{ outcome: 'refused', code }])
    expect({ ...(await draftAt(server)), updated_at: null }).toEqual({ ...before, updated_at: null })
    await says('report_book', draftReport.id, sending(content), { only: ['status'] })
    expect(await draftAt(server)).toMatchObject({ status: 'sent_to_ministry' })
  })
})

test('a book is not of the term of another year', async () => {
  const { server, says } = await serverAnd('byrne')
  const { updated_at: _, ...like } = await draftAt(server)
  const id = naturalId('report_book', zoe.id, lastMichaelmas.id, 'term')
  const made = { ...like, id, class_teacher_remark: null, created_at, student_id: zoe.id, term_id: lastMichaelmas.id }
  expect(await says('report_book', id, made)).toMatchObject(FORBIDDEN)
  expect((await server.rows('report_book')).map((row) => row.id)).not.toContain(id)
})

describe('a code', () => {
  const id = naturalId('grade', mathsExam.id, zoe.id)
  const own = { code: 'sick', name: 'Ill', effect: 'left_out', printed: true } as const

  test('is one of the school', async () => {
    const { server, says } = await serverAnd('ada')
    expect(await says('grade', id, { status: 'sick' }, { only: ['status'] })).toMatchObject(FORBIDDEN)
    expect((await server.rows('grade')).find((row) => row.id === id)?.status).toBeNull()
  })

  test('or was one when it was written', async () => {
    const { server, laptop, link } = await serverAnd('ada')
    await server.as.okafor.schools.updateMine({ body: { markCodes: [...standardMarkCodes, own] } })
    await settle(link)
    await (await signedIn(laptop, 'ada')).grades.update({ params: { id }, body: { status: 'sick' } })
    await server.as.okafor.schools.updateMine({ body: { markCodes: [...standardMarkCodes] } })
    await settle(link)
    expect(await refusedAt(laptop)).toEqual([])
    expect((await server.rows('grade')).find((row) => row.id === id)?.status).toBe('sick')
  })
})

test('nobody makes a file in the name of somebody else', async () => {
  const { server, says } = await serverAnd('byrne', fillEveryTable)
  const id = '01900000-0000-7000-8000-00000000abcd'
  const [pdf] = await server.rows('report_book_pdf')
  const values = { ...pdf, id, file_path: `${draftReport.id}/x.pdf` }
  expect(await says('report_book_pdf', id, { ...values, generated_by: people.okafor.id })).toMatchObject(FORBIDDEN)
  expect((await server.rows('report_book_pdf')).map((row) => row.id)).not.toContain(id)
  expect(await says('report_book_pdf', id, { ...values, generated_by: people.byrne.id })).toEqual([])
})

test('what a laptop signed is no better for being brought by the laptop of somebody else', async () => {
  const { server, laptop } = await serverAnd('byrne')
  const { laptop: adas } = await laptopOf(open, server, people.ada.id, 'of Ada')
  const id = naturalId('grade', mathsExam.id, zoe.id)
  const brings = async (score: number, to: number) => {
    await laptop.services.store.write(asSystem(people.byrne.id), (tx) =>
      asModifiedProgram(tx, async () => {
        const before = await tx.find('grade', stBrigids, id)
        if (before) await tx.update('grade', before, { score })
      }),
    )
    const [peer] = await laptop.services.store.read(asSystem(), parentsOf)
    const { push } = await (await liar(laptop, server)).child.pageAfter(peer as Row<'sync_peer'>)
    return (await (await lineOf(adas, server)).push({ ...push, from: to - 1, to, cursor: null })).answers
  }
  const score = async () => (await server.rows('grade')).find((row) => row.id === id)?.score
  const before = await score()
  expect(await brings(100.5, 1_000)).toMatchObject(FORBIDDEN)
  expect(await score()).toBe(before)
  expect(await brings(99.5, 1_001)).toEqual([])
  expect(await score()).toBe(99.5)
})
