import { naturalId } from '@markbook/shared/ids'
import { englishExam, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, expect, test, vi } from 'vitest'
import { createApp } from '../../app/app.ts'
import { issueConsoleCode } from '../../features/auth/issued-codes.ts'
import { enrolled } from '../../testing/authenticator.ts'
import { browserOf } from '../../testing/browser.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { furnished } from '../matrix/furnished.ts'
import { furnishCopy } from '../matrix/neighbour.ts'
import { outage, servedAt } from './a-day-offline.fixtures.ts'
import { conflictsAt, refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const each of open.splice(0)) await each.close()
})

const hours = (count: number) => count * 3_600_000

test('a day offline: the centre and every name are gone, the school does everything that it does, and then all of it arrives', {
  timeout: 120_000,
}, async () => {
  const atCentre = await furnished({ seed: 'centre' })
  const centre = atCentre.st
  const box = await school({ seed: 'box', story: false, database: 'sqlite' })
  open.push(centre, box)
  const link = await under(centre, box)
  await settle(link)
  await furnishCopy(box, stBrigids)
  const inConflict = async (node: School) => (await conflictsAt(node)).filter(({ school_id }) => school_id === stBrigids)
  const [conflicts, refusals] = [await inConflict(box), await refusedAt(box)]

  // The evening before: the head sets up the app on her phone, Quinn prints his codes.
  const phone = await enrolled(await signedIn(box, 'okafor'), box.clock)
  const [printed = ''] = (await (await signedIn(box, 'quinn')).outage.newRecoveryCodes()).codes
  await settle(link)

  // In the morning there is no line, and no name has an address.
  for (const { clock } of [centre, box]) clock.advance(hours(14))
  const line = outage()
  link.line.cut = true
  const noMail = { kind: 'smtp', lastFailure: { at: 0, kind: 'connection', reason: 'ENOTFOUND' }, queued: 3 } as const
  const mailer = { ...box.services.mailer, state: () => noMail }
  const app = createApp({ ...box.services, mailer })
  const enter = async (email: string, token: string) => {
    const browser = browserOf(app)
    expect((await browser.client.auth.verifyOtp({ body: { email, token } })).user.email).toBe(email)
    return browser.client
  }
  expect(await browserOf(app).client.outage.ways()).toEqual({ mail: 'failing', totp: true, recovery: true, desk: true })
  const head = await enter(people.okafor.email, phone.code())
  const quinn = await enter(people.quinn.email, printed)
  const ada = await enter(people.ada.email, (await head.outage.issueDeskCode({ body: { userId: people.ada.id } })).code)
  const atConsole = async ({ email }: { email: string }) =>
    enter(email, (await issueConsoleCode(box.services.store, email, box.services.keys)).code)
  const byrne = await atConsole(people.byrne)
  await atConsole(people.nobody)

  // Every endpoint of the contract answers as it does with a line.
  const { seen, wanted } = await servedAt(box, atCentre, mailer)
  expect(seen).toEqual(wanted)
  expect(line.askedFor()).toEqual([])

  // Marks before the break, a new pupil at noon, report books in the afternoon.
  await ada.grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: 63 }] } })
  await byrne.grades.bulk({ body: { assessmentId: englishExam.id, grades: [{ studentId: zoe.id, score: 64 }] } })
  box.clock.advance(hours(3))
  const pupil = await head.students.create({ body: { firstName: 'Ola', lastName: 'Brennan', gender: 'female' } })
  await head.classes.enroll({ params: { id: class3B.id }, body: { studentId: pupil.id } })
  await ada.grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: pupil.id, score: 71 }] } })
  box.clock.advance(hours(3))
  const generated = await byrne.reports.generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
  const ofPupil = generated.reports.find(({ student_id }) => student_id === pupil.id)
  await byrne.reports.publish({ params: { id: ofPupil?.id as string } })
  expect(await quinn.auth.me()).toMatchObject({ id: people.quinn.id })
  expect((await head.replication.status()).waiting).toBeGreaterThan(0)
  await expect(link.round()).rejects.toThrow('the line is cut')
  expect(line.askedFor()).toEqual([])

  // The line is back.
  line.end()
  link.line.cut = false
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(a).toEqual(b)
  const marks = [
    [mathsExam.id, zoe.id, 63, people.ada.id],
    [englishExam.id, zoe.id, 64, people.byrne.id],
    [mathsExam.id, pupil.id, 71, people.ada.id],
  ] as const
  for (const [assessment, student, score, author] of marks) {
    const id = naturalId('grade', assessment, student)
    expect((await centre.rows('grade')).find((grade) => grade.id === id)).toMatchObject({ score, updated_by: author })
    const [last] = await (await signedIn(centre, 'okafor')).history.list({ query: { entity: 'grade', id } })
    expect(last).toMatchObject({ actor: { id: author }, changes: { score: { after: score } }, node: box.services.store.nodeId })
  }
  expect((await centre.rows('student')).find(({ id }) => id === pupil.id)).toMatchObject({ last_name: 'Brennan' })
  const books = (await centre.rows('report_book')).filter(({ id }) => generated.reports.some((each) => each.id === id))
  expect(books.length).toBe(generated.reports.length)
  expect(books.find(({ student_id }) => student_id === pupil.id)?.status).toBe('published')
  expect((await (await signedIn(box, 'okafor')).replication.status()).waiting).toBe(0)
  // Nothing of it met anything else: what waits for a decision is what waited in the morning.
  for (const node of [centre, box]) expect(await inConflict(node)).toEqual(conflicts)
  expect(await refusedAt(box)).toEqual(refusals)
})
