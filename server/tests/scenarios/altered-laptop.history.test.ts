import { naturalId } from '@markbook/shared/ids'
import { aoife, mathsExam, mathsHomework, sean, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, thisYear } from '@markbook/shared/story/school-year'
import { type HistoryEntry, packEntries } from '@markbook/sync/protocol/entries'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { proved } from '../../replication/journal/signed-history.ts'
import { Child } from '../../replication/upstream/child.ts'
import { asSystem } from '../../store/tx.ts'
import { serverAndLaptop } from '../../testing/joined.ts'
import { lineOf, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'

/**
 * A teacher whose program somebody has altered tells any history of theirs, signed with the key of their laptop. What is undone, restored
 * and listed is read from the history: it must not be more than the teacher may do, and nothing that stops others from reading.
 */
const open: School[] = []
let server: School
let laptop: School
beforeEach(async () => {
  ;({ server, laptop } = await serverAndLaptop(open))
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

type ForgedEntry = Partial<HistoryEntry> & Pick<HistoryEntry, 'entity' | 'row_id'>
const idOf = (at: number) => `01900000-0000-7000-8000-${String(at).padStart(12, '0')}`
const json = JSON.stringify

/** The laptop tells these entries as one transaction; returns their ids. */
async function tells(...told: ForgedEntry[]): Promise<string[]> {
  const [peer] = await laptop.services.store.read(asSystem(), parentsOf)
  if (!peer) throw new Error('it has no parent')
  const line = await lineOf(laptop, server)
  const { push } = await new Child(laptop.services, peer.id, line).pageAfter(peer)
  const { store, config } = laptop.services
  const entries = told.map(
    (each, at): HistoryEntry => ({
      ...{ id: idOf(at), at: new Date(server.clock.now()).toISOString(), actor_id: people.ada.id, node_id: store.nodeId, node_seq: 900 },
      ...{ near_id: each.row_id, action: 'update', changes: '{}', detail: null, head: 'f'.repeat(64), proof: null, ...each },
    }),
  )
  const signed = await store.read(asSystem(), (tx) => proved(tx, stBrigids, config.sessionSecret, entries, entries))
  await line.push({ ...push, history: packEntries(signed) })
  return entries.map(({ id }) => id)
}

const stored = async () =>
  server.services.store.read(asSystem(), async (tx) => (await tx.db.select({ id: tx.t.history.id }).from(tx.t.history)).length)
const markId = naturalId('grade', mathsExam.id, zoe.id)
const ofMark = { entity: 'grade', row_id: markId, near_id: mathsExam.id } as const
const marks = async () => (await server.rows('grade')).filter(({ id }) => id === markId)
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

describe('the school does not take', () => {
  test.each<[string, () => ForgedEntry]>([
    ['a code of the desk, by nobody', () => ({ entity: 'desk_code', row_id: people.okafor.id, near_id: stBrigids, actor_id: null })],
    ['a code of the desk', () => ({ entity: 'desk_code', row_id: people.okafor.id, near_id: stBrigids })],
    ['an import by nobody', () => ({ entity: 'import', row_id: idOf(9), near_id: stBrigids, actor_id: null })],
    ['a revoked node', () => ({ entity: 'sync_peer', row_id: idOf(9), near_id: stBrigids, actor_id: null })],
    ['that the school was restored', () => ({ entity: 'node', row_id: server.services.store.nodeId, action: 'create', actor_id: null })],
    ['lists in lists', () => ({ ...ofMark, changes: `{"after":{"remarks":${deep}}}` })],
    ['a detail of lists in lists', () => ({ ...ofMark, detail: `{"values":{"remarks":${deep}}}` })],
    ['an object as a text', () => ({ ...ofMark, changes: json({ after: { remarks: { of: 1 } } }) })],
    ['a text as a class', () => ({ entity: 'report_book', row_id: idOf(9), changes: json({ after: { student_group_id: '3B' } }) })],
    ['a text as a mark', () => ({ ...ofMark, changes: json({ before: { score: '7' } }) })],
  ])('%s', async (_, told) => {
    const before = await stored()
    await tells(told())
    expect(await stored()).toBe(before)
  })

  test('while what it may tell of itself is taken', async () => {
    const before = await stored()
    const { nodeId } = laptop.services.store
    await tells(
      { entity: 'node', row_id: nodeId, near_id: nodeId, action: 'create', actor_id: null },
      { entity: 'reminder', row_id: people.byrne.id, near_id: stBrigids, action: 'create' },
      { ...ofMark, changes: json({ before: { score: 71, remarks: null }, after: { score: 7.5, remarks: 'Well done' } }) },
    )
    expect(await stored()).toBe(before + 3)
  })
})

describe('what nobody could type is not undone into a row', () => {
  const whole = { id: markId, assessment_id: mathsExam.id, student_id: zoe.id, score: 5, is_excluded: false }
  test.each<[string, object]>([
    ['a remark of 100,000 letters', { remarks: 'x'.repeat(100_000) }],
    ['letters that nobody sees', { remarks: 'a\u202eb\u0007' }],
    ['a code in other letters', { score: null, status: 'Absent\u202e' }],
    ['more decimals than a mark has', { score: 5.123456789 }],
    ['a mark below nought', { score: -5 }],
    ['no mark at all', { score: null }],
  ])('%s', async (_, values) => {
    const ada = await signedIn(server, 'ada')
    await ada.grades.remove({ params: { id: markId } })
    const [id = ''] = await tells({ ...ofMark, action: 'delete', changes: json({ before: { ...whole, ...values } }) })
    await expect(ada.history.undo({ params: { id } })).rejects.toMatchObject({ status: 409, code: 'history.cannot_undo' })
    expect(await marks()).toEqual([])
  })

  test('nor another author of a mark, nor an earlier time', async () => {
    const ada = await signedIn(server, 'ada')
    await ada.grades.remove({ params: { id: markId } })
    const forged = { created_by: people.okafor.id, created_at: '2020-01-01T00:00:00.000Z' }
    const [id = ''] = await tells({ ...ofMark, action: 'delete', changes: json({ before: { ...whole, ...forged } }) })
    await ada.history.undo({ params: { id } })
    expect(await marks()).toMatchObject([{ score: 5, created_by: people.ada.id, created_at: new Date(server.clock.now()).toISOString() }])
  })

  test('nor by an import that never was', async () => {
    const before = await marks()
    const note = { entity: 'import', row_id: idOf(9), near_id: stBrigids, action: 'create' } as const
    const term = { of: 'no term' }
    await tells(
      { ...note, changes: json({ after: { kind: 'grades', file: 'x'.repeat(10_000), created: {}, updated: 1, term_id: term } }) },
      { ...ofMark, changes: json({ before: { score: 5.123456789 }, after: { score: 71 } }) },
    )
    const ada = await signedIn(server, 'ada')
    expect(await ada.imports.list()).toMatchObject([{ file: 'x'.repeat(200), created: 0, updated: 1, term_id: null }])
    expect(await ada.imports.undo({ params: { id: note.row_id } })).toMatchObject({
      restored: 0,
      rows: [{ row_id: markId, why: 'changed' }],
    })
    expect(await marks()).toEqual(before)
  })

  test('nor into a register', async () => {
    const byrne = await signedIn(server, 'byrne')
    const day = new Date(server.clock.now()).toISOString().slice(0, 10)
    const body = { day, lesson: 0, marks: [{ studentId: sean.id, code: 'late' as const, note: 'the bus' }] }
    await byrne.attendance.take({ params: { classId: class3B.id }, body })
    const [mark] = await server.rows('attendance_mark')
    const changes = json({ before: { note: 'y'.repeat(100_000) }, after: { note: 'the bus' } })
    const [id = ''] = await tells({ entity: 'attendance_mark', row_id: mark?.id as string, changes })
    await expect(byrne.history.undo({ params: { id } })).rejects.toMatchObject({ status: 409 })
    expect(await server.rows('attendance_mark')).toEqual([mark])
  })
})

test('a deleted report book is not read by whoever tells that it was of a class of theirs', async () => {
  const ada = await signedIn(server, 'ada')
  const { id: group } = await ada.classes.create({ body: { name: '3Z', academicYearId: thisYear.id } })
  const book = (await server.rows('report_book')).find((each) => each.student_group_id === class3B.id && each.status === 'draft')
  if (!book) throw new Error('the story has no such book')
  await server.services.store.write(asSystem(), (tx) => tx.remove('report_book', [book]))
  const later = new Date(server.clock.now() + 60_000).toISOString()
  await tells({ entity: 'report_book', row_id: book.id, at: later, changes: json({ after: { student_group_id: group } }) })
  await expect(ada.history.list({ query: { entity: 'report_book', id: book.id } })).rejects.toMatchObject({ status: 403 })
})

describe('the bin', () => {
  const ofTest = { entity: 'assessment', row_id: mathsHomework.id } as const
  const told = json({ before: { id: mathsHomework.id, title: mathsHomework.title } })

  test('restores an assessment with its marks, whatever was told of its deletion later', async () => {
    const marksOf = async () => (await server.rows('grade')).filter(({ assessment_id }) => assessment_id === mathsHomework.id).length
    const before = await marksOf()
    const head = await signedIn(server, 'okafor')
    await head.assessments.remove({ params: { id: mathsHomework.id } })
    const later = new Date(server.clock.now() + 60_000).toISOString()
    await tells({ ...ofTest, at: later, action: 'delete', changes: told })
    server.clock.advance(120_000)
    expect(await (await signedIn(server, 'ada')).bin.list()).toEqual([])
    const [item] = await head.bin.list()
    expect(item).toMatchObject({ row_id: mathsHomework.id, actor: { id: people.okafor.id }, marks: before })
    await head.bin.restore({ params: { id: item?.id as string } })
    expect(await marksOf()).toBe(before)
  })

  test('has nothing that never was', async () => {
    await tells({
      entity: 'student',
      row_id: idOf(9),
      action: 'delete',
      changes: json({ before: { id: idOf(9), last_name: aoife.last_name } }),
    })
    expect(await (await signedIn(server, 'okafor')).bin.list()).toEqual([])
  })
})
