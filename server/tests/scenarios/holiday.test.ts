import { naturalId } from '@markbook/shared/ids'
import { mathsExam, mathsHomework, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { OLDEST_PROTOCOL, PROTOCOL } from '@markbook/sync/protocol/messages'
import { textToVersions, versionsToText } from '@markbook/sync/versions'
import { and, eq } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { forgetDeletions } from '../../replication/downstream/tombstones.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, schoolAndLaptop, serverAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { answersBefore, signedAnew } from '../../testing/signed-anew.ts'
import { conflictsAt, refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const DAY = 86_400_000
const ofZoe = (assessmentId: string) => naturalId('grade', assessmentId, zoe.id)
const mark = (assessmentId: string, score: number) => ({ body: { assessmentId, grades: [{ studentId: zoe.id, score }] } })
const scoreAt = async (node: School, assessmentId: string) => (await node.rows('grade')).find(({ id }) => id === ofZoe(assessmentId))?.score
const hasAssessment = async (node: School, id: string) => (await node.rows('assessment')).some((row) => row.id === id)
const pass = (days: number, ...nodes: School[]) => {
  for (const { clock } of nodes) clock.advance(days * DAY)
}

const versionsAt = ({ services }: School, rowId: string) =>
  services.store.read(asSystem(), async (tx) => {
    const { sync_row } = tx.t
    const [row] = await tx.connection.db
      .select()
      .from(sync_row)
      .where(and(eq(sync_row.school_id, stBrigids), eq(sync_row.row_id, rowId)))
    return row
  })

/** A part of a row that a later program than this one wrote. */
const VOICE = { voice_note: 'well done', voice_length: 3 }
/** What a later program than this one added to a part of a row that is known here. */
const HALF = { half_mark: true }
async function writeByNewer(node: School, rowId: string, unit = 'voice', unknown: Record<string, unknown> = VOICE): Promise<void> {
  const row = await versionsAt(node, rowId)
  if (!row) throw new Error('there is no such row')
  const { vv, units, alive } = textToVersions(row)
  const newer = '0190c8a0-0000-7000-8000-0000000000ff'
  const after = { vv: { ...vv, [newer]: 1 }, units: { ...units, [unit]: [newer, 1, node.clock.now(), people.ada.id] as const }, alive }
  const { table_name, deleted, settled } = row
  const extra = JSON.stringify({ unknown: { [unit]: unknown } })
  await node.services.store.write(asSystem(), async (tx) =>
    tx.replica.recordReceived(stBrigids, [
      { table_name, row_id: rowId, deleted, settled, schema: SCHEMA_VERSION + 1, extra, source_id: null, ...versionsToText(after) },
    ]),
  )
}
/** The same, under the stamps that the row has. */
async function addedByNewer(node: School, rowId: string, unknown: Record<string, unknown>): Promise<void> {
  const row = await versionsAt(node, rowId)
  if (!row) throw new Error('there is no such row')
  await node.services.store.write(asSystem(), async (tx) =>
    tx.connection.db
      .update(tx.t.sync_row)
      .set({ schema: SCHEMA_VERSION + 1, extra: JSON.stringify({ unknown }) })
      .where(and(eq(tx.t.sync_row.school_id, stBrigids), eq(tx.t.sync_row.row_id, rowId))),
  )
}
const unknownAt = async (node: School) => JSON.parse((await versionsAt(node, ofZoe(mathsExam.id)))?.extra ?? '{}').unknown
const voiceAt = async (node: School) => (await unknownAt(node))?.voice

describe('the holiday laptop', () => {
  test('what its old program does not know it keeps, and sends on with the marks that it enters', async () => {
    const { box } = await centreAndSchool(open)
    await writeByNewer(box, ofZoe(mathsExam.id))
    const { laptop, link } = await laptopOf(open, box, people.ada.id)
    pass(100, box, laptop)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 71))
    await settle(link)
    expect([await scoreAt(box, mathsExam.id), await voiceAt(box), await voiceAt(laptop)]).toEqual([71, VOICE, VOICE])
  })

  test('what a later program added to a part of a mark that is known travels with it, and the mark stands', async () => {
    const { centre, box, link, laptop, laptopLink: below } = await schoolAndLaptop(open)
    await settle(link, below)
    const before = (await scoreAt(centre, mathsExam.id)) as number
    await writeByNewer(centre, ofZoe(mathsExam.id), 'score', HALF)
    await settle(link, below)
    const all = [centre, box, laptop]
    for (const node of all) expect([await scoreAt(node, mathsExam.id), await unknownAt(node)]).toEqual([before, { score: HALF }])
    const [ada, body] = [
      await signedIn(laptop, 'ada'),
      { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: before, remarks: 'Late' }] },
    ]
    await ada.grades.bulk({ body })
    await settle(below, link)
    for (const node of all) expect([await scoreAt(node, mathsExam.id), await unknownAt(node)]).toEqual([before, { score: HALF }])
    // Whoever writes that part without knowing of it says nothing of it.
    await ada.grades.bulk(mark(mathsExam.id, 72))
    await settle(below, link)
    for (const node of all) expect([await scoreAt(node, mathsExam.id), await unknownAt(node)]).toEqual([72, undefined])
    expect(await conflictsAt(centre)).toEqual([])
  })

  test('a late edit of a sent book keeps what a newer program added in the record of the rule', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const book = { id: draftReport.id }
    const byrne = await signedIn(centre, 'byrne')
    await byrne.reports.publish({ params: book })
    await byrne.reports.sendToMinistry({ params: book })
    pass(1, box)
    await (await signedIn(box, 'byrne')).reports.update({ params: book, body: { conduct: 'Written too late.' } })
    await addedByNewer(box, book.id, { conduct: HALF })
    await settle(link)
    expect(await conflictsAt(centre)).toMatchObject([{ unit: 'conduct', kind: 'rule', value: { conduct: 'Written too late.', ...HALF } }])
  })

  test('a write that is not taken keeps what a newer program added: in the conflict, on the list, and after the decision', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const head = await signedIn(server, 'okafor')
    const role = (role: 'member' | 'teacher') => head.schools.updateMember({ params: { userId: people.ada.id }, body: { role } })
    await role('member')
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 99))
    await addedByNewer(laptop, ofZoe(mathsExam.id), { score: HALF })
    for (let round = 0; round < 2; round += 1) await link.round()
    const value = { score: 99, ...HALF }
    expect(await conflictsAt(server)).toMatchObject([{ unit: 'score', value }])
    expect((await refusedAt(laptop)).map((refused) => refused.value)).toEqual([value])
    // This program knows half of it, and writes that.
    const [conflict] = await head.replication.conflicts()
    await head.replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'kept' } })
    expect(await scoreAt(server, mathsExam.id)).toBe(99)
    expect(await conflictsAt(server)).toMatchObject([{ status: 'resolved', value }])
  })

  test('too old to be understood it waits with everything that it has; updated, it goes on', async () => {
    const { box, laptop } = await schoolAndLaptop(open)
    pass(100, box, laptop)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 72))
    const tooOld = { protocol: OLDEST_PROTOCOL - 1, schema: SCHEMA_VERSION }
    await expect(makeRound(laptop, carrierTo(box), 0, tooOld)).rejects.toMatchObject({ code: 'sync.upgrade_needed' })
    expect(await scoreAt(laptop, mathsExam.id)).toBe(72)
    expect(await scoreAt(box, mathsExam.id)).not.toBe(72)
    await makeRound(laptop, carrierTo(box))
    expect(await scoreAt(box, mathsExam.id)).toBe(72)
  })

  test('updated before its school, it says that the school must be, sends nothing, and goes on once it is', async () => {
    const { box } = await centreAndSchool(open)
    const { laptop } = await laptopOf(open, box, people.ada.id)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 74))
    const carry = carrierTo(box)
    const asked: string[] = []
    const older: Carrier = async (request) => {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      const response = await carry(request)
      if (pathname !== '/sync/hello') return response
      // No other field is as in this protocol.
      return signedAnew(box, request, response, { protocol: OLDEST_PROTOCOL - 1, era: 'before' })
    }
    const before = await laptop.digest()
    const refused = { code: 'sync.parent_older', message: expect.stringMatching(/too old for this one, and must be updated there/) }
    await expect(makeRound(laptop, older)).rejects.toMatchObject(refused)
    expect(asked).toEqual(['/sync/challenge', '/sync/hello'])
    expect(await laptop.digest()).toBe(before)
    await makeRound(laptop, carry)
    expect(await scoreAt(box, mathsExam.id)).toBe(74)
  })

  test('of a parent that signs as protocol 2 did it says the same, and believes none of its refusals', async () => {
    const { box } = await centreAndSchool(open)
    const { laptop } = await laptopOf(open, box, people.ada.id)
    const carry = carrierTo(box)
    const before =
      (status: number): Carrier =>
      async (request) => {
        const response = new Response(await (await carry(request)).text(), { status })
        const content = status === 200 ? await response.json() : { code: 'sync.revoked', message: 'This computer was revoked.' }
        return signedAnew(box, request, response, content, answersBefore(request))
      }
    await expect(makeRound(laptop, before(200))).rejects.toMatchObject({ code: 'sync.parent_older' })
    await expect(makeRound(laptop, before(403))).rejects.toMatchObject({ code: 'sync.not_authentic' })
    await makeRound(laptop, carry)
  })

  test('a table that its old program did not know is there once it is updated', async () => {
    const { box } = await centreAndSchool(open)
    const laptop = await school({ seed: 'laptop', story: false, database: 'sqlite' })
    open.push(laptop)
    await under(box, laptop, { user: people.ada.id })
    const carry = carrierTo(box)
    /** An old program passes over such rows. */
    const without: Carrier = async (request) => {
      const response = await carry(request)
      if (!request.url.endsWith('/sync/pull')) return response
      const page = (await response.json()) as { tables: { table: string }[] }
      const tables = page.tables.filter(({ table }) => table !== 'grading_scale')
      return signedAnew(box, request, response, { ...page, tables })
    }
    const old = { protocol: PROTOCOL, schema: SCHEMA_VERSION - 1 }
    await makeRound(laptop, without, 0, old)
    expect(await laptop.rows('grading_scale')).toEqual([])
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 73))
    await makeRound(laptop, carry)
    expect(await laptop.rows('grading_scale')).toEqual((await box.rows('grading_scale')).filter(({ school_id }) => school_id === stBrigids))
    expect(await scoreAt(box, mathsExam.id)).toBe(73)
  })

  test('deletions are remembered while a laptop may still come for them, and after a year of silence no more', async () => {
    const { centre, box, link, laptop, laptopLink: toBox } = await schoolAndLaptop(open)
    await (await signedIn(box, 'okafor')).assessments.remove({ params: { id: mathsHomework.id } })
    await settle(link)
    pass(170, centre, box, laptop)
    await link.round()
    expect(await forgetDeletions(centre.services)).toBe(0)
    pass(20, centre, box, laptop)
    await link.round()
    // The school has heard of them all, the laptop has not.
    expect(await forgetDeletions(centre.services)).toBeGreaterThan(0)
    expect(await forgetDeletions(centre.services)).toBe(0)
    expect(await forgetDeletions(box.services)).toBe(0)
    await toBox.round()
    expect(await hasAssessment(laptop, mathsHomework.id)).toBe(false)
    await toBox.round()
    expect(await forgetDeletions(box.services)).toBeGreaterThan(0)
  })

  test('after more than a year: its marks arrive, and what was deleted and forgotten meanwhile does not live again', async () => {
    const { centre, box, link, laptop, laptopLink: toBox } = await schoolAndLaptop(open)
    laptop.clock.advance(60_000)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 74))
    await (await signedIn(box, 'okafor')).assessments.remove({ params: { id: mathsHomework.id } })
    pass(400, centre, box, laptop)
    await settle(link)
    expect(await forgetDeletions(box.services)).toBeGreaterThan(0)
    await toBox.round()
    expect([await hasAssessment(laptop, mathsHomework.id), await hasAssessment(box, mathsHomework.id)]).toEqual([false, false])
    expect(await scoreAt(box, mathsExam.id)).toBe(74)
    await settle(toBox, link, toBox)
    const grades = async (node: School) => (await node.rows('grade')).filter(({ school_id }) => school_id === stBrigids)
    expect(await grades(laptop)).toEqual(await grades(box))
    expect(await refusedAt(laptop)).toEqual([])
  })

  test('a mark that it entered under an assessment that was forgotten is not taken, and is kept for its author', async () => {
    const { centre, box, link, laptop, laptopLink: toBox } = await schoolAndLaptop(open)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsHomework.id, 6))
    await (await signedIn(box, 'okafor')).assessments.remove({ params: { id: mathsHomework.id } })
    pass(400, centre, box, laptop)
    await settle(link)
    await forgetDeletions(box.services)
    await settle(toBox)
    expect([await hasAssessment(laptop, mathsHomework.id), await scoreAt(laptop, mathsHomework.id)]).toEqual([false, undefined])
    const kept = (await refusedAt(laptop)).map(({ actor_id, value }) => ({ actor_id, value }))
    expect(kept).toContainEqual({ actor_id: people.ada.id, value: { score: 6 } })
    const shown = await (await signedIn(laptop, 'ada')).replication.refused()
    expect(shown.find(({ units }) => units.includes('score'))?.where).toBe('Adeyemi Zoë')
  })

  test('a school’s server that slept for a year brings its own back, with what hangs on it', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await (await signedIn(box, 'ada')).grades.bulk(mark(mathsHomework.id, 6))
    await (await signedIn(centre, 'okafor')).assessments.remove({ params: { id: mathsHomework.id } })
    pass(400, centre, box)
    expect(await forgetDeletions(centre.services)).toBeGreaterThan(0)
    await settle(link)
    expect([await scoreAt(centre, mathsHomework.id), await scoreAt(box, mathsHomework.id)]).toEqual([6, 6])
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
    expect((await conflictsAt(centre)).filter(({ status }) => status === 'open')).toEqual([])
  })
})
