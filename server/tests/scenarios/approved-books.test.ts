import { naturalId } from '@markbook/shared/ids'
import { people, stBrigids } from '@markbook/shared/story/people'
import { draftReport, sentReport } from '@markbook/shared/story/reports'
import { english } from '@markbook/shared/story/school-year'
import type { Row } from '@markbook/shared/tables/tables'
import { textToVersions } from '@markbook/sync/versions'
import { afterEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { asModifiedProgram } from '../../testing/modified-program.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar } from './altered.fixtures.ts'
import { conflictsAt, refusedAt, refusedBelow, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const params = { id: draftReport.id }
const bookAt = async (node: School) => (await node.rows('report_book')).find(({ id }) => id === draftReport.id)
/** Which write each part of it is of, there. */
const stampsAt = (node: School) =>
  node.services.store.read(asSystem(), async (tx) => {
    const [stored] = await tx.dialect.versionsOf(tx.connection, stBrigids, 'report_book', [draftReport.id])
    return stored && textToVersions(stored).units
  })
const approval = { params, body: { isApproved: true } }

/** A school that wants its reports approved, and the laptop of somebody there; `late`: the laptop has not heard of it. */
async function schoolThatAsks(user: string, { late = false } = {}) {
  const { centre, box, link: up } = await centreAndSchool(open)
  const wish = async () => (await signedIn(box, 'okafor')).schools.updateMine({ body: { approvesReports: true } })
  if (!late) await wish()
  const { laptop, link } = await laptopOf(open, box, user)
  if (late) await wish()
  box.clock.advance(60_000)
  const minutesLater = () => {
    for (const { clock } of [box, laptop]) clock.advance(60_000)
  }
  return { centre, box, laptop, link, up, minutesLater }
}

/** What somebody writes into the book on a laptop whose program was altered. */
const writeOn = (laptop: School, user: string, patch: Partial<Row<'report_book'>>) =>
  laptop.services.store.write(asSystem(user), async (tx) => {
    const before = (await tx.find('report_book', stBrigids, draftReport.id)) as Row<'report_book'>
    await asModifiedProgram(tx, () => tx.update('report_book', before, patch))
  })

describe('a class teacher’s laptop', () => {
  test('publishes nothing that is not approved, and publishes what is', async () => {
    const { box, laptop, link, up, centre } = await schoolThatAsks(people.byrne.id)
    const byrne = await signedIn(laptop, 'byrne')
    expect(await byrne.reports.publish.raw({ params })).toMatchObject({ status: 409, body: { code: 'reports.not_approved' } })
    await (await signedIn(box, 'okafor')).reports.approve(approval)
    await settle(link)
    await byrne.reports.publish({ params })
    await settle(link, up, link)
    for (const node of [laptop, box, centre])
      expect(await bookAt(node)).toMatchObject({ status: 'published', approved_by: people.okafor.id })
    expect(await refusedAt(laptop)).toEqual([])
  })

  test('that has not heard of the wish publishes for nothing: refused, shown to both, and the book is a draft again', async () => {
    const { box, laptop, link } = await schoolThatAsks(people.byrne.id, { late: true })
    const byrne = await signedIn(laptop, 'byrne')
    await byrne.reports.update({ params, body: { conduct: 'Good' } })
    await byrne.reports.publish({ params })
    await settle(link)
    for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject({ status: 'draft', conduct: 'Good' })
    const refused = {
      table_name: 'report_book',
      row_id: draftReport.id,
      code: 'forbidden',
      value: { status: 'published', sent_snapshot: null },
    }
    expect(await refusedAt(laptop)).toEqual([expect.objectContaining(refused)])
    expect(await refusedBelow(box)).toEqual([expect.objectContaining(refused)])
  })

  test('that was altered approves nothing, in whosever name, and so publishes nothing', async () => {
    const { box, laptop, link } = await schoolThatAsks(people.byrne.id)
    for (const approved_by of [people.byrne.id, people.okafor.id]) {
      await writeOn(laptop, people.byrne.id, { approved_at: '2026-01-12T09:00:00.000Z', approved_by, status: 'published' })
      await settle(link)
      for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject({ status: 'draft', approved_at: null })
    }
    expect((await refusedAt(laptop)).map(({ unit }) => unit).sort()).toEqual(['approval', 'approval', 'status', 'status'])
  })

  test('takes an approval away with what it writes after it', async () => {
    const { box, laptop, link } = await schoolThatAsks(people.byrne.id)
    await (await signedIn(box, 'okafor')).reports.approve(approval)
    await settle(link)
    expect(await bookAt(laptop)).toMatchObject({ approved_by: people.okafor.id })
    await (await signedIn(laptop, 'byrne')).reports.update({ params, body: { conduct: 'Good' } })
    expect(await bookAt(laptop)).toMatchObject({ approved_at: null })
    await settle(link)
    for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject({ conduct: 'Good', approved_at: null, approved_by: null })
    expect(await refusedAt(laptop)).toEqual([])
    expect(await conflictsAt(box)).toEqual([])
  })

  test.each(['before', 'after'] as const)('and with what it had written %s it, which whoever approved had not read', async (when) => {
    const { box, laptop, link, up, centre, minutesLater } = await schoolThatAsks(people.byrne.id)
    const write = async () => void (await (await signedIn(laptop, 'byrne')).reports.update({ params, body: { conduct: 'Good' } }))
    const approve = async () => void (await (await signedIn(box, 'okafor')).reports.approve(approval))
    for (const act of when === 'before' ? [write, approve] : [approve, write]) {
      await act()
      minutesLater()
    }
    await settle(link, up, link)
    for (const node of [box, laptop, centre]) expect(await bookAt(node)).toMatchObject({ conduct: 'Good', approved_at: null })
    expect(await refusedAt(laptop)).toEqual([])
    const [a, b] = await same(box, centre)
    expect(b).toEqual(a)
  })

  test('and at a centre that had heard of the approval', async () => {
    const { box, laptop, link, up, centre } = await schoolThatAsks(people.byrne.id)
    await (await signedIn(laptop, 'byrne')).reports.update({ params, body: { conduct: 'Good' } })
    await (await signedIn(box, 'okafor')).reports.approve(approval)
    await settle(up)
    expect(await bookAt(centre)).toMatchObject({ conduct: null, approved_by: people.okafor.id })
    await settle(link, up)
    for (const node of [box, laptop, centre]) {
      expect(await bookAt(node)).toMatchObject({ conduct: 'Good', approved_at: null })
      expect(await stampsAt(node)).toEqual(await stampsAt(laptop))
    }
    expect(await conflictsAt(centre)).toEqual([])
  })

  test('publishes what it changed for nothing, where it was approved at the school meanwhile', async () => {
    const { box, laptop, link, minutesLater } = await schoolThatAsks(people.byrne.id, { late: true })
    const byrne = await signedIn(laptop, 'byrne')
    await (await signedIn(box, 'okafor')).reports.approve(approval)
    minutesLater()
    await byrne.reports.update({ params, body: { conduct: 'Good' } })
    await byrne.reports.publish({ params })
    await settle(link)
    for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject({ status: 'draft', conduct: 'Good', approved_at: null })
  })

  test('publishes a book for nothing whose entry it changed, where it was approved at the school meanwhile', async () => {
    const { box, laptop, link, minutesLater } = await schoolThatAsks(people.byrne.id, { late: true })
    const byrne = await signedIn(laptop, 'byrne')
    await (await signedIn(box, 'okafor')).reports.approve(approval)
    minutesLater()
    const entryId = naturalId('report_book_entry', draftReport.id, english.id)
    await byrne.reports.updateEntry({ params: { entryId }, body: { teacherRemark: 'Reads well.' } })
    await byrne.reports.publish({ params })
    await settle(link)
    for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject({ status: 'draft', approved_at: null })
    expect((await box.rows('report_book_entry')).find(({ id }) => id === entryId)).toMatchObject({ teacher_remark: 'Reads well.' })
  })
})

test('what is written into an entry on a laptop takes the approval away at the school too', async () => {
  const { box, laptop, link } = await schoolThatAsks(people.byrne.id)
  const byrne = await signedIn(laptop, 'byrne')
  const entryId = naturalId('report_book_entry', draftReport.id, english.id)
  await byrne.reports.updateEntry({ params: { entryId }, body: { teacherRemark: 'Reads well.' } })
  await (await signedIn(box, 'okafor')).reports.approve(approval)
  await settle(link)
  for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject({ approved_at: null })
  expect((await box.rows('report_book_entry')).find(({ id }) => id === entryId)).toMatchObject({ teacher_remark: 'Reads well.' })
  expect(await refusedAt(laptop)).toEqual([])
})

test('an entry of which the page says that it is of another book takes the approval of its own away', async () => {
  const { box, laptop } = await schoolThatAsks(people.byrne.id)
  const entryId = naturalId('report_book_entry', draftReport.id, english.id)
  await (await signedIn(laptop, 'byrne')).reports.updateEntry({ params: { entryId }, body: { teacherRemark: 'Reads well.' } })
  await (await signedIn(box, 'okafor')).reports.approve(approval)
  const { says } = await liar(laptop, box)
  await says(({ table, state }) =>
    table === 'report_book_entry' ? [{ table, state: { ...state, values: { ...state.values, report_book_id: sentReport.id } } }] : [],
  )
  const entry = (await box.rows('report_book_entry')).find(({ id }) => id === entryId)
  expect(entry).toMatchObject({ report_book_id: draftReport.id, teacher_remark: 'Reads well.' })
  expect(await bookAt(box)).toMatchObject({ approved_at: null })
})

test('a head approves on her own laptop, and what was approved there can be published', async () => {
  const { box, laptop, link } = await schoolThatAsks(people.okafor.id)
  const okafor = await signedIn(laptop, 'okafor')
  await okafor.reports.update({ params, body: { conduct: 'Good' } })
  await okafor.reports.approve(approval)
  await okafor.reports.publish({ params })
  await settle(link)
  for (const node of [box, laptop])
    expect(await bookAt(node)).toMatchObject({ status: 'published', conduct: 'Good', approved_by: people.okafor.id })
  expect(await refusedAt(laptop)).toEqual([])
})

test('where nobody asks for approvals a laptop publishes as ever', async () => {
  const { box } = await centreAndSchool(open)
  const { laptop, link } = await laptopOf(open, box, people.byrne.id)
  await (await signedIn(laptop, 'byrne')).reports.publish({ params })
  await settle(link)
  expect(await bookAt(box)).toMatchObject({ status: 'published', approved_at: null })
})

describe('a book that is sent back', () => {
  const reason = 'The remark names another pupil.'
  const sendingBack = { params, body: { isApproved: false, reason } }
  const sentBack = { approved_at: null, sent_back_by: people.okafor.id, sent_back_reason: reason }
  const forged = (by: string) => ({
    sent_back_at: '2026-01-12T09:00:00.000Z',
    sent_back_by: by,
    sent_back_reason: 'No reason.',
    sent_back_hash: 'a'.repeat(64),
  })
  const neither = { sent_back_at: null, sent_back_by: null, sent_back_reason: null, sent_back_hash: null }
  const isChangedAt = async (node: School) => (await (await signedIn(node, 'byrne')).reports.get({ params })).is_changed_since_sent_back

  test('comes to the laptop with its reason, and every node sees what was changed since', async () => {
    const { box, laptop, link, up, centre } = await schoolThatAsks(people.byrne.id)
    await (await signedIn(box, 'okafor')).reports.approve(sendingBack)
    await settle(link, up)
    const byrne = await signedIn(laptop, 'byrne')
    const person = { id: people.okafor.id, first_name: people.okafor.first_name, last_name: people.okafor.last_name }
    expect(await byrne.reports.get({ params })).toMatchObject({ ...sentBack, sent_back_person: person, is_changed_since_sent_back: false })
    for (const node of [box, centre]) expect(await isChangedAt(node)).toBe(false)
    await byrne.reports.update({ params, body: { attendancePercentage: 91.25 } })
    await settle(link, up)
    for (const node of [box, laptop, centre]) {
      expect(await bookAt(node)).toMatchObject({ ...sentBack, attendance_percentage: 91.25 })
      expect(await isChangedAt(node)).toBe(true)
    }
    expect(await refusedAt(laptop)).toEqual([])
    expect(await conflictsAt(box)).toEqual([])
  })

  test('counts as changed by what a laptop had written before, which whoever sent it back had not read', async () => {
    const { box, laptop, link, minutesLater } = await schoolThatAsks(people.byrne.id)
    await (await signedIn(laptop, 'byrne')).reports.update({ params, body: { conduct: 'Good' } })
    minutesLater()
    await (await signedIn(box, 'okafor')).reports.approve(sendingBack)
    await settle(link)
    for (const node of [box, laptop]) {
      expect(await bookAt(node)).toMatchObject({ ...sentBack, conduct: 'Good' })
      expect(await isChangedAt(node)).toBe(true)
    }
  })

  test.each(['before', 'after'] as const)(
    'keeps its reason where a laptop changes it %s that, which still has it as approved',
    async (when) => {
      const { box, laptop, link, up, centre, minutesLater } = await schoolThatAsks(people.byrne.id)
      const okafor = await signedIn(box, 'okafor')
      await okafor.reports.approve(approval)
      await settle(link)
      const change = async () => void (await (await signedIn(laptop, 'byrne')).reports.update({ params, body: { conduct: 'Good' } }))
      const sends = async () => void (await okafor.reports.approve(sendingBack))
      for (const act of when === 'before' ? [change, sends] : [sends, change]) {
        await act()
        // The clocks of the two stand a minute apart.
        for (let minutes = 0; minutes < 3; minutes += 1) minutesLater()
      }
      await settle(link, up, link)
      for (const node of [box, laptop, centre]) expect(await bookAt(node)).toMatchObject({ ...sentBack, conduct: 'Good' })
      expect(await refusedAt(laptop)).toEqual([])
    },
  )

  test('is not made so by an altered laptop of a teacher, in whosever name', async () => {
    const { box, laptop, link } = await schoolThatAsks(people.byrne.id)
    for (const by of [people.byrne.id, people.okafor.id]) {
      await writeOn(laptop, people.byrne.id, forged(by))
      await settle(link)
      for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject(neither)
    }
    expect((await refusedAt(laptop)).map(({ unit }) => unit)).toEqual(['approval', 'approval'])
  })

  test('stays so against an altered laptop of a teacher, which takes it away', async () => {
    const { box, laptop, link } = await schoolThatAsks(people.byrne.id)
    await (await signedIn(box, 'okafor')).reports.approve(sendingBack)
    await settle(link)
    await writeOn(laptop, people.byrne.id, neither)
    expect(await bookAt(laptop)).toMatchObject(neither)
    await settle(link)
    for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject(sentBack)
  })

  test('by a head on her own laptop, in her own name alone, and never approved as well', async () => {
    const { box, laptop, link } = await schoolThatAsks(people.okafor.id)
    const approved = { approved_at: '2026-01-12T09:00:00.000Z', approved_by: people.okafor.id }
    for (const patch of [
      forged(people.byrne.id),
      { ...forged(people.okafor.id), ...approved },
      { ...forged(people.okafor.id), sent_back_reason: ' ' },
      { ...forged(people.okafor.id), sent_back_reason: null },
      { ...forged(people.okafor.id), sent_back_hash: 'none' },
    ]) {
      await writeOn(laptop, people.okafor.id, patch)
      await settle(link)
      expect(await bookAt(box)).toMatchObject({ ...neither, approved_at: null })
    }
    expect((await refusedAt(laptop)).map(({ code }) => code)).toEqual(Array(5).fill('malformed'))
    const okafor = await signedIn(laptop, 'okafor')
    await okafor.reports.approve(sendingBack)
    await settle(link)
    for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject(sentBack)
    await okafor.reports.approve({ params, body: { isApproved: false } })
    await settle(link)
    for (const node of [box, laptop]) expect(await bookAt(node)).toMatchObject(neither)
  })

  test('nowhere where the school asks for no approval', async () => {
    const { box } = await centreAndSchool(open)
    const { laptop, link } = await laptopOf(open, box, people.okafor.id)
    await writeOn(laptop, people.okafor.id, forged(people.okafor.id))
    await settle(link)
    expect(await bookAt(box)).toMatchObject(neither)
    expect(await refusedAt(laptop)).toMatchObject([{ unit: 'approval', code: 'forbidden' }])
  })
})
