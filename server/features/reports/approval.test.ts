import { naturalId } from '@markbook/shared/ids'
import { elan, mathsQuiz } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { draftReport, hilltopReport, sentReport } from '@markbook/shared/story/reports'
import { maths } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { School } from '../../testing/school.ts'
import { approvingSchool, entry, ofClass, params } from './approval.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await approvingSchool()
})
afterEach(() => st.close())

const read = () => st.as.okafor.reports.get({ params })
const approve = (who: 'okafor' | 'byrne' | 'marker' = 'okafor') => st.as[who].reports.approve.raw({ params, body: { isApproved: true } })
const notApproved = { status: 409, body: { code: 'reports.not_approved' } }

describe('a school that wants reports approved', () => {
  test('shows the setting to everybody, and can reset it', async () => {
    expect(await st.as.byrne.schools.mine()).toMatchObject({ approves_reports: true })
    expect(await st.as.okafor.schools.updateMine({ body: { approvesReports: false } })).toMatchObject({ approves_reports: false })
    expect(await st.as.byrne.schools.updateMine.raw({ body: { approvesReports: true } })).toMatchObject({ status: 403 })
  })

  test('publishes only what is approved: until then it is refused for everybody, and nothing changes', async () => {
    const before = await st.digest()
    expect(await st.as.byrne.reports.publish.raw({ params })).toMatchObject(notApproved)
    expect(await st.as.okafor.reports.publish.raw({ params })).toMatchObject(notApproved)
    expect(await st.digest()).toBe(before)
    expect(await st.as.okafor.reports.approve({ params, body: { isApproved: true } })).toMatchObject({
      status: 'draft',
      approved_at: '2026-01-12T08:00:00.000Z',
      approved_by: people.okafor.id,
    })
    expect(await st.as.byrne.reports.publish({ params })).toMatchObject({ status: 'published', approved_by: people.okafor.id })
    expect(await st.as.byrne.reports.sendToMinistry({ params })).toMatchObject({ status: 'sent_to_ministry' })
  })

  test('sends nothing that was changed after it was approved and published', async () => {
    await approve()
    await st.as.byrne.reports.publish({ params })
    await st.as.byrne.reports.update({ params, body: { conduct: 'Good' } })
    const before = await st.digest()
    expect(await st.as.byrne.reports.sendToMinistry.raw({ params })).toMatchObject(notApproved)
    expect(await st.digest()).toBe(before)
    await approve()
    expect(await st.as.byrne.reports.sendToMinistry({ params })).toMatchObject({ status: 'sent_to_ministry' })
  })

  test('publishes as before once it requires no approval', async () => {
    await st.as.okafor.schools.updateMine({ body: { approvesReports: null } })
    expect(await approve()).toMatchObject({ status: 409, body: { code: 'reports.approval_not_asked' } })
    expect(await st.as.byrne.reports.publish({ params })).toMatchObject({ status: 'published', approved_at: null })
  })
})

describe('PATCH /api/reports/:id/approval', () => {
  test('is for administrators of the school: 403 for its teachers, 404 for the head of another', async () => {
    const before = await st.digest()
    expect(await approve('byrne')).toMatchObject({ status: 403 })
    expect(await approve('marker')).toMatchObject({ status: 404 })
    expect(await st.as.okafor.reports.approve.raw({ params: { id: hilltopReport.id }, body: { isApproved: true } })).toMatchObject({
      status: 404,
    })
    expect(await st.digest()).toBe(before)
  })

  test('of two heads at once the first is recorded, and both succeed', async () => {
    await st.as.okafor.schools.updateMember({ params: { userId: people.quinn.id }, body: { role: 'admin' } })
    const both = await Promise.all([approve(), st.as.quinn.reports.approve.raw({ params, body: { isApproved: true } })])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(both.map(({ body }) => (body as { approved_by: string }).approved_by)).size).toBe(1)
  })

  test('the approval is withdrawn, and a sent book stays as it is', async () => {
    await approve()
    expect(await st.as.okafor.reports.approve({ params, body: { isApproved: false } })).toMatchObject({
      approved_at: null,
      approved_by: null,
    })
    expect(await st.as.byrne.reports.publish.raw({ params })).toMatchObject(notApproved)
    const sent = { params: { id: sentReport.id }, body: { isApproved: true } }
    expect(await st.as.okafor.reports.approve.raw(sent)).toMatchObject({ status: 409, body: { code: 'reports.locked' } })
  })

  test('refused for content read before a change, of the report itself or of an entry', async () => {
    const first = await read()
    await st.as.byrne.reports.update({ params, body: { classTeacherRemark: 'Another word.' } })
    const stale = { status: 409, body: { code: 'reports.changed_since' } }
    const with_ = (contentHash: string) => st.as.okafor.reports.approve.raw({ params, body: { isApproved: true, contentHash } })
    expect(await with_(first.content_hash)).toMatchObject(stale)
    const second = await read()
    await st.as.byrne.reports.updateEntry({ params: entry, body: { teacherRemark: 'Reads well.' } })
    expect(await with_(second.content_hash)).toMatchObject(stale)
    expect((await read()).approved_at).toBeNull()
    expect(await with_((await read()).content_hash)).toMatchObject({ status: 200 })
  })

  test('a head who approves while the class teacher edits: nothing is approved that the head has not read', async () => {
    const { content_hash: contentHash } = await read()
    await Promise.all([
      st.as.okafor.reports.approve.raw({ params, body: { isApproved: true, contentHash } }),
      st.as.byrne.reports.update({ params, body: { conduct: 'Good' } }),
    ])
    expect(await read()).toMatchObject({ conduct: 'Good', approved_at: null })
  })
})

describe('an approval is cleared', () => {
  const changes = {
    'with the remark': () => st.as.byrne.reports.update({ params, body: { classTeacherRemark: 'Another word.' } }),
    'with conduct': () => st.as.byrne.reports.update({ params, body: { conduct: 'Good' } }),
    'with attendance': () => st.as.byrne.reports.update({ params, body: { attendancePercentage: 91 } }),
    'with a letter': () => st.as.byrne.reports.updateEntry({ params: entry, body: { letterGrade: 'C' } }),
    'with the remark of a subject': () => st.as.byrne.reports.updateEntry({ params: entry, body: { teacherRemark: 'Reads well.' } }),
    'when it is calculated again': () => st.as.byrne.reports.regenerate({ params }),
    'when those of the class are made again': () => st.as.byrne.reports.generate({ body: ofClass }),
  }
  test.each(Object.entries(changes))('%s', async (_, change) => {
    await approve()
    await change()
    expect(await read()).toMatchObject({ approved_at: null, approved_by: null })
  })

  test('also by a subject teacher’s change of an entry', async () => {
    await st.as.byrne.reports.generate({ body: ofClass })
    await approve()
    const entryId = naturalId('report_book_entry', draftReport.id, maths.id)
    await st.as.ada.reports.updateEntry({ params: { entryId }, body: { teacherRemark: 'Exact.' } })
    expect((await read()).approved_at).toBeNull()
  })

  test('and stays without a change: the same words, publishing, the same figures', async () => {
    await st.as.byrne.reports.generate({ body: ofClass })
    await approve()
    await st.as.byrne.reports.update({ params, body: { classTeacherRemark: 'A steady term.' } })
    await st.as.byrne.reports.updateEntry({ params: entry, body: { teacherRemark: null } })
    await st.as.byrne.reports.generate({ body: ofClass })
    await st.as.byrne.reports.publish({ params })
    expect(await read()).toMatchObject({ status: 'published', approved_by: people.okafor.id })
    await st.as.ada.grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: elan.id, score: 1 }] } })
    expect((await read()).approved_at).not.toBeNull()
    await st.as.byrne.reports.generate({ body: ofClass })
    expect((await read()).approved_at).toBeNull()
  })

  test('undoing the change does not restore the approval', async () => {
    await approve()
    await st.as.byrne.reports.update({ params, body: { conduct: 'Good' } })
    const [latest, given] = await st.as.okafor.history.list({ query: { entity: 'report_book', id: draftReport.id } })
    expect(Object.keys(latest?.changes ?? {}).sort()).toEqual(['approved_at', 'approved_by', 'conduct'])
    await st.as.byrne.history.undo({ params: { id: latest?.id ?? '' } })
    expect(await read()).toMatchObject({ conduct: null, approved_at: null })
    expect(await st.as.okafor.history.undo.raw({ params: { id: given?.id ?? '' } })).toMatchObject({
      status: 409,
      body: { code: 'history.cannot_undo' },
    })
  })
})

test('approving makes no PDF older', async () => {
  await st.as.byrne.reportFiles.generatePdf({ params })
  await approve()
  const standing = async () =>
    (await st.as.byrne.reports.standing({ query: ofClass })).find(({ report_id }) => report_id === draftReport.id)
  expect((await standing())?.paper).toMatchObject({ is_older: false })
  await st.as.byrne.reports.update({ params, body: { conduct: 'Good' } })
  expect((await standing())?.paper).toMatchObject({ is_older: true })
})
