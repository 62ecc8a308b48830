import { limits } from '@markbook/shared/limits'
import { people } from '@markbook/shared/story/people'
import { draftReport, hilltopReport, sentReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { School } from '../../testing/school.ts'
import { approvingSchool, entry, ofClass, params } from './approval.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await approvingSchool()
})
afterEach(() => st.close())

const reason = 'The remark names another pupil.\nPlease read it again.'
const at = '2026-01-12T08:00:00.000Z'
type SendingBack = { reason?: string; contentHash?: string }
type Who = 'okafor' | 'byrne' | 'ada' | 'marker' | 'quinn'

const read = () => st.as.byrne.reports.get({ params })
const listed = async () => (await st.as.byrne.reports.list({ query: ofClass })).find(({ id }) => id === draftReport.id)
const sendBack = (said: SendingBack = {}, who: Who = 'okafor') =>
  st.as[who].reports.approve.raw({ params, body: { isApproved: false, reason, ...said } })
const approve = (said: Omit<SendingBack, 'reason'> = {}, who: Who = 'okafor') =>
  st.as[who].reports.approve.raw({ params, body: { isApproved: true, ...said } })
const books = async () =>
  (await st.as.okafor.overview.read({ query: { termId: michaelmas.id, reportType: 'term' } })).find((row) => row.class.id === class3B.id)
    ?.books
const changedSince = { status: 409, body: { code: 'reports.changed_since' } }
const neither = { approved_at: null, approved_by: null, sent_back_at: null, sent_back_by: null, sent_back_reason: null }

describe('an administrator sends a report back', () => {
  test('the class teacher sees by whom, when and why', async () => {
    const { content_hash: contentHash } = await st.as.okafor.reports.get({ params })
    const sentBack = { approved_at: null, sent_back_at: at, sent_back_by: people.okafor.id, sent_back_reason: reason }
    expect(await sendBack({ contentHash })).toMatchObject({ status: 200, body: { status: 'draft', ...sentBack } })
    const person = { id: people.okafor.id, first_name: people.okafor.first_name, last_name: people.okafor.last_name }
    expect(await read()).toMatchObject({ ...sentBack, sent_back_person: person, is_changed_since_sent_back: false })
    expect(await listed()).toMatchObject({ ...sentBack, is_changed_since_sent_back: false })
  })

  test('it clears an approval, and an approval clears it: a report is never both', async () => {
    await approve()
    expect(await sendBack()).toMatchObject({ status: 200, body: { approved_at: null, approved_by: null, sent_back_reason: reason } })
    expect(await st.as.byrne.reports.publish.raw({ params })).toMatchObject({ status: 409, body: { code: 'reports.not_approved' } })
    const { content_hash: contentHash } = await read()
    expect(await approve({ contentHash })).toMatchObject({
      status: 200,
      body: { ...neither, approved_at: at, approved_by: people.okafor.id },
    })
    expect(await st.as.byrne.reports.publish({ params })).toMatchObject({ status: 'published' })
  })

  test('also a published one, which stays published and cannot be sent', async () => {
    await approve()
    await st.as.byrne.reports.publish({ params })
    expect(await sendBack()).toMatchObject({ status: 200, body: { status: 'published', sent_back_at: at } })
    expect(await st.as.byrne.reports.sendToMinistry.raw({ params })).toMatchObject({ status: 409, body: { code: 'reports.not_approved' } })
  })

  test('and withdraws that, without a reason', async () => {
    await sendBack()
    expect(await st.as.okafor.reports.approve({ params, body: { isApproved: false } })).toMatchObject(neither)
    expect(await read()).toMatchObject({ ...neither, sent_back_person: null, is_changed_since_sent_back: false })
  })

  test('does not withdraw a newer state than the one that was read', async () => {
    const takeBack = (expectedAt: string | null) =>
      st.as.okafor.reports.approve.raw({ params, body: { isApproved: false, ...(expectedAt && { expectedAt }) } })
    await approve()
    st.clock.advance(60_000)
    await sendBack()
    const before = await st.digest()
    expect(await takeBack(at)).toMatchObject(changedSince)
    expect(await st.digest()).toBe(before)
    const { sent_back_at, content_hash: contentHash } = await read()
    st.clock.advance(60_000)
    await approve({ contentHash })
    const approved = await st.digest()
    expect(await takeBack(sent_back_at)).toMatchObject(changedSince)
    expect(await st.digest()).toBe(approved)
    expect(await takeBack((await read()).approved_at)).toMatchObject({ status: 200, body: neither })
    // It was already withdrawn, as wanted.
    expect(await takeBack(at)).toMatchObject({ status: 200, body: neither })
  })

  test('403 for teachers, 404 for the head of another school, and nothing is changed', async () => {
    const before = await st.digest()
    expect(await sendBack({}, 'byrne')).toMatchObject({ status: 403 })
    expect(await sendBack({}, 'ada')).toMatchObject({ status: 403 })
    expect(await sendBack({}, 'marker')).toMatchObject({ status: 404 })
    const other = { params: { id: hilltopReport.id }, body: { isApproved: false, reason } }
    expect(await st.as.okafor.reports.approve.raw(other)).toMatchObject({ status: 404 })
    expect(await st.digest()).toBe(before)
  })

  test('409 where it was sent to the ministry, or the school asks for no approval', async () => {
    const sent = { params: { id: sentReport.id }, body: { isApproved: false, reason } }
    const before = await st.digest()
    expect(await st.as.okafor.reports.approve.raw(sent)).toMatchObject({ status: 409, body: { code: 'reports.locked' } })
    expect(await st.digest()).toBe(before)
    await st.as.okafor.schools.updateMine({ body: { approvesReports: null } })
    const after = await st.digest()
    expect(await sendBack()).toMatchObject({ status: 409, body: { code: 'reports.approval_not_asked' } })
    expect(await st.digest()).toBe(after)
  })

  test.each([
    ['empty', ''],
    ['blank', ' \n '],
    ['nothing that is seen', '\u00a0\u200b'],
    ['too long', 'a'.repeat(limits.text.reason + 1)],
  ])('400 for a reason that is %s', async (_, typed) => {
    const before = await st.digest()
    expect(await sendBack({ reason: typed })).toMatchObject({ status: 400, body: { issues: [{ path: 'reason' }] } })
    expect(await st.digest()).toBe(before)
  })

  test('400 for a reason beside an approval', async () => {
    const body = { isApproved: true, reason }
    expect(await st.as.okafor.reports.approve.raw({ params, body })).toMatchObject({ status: 400, body: { issues: [{ path: 'reason' }] } })
    expect(await read()).toMatchObject(neither)
  })
})

describe('with outdated content', () => {
  test('is refused, whether a remark or an entry was changed since', async () => {
    const first = await read()
    await st.as.byrne.reports.update({ params, body: { conduct: 'Good' } })
    expect(await sendBack({ contentHash: first.content_hash })).toMatchObject(changedSince)
    const second = await read()
    await st.as.byrne.reports.updateEntry({ params: entry, body: { teacherRemark: 'Reads well.' } })
    expect(await sendBack({ contentHash: second.content_hash })).toMatchObject(changedSince)
    expect(await read()).toMatchObject(neither)
    expect(await sendBack({ contentHash: (await read()).content_hash })).toMatchObject({ status: 200 })
  })

  test('a head who sends back while the class teacher edits is refused, or the report counts as changed since', async () => {
    const { content_hash: contentHash } = await read()
    const [sent] = await Promise.all([sendBack({ contentHash }), st.as.byrne.reports.update({ params, body: { conduct: 'Good' } })])
    const book = await read()
    expect(book).toMatchObject({ conduct: 'Good', is_changed_since_sent_back: sent.status === 200 })
    expect(book.sent_back_at === null).toBe(sent.status === 409)
  })
})

describe('two concurrent heads', () => {
  beforeEach(() => st.as.okafor.schools.updateMember({ params: { userId: people.quinn.id }, body: { role: 'admin' } }))

  test('one approves and one sends back: both succeed, and one of the two states is complete', async () => {
    const { content_hash: contentHash } = await read()
    const both = await Promise.all([approve({ contentHash }), sendBack({ contentHash }, 'quinn')])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const { approved_by, sent_back_by, sent_back_reason } = await read()
    expect([
      [people.okafor.id, null, null],
      [null, people.quinn.id, reason],
    ]).toContainEqual([approved_by, sent_back_by, sent_back_reason])
  })

  test('both send it back: one reason stands, and the history has both', async () => {
    await Promise.all([sendBack({ reason: 'The first.' }), sendBack({ reason: 'The second.' }, 'quinn')])
    const entries = await st.as.okafor.history.list({ query: { entity: 'report_book', id: draftReport.id } })
    const reasons = entries.flatMap(({ changes }) => changes['sent_back_reason']?.after ?? [])
    expect([...reasons].sort()).toEqual(['The first.', 'The second.'])
    expect((await read()).sent_back_reason).toBe(reasons[0])
  })
})

describe('a report that was sent back', () => {
  const changes = {
    'with the remark': () => st.as.byrne.reports.update({ params, body: { classTeacherRemark: 'Another word.' } }),
    'with attendance': () => st.as.byrne.reports.update({ params, body: { attendancePercentage: 91.5 } }),
    'with a letter': () => st.as.byrne.reports.updateEntry({ params: entry, body: { letterGrade: 'C' } }),
    'with the remark of a subject': () => st.as.byrne.reports.updateEntry({ params: entry, body: { teacherRemark: 'Reads well.' } }),
    'when it is calculated again': () => st.as.byrne.reports.regenerate({ params }),
  }
  test.each(Object.entries(changes))('keeps its reason and counts as changed since: %s', async (_, change) => {
    await sendBack()
    await change()
    for (const book of [await read(), await listed()])
      expect(book).toMatchObject({ sent_back_at: at, sent_back_reason: reason, is_changed_since_sent_back: true })
  })

  test('counts as unchanged again once it says the same as then', async () => {
    await sendBack()
    await st.as.byrne.reports.update({ params, body: { conduct: 'Good' } })
    await st.as.byrne.reports.update({ params, body: { conduct: null } })
    expect(await listed()).toMatchObject({ is_changed_since_sent_back: false })
  })

  test('waits for the class teacher, then for the head, in the overview', async () => {
    expect(await books()).toMatchObject({ to_approve: 1, sent_back: 0 })
    await sendBack()
    expect(await books()).toMatchObject({ to_approve: 0, sent_back: 1, approved: 0 })
    await st.as.byrne.reports.update({ params, body: { classTeacherRemark: 'Another word.' } })
    expect(await books()).toMatchObject({ to_approve: 1, sent_back: 0 })
    await approve()
    expect(await books()).toMatchObject({ to_approve: 0, sent_back: 0, approved: 1 })
  })

  test('is approved without a content hash only once it was changed', async () => {
    await sendBack()
    const before = await st.digest()
    expect(await approve()).toMatchObject(changedSince)
    expect(await st.digest()).toBe(before)
    await st.as.byrne.reports.update({ params, body: { conduct: 'Good' } })
    expect(await approve()).toMatchObject({ status: 200, body: { ...neither, approved_at: at, approved_by: people.okafor.id } })
  })

  test('can be sent back again, with another reason', async () => {
    await sendBack()
    await st.as.byrne.reports.update({ params, body: { conduct: 'Good' } })
    st.clock.advance(60_000)
    await sendBack({ reason: 'Not yet.' })
    expect(await read()).toMatchObject({
      sent_back_at: '2026-01-12T08:01:00.000Z',
      sent_back_reason: 'Not yet.',
      is_changed_since_sent_back: false,
    })
  })

  test('does not get an older PDF by that', async () => {
    await st.as.byrne.reportFiles.generatePdf({ params })
    await sendBack()
    const own = (await st.as.byrne.reports.standing({ query: ofClass })).find(({ report_id }) => report_id === draftReport.id)
    expect(own?.paper).toMatchObject({ is_older: false })
  })
})

describe('undo', () => {
  const undo = (id: string, who: Who = 'okafor') => st.as[who].history.undo.raw({ params: { id } })
  const latest = async () => (await st.as.okafor.history.list({ query: { entity: 'report_book', id: draftReport.id } }))[0]?.id ?? ''

  test('withdraws the sending back; the earlier approval is not restored', async () => {
    await approve()
    await sendBack()
    const id = await latest()
    expect(await undo(id, 'byrne')).toMatchObject({ status: 403 })
    expect(await undo(id)).toMatchObject({ status: 200, body: { changes: { sent_back_reason: { before: reason, after: null } } } })
    expect(await read()).toMatchObject(neither)
  })

  test('is refused once it was approved or sent back again', async () => {
    await sendBack()
    const id = await latest()
    await sendBack({ reason: 'Not yet.' })
    const before = await st.digest()
    expect(await undo(id)).toMatchObject({ status: 409, body: { code: 'history.changed_since' } })
    expect(await st.digest()).toBe(before)
    await approve({ contentHash: (await read()).content_hash })
    expect(await undo(id)).toMatchObject({ status: 409, body: { code: 'history.changed_since' } })
    expect(await undo(await latest())).toMatchObject({ status: 409, body: { code: 'history.cannot_undo' } })
  })

  test('of the class teacher’s change keeps the reason', async () => {
    await sendBack()
    await st.as.byrne.reports.update({ params, body: { conduct: 'Good' } })
    expect(await undo(await latest(), 'byrne')).toMatchObject({ status: 200 })
    expect(await read()).toMatchObject({ conduct: null, sent_back_reason: reason, is_changed_since_sent_back: false })
  })
})
