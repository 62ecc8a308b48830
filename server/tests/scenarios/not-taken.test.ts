import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { elan, englishExam, mathsExam, wanderer, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { michaelmas } from '@markbook/shared/story/school-year'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportUp, importBundle } from '../../replication/exchange/by-hand.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { keepChildRefusals } from '../../replication/issues/child-refusals.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { Child } from '../../replication/upstream/child.ts'
import { asSystem } from '../../store/tx.ts'
import { serverAndLaptop } from '../../testing/joined.ts'
import { asModifiedProgram } from '../../testing/modified-program.ts'
import { carrierTo, lineOf, makeRound, signedIn, type UnderParent } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, refusedBelow, settle } from './scenarios.fixtures.ts'

const open: School[] = []
let server: School
let laptop: School
let link: UnderParent
beforeEach(async () => {
  ;({ server, laptop, link } = await serverAndLaptop(open))
  const [node] = await server.as.okafor.replication.nodes()
  await server.as.okafor.replication.rename({ params: { id: node?.id ?? '' }, body: { name: 'Ada’s laptop' } })
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const made = '2026-01-09T15:00:00.000Z'
const wandererMark = naturalId('grade', mathsExam.id, wanderer.id)
const marks = (...grades: { studentId: string; score: number; remarks?: string }[]) => ({ body: { assessmentId: mathsExam.id, grades } })
const parentOf = async (node: School) => {
  const [parent] = await node.services.store.read(asSystem(), parentsOf)
  if (!parent) throw new Error('it has no parent')
  return parent
}
const historyAt = (node: School) => node.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))
const unseen = async (node: School) => (await node.as.okafor.replication.refused()).filter(({ seen_at }) => seen_at === null)

/** Sends what the laptop has written, as if no answer had ever come to it. */
async function sender() {
  const parent = await parentOf(laptop)
  const line = await lineOf(laptop, server)
  const child = new Child(laptop.services, parent.id, line)
  const { push } = await child.pageAfter({ ...parent, own_seq: 0 })
  return { child, push, send: () => line.push(push) }
}

/** Ada is demoted while her laptop is away with two marks, and the school's server is put back from a backup before it returns. */
async function demotedOnTheBus() {
  await server.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
  await (await signedIn(laptop, 'ada')).grades.bulk(
    marks({ studentId: zoe.id, score: 99, remarks: 'Much better' }, { studentId: elan.id, score: 41 }),
  )
  server.clock.advance(60_000)
  await server.services.store.renewNode()
}

/** Ada no longer teaches mathematics in 3B. */
const unassign = () =>
  server.services.store.write(asSystem(people.okafor.id), async (tx) => {
    const all = await tx.db.select().from(tx.t.teacher_subject_assignment)
    await tx.remove(
      'teacher_subject_assignment',
      all.filter(({ user_profile_id }) => user_profile_id === people.ada.id),
    )
  })

/** On her laptop Ada makes herself an administrator. */
async function promotesHerself() {
  await laptop.services.store.write(asSystem(people.ada.id), async (tx) => {
    const [before] = (await tx.db.select().from(tx.t.school_management)).filter(({ user_id }) => user_id === people.ada.id)
    if (before) await asModifiedProgram(tx, () => tx.update('school_management', [{ before, patch: { role: 'admin' } }]))
  })
}

test('of a change that is not taken a laptop has what is at the school, with what that names and the laptop has not read', async () => {
  const head = server.as.okafor
  const category = await head.assessmentCategories.create({
    body: { academicYearId: michaelmas.academic_year_id, assessmentType: 'exam', name: 'Orals', weight: 1 },
  })
  await head.assessments.update({ params: { id: englishExam.id }, body: { categoryId: category.id } })
  laptop.clock.advance(60_000)
  // English is not hers: her program was altered.
  const weigh = (weight: number) =>
    laptop.services.store.write(asSystem(people.ada.id), async (tx) => {
      const before = (await tx.find('assessment', stBrigids, englishExam.id)) as Row<'assessment'>
      await asModifiedProgram(tx, () => tx.update('assessment', before, { weight }))
    })
  const carry = carrierTo(server)
  const withoutPull: Carrier = (request) =>
    request.url.endsWith('/sync/pull') ? Promise.reject(new TypeError('the line broke')) : carry(request)
  for (const weight of [8, 9]) {
    await weigh(weight)
    await expect(makeRound(laptop, withoutPull)).rejects.toThrow()
  }
  await settle(link)
  const examAt = async (node: School) => (await node.rows('assessment')).find(({ id }) => id === englishExam.id)
  expect(await refusedAt(laptop)).toContainEqual(expect.objectContaining({ value: expect.objectContaining({ weight: 9 }) }))
  expect(await examAt(laptop)).toMatchObject({ category_id: category.id, weight: null })
  expect(await examAt(laptop)).toEqual(await examAt(server))
})

describe('the demoted teacher’s laptop sends marks that are not taken', () => {
  test('the head reads at the school whose laptop, which pupil, what and why; sent again it is no second entry', async () => {
    await demotedOnTheBus()
    const { send } = await sender()
    await send()
    const listed = await server.as.okafor.replication.refused()
    const from = { name: 'Ada’s laptop', user: { last_name: 'Nowak' } }
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual(
      expect.objectContaining({
        entity: 'grade',
        where: 'Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas',
        units: ['remarks', 'score'],
        value: { score: 99, remarks: 'Much better' },
        out_of: 100,
        actor: expect.objectContaining({ first_name: 'Ada', last_name: 'Nowak' }),
        code: 'forbidden',
        seen_at: null,
        from: expect.objectContaining({ name: from.name, user: expect.objectContaining(from.user) }),
      }),
    )
    const ofZoe = listed.find(({ units }) => !units.includes('row'))
    expect(Object.keys(ofZoe?.value ?? {})).toEqual(['score', 'remarks'])
    // A mark that nobody at the school has is called by its pupil too.
    expect(listed.find(({ units }) => units.includes('row'))).toMatchObject({
      value: { score: 41 },
      out_of: 100,
      where: expect.stringContaining('Élan'),
    })
    server.clock.advance(60_000)
    await send()
    expect(await server.as.okafor.replication.refused()).toEqual(listed)
    // What was kept there is what the laptop keeps.
    await settle(link)
    const facts = (rows: Awaited<ReturnType<typeof refusedAt>>) =>
      rows.map(({ row_id, unit, value, actor_id, hlc, code }) => JSON.stringify({ row_id, unit, value, actor_id, hlc, code })).sort()
    expect(facts(await refusedBelow(server))).toEqual(facts(await refusedAt(laptop)))
  })

  test('the head enters the changed mark and the new one, in the head’s name; the history has both', async () => {
    await demotedOnTheBus()
    await settle(link)
    const head = server.as.okafor
    const [before] = (await head.grades.list({ query: { assessmentId: mathsExam.id } })).filter(({ student_id }) => student_id === zoe.id)
    const listed = await head.replication.refused()
    const [ofZoe, ofElan] = [false, true].map((isNew) => listed.find(({ units }) => units.includes('row') === isNew))
    expect(ofZoe).toMatchObject({ may_enter: true, current: { score: before?.score, remarks: before?.remarks } })
    expect(ofElan).toMatchObject({ may_enter: true, current: null })
    for (const each of [ofZoe, ofElan]) await head.replication.enter({ params: { id: each?.id ?? '' } })
    const marked = await head.grades.list({ query: { assessmentId: mathsExam.id } })
    const markOf = (student: string) => marked.find(({ student_id }) => student_id === student)
    expect(markOf(zoe.id)).toMatchObject({ id: before?.id, score: 99, remarks: 'Much better', updated_by: people.okafor.id })
    expect(markOf(elan.id)).toMatchObject({ id: ofElan?.row_id, score: 41, created_by: people.ada.id, updated_by: people.okafor.id })
    expect(await unseen(server)).toEqual([])
    expect((await head.replication.refused()).map(({ may_enter }) => may_enter)).toEqual([false, false])
    const writers = (await historyAt(server)).filter(({ row_id, changes }) => row_id === before?.id && changes['score']?.after === 99)
    expect(writers.map(({ actor_id }) => actor_id)).toEqual([people.ada.id, people.okafor.id])
    await expect(head.replication.enter({ params: { id: ofZoe?.id ?? '' } })).rejects.toMatchObject({ code: 'sync.cannot_resolve' })
  })

  test('a deletion that was not taken shows what would go; whoever wrote it enters nothing without the right', async () => {
    const [mark] = (await server.rows('grade')).filter(
      ({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id,
    )
    await demotedOnTheBus()
    await (await signedIn(laptop, 'ada')).grades.remove({ params: { id: mark?.id ?? '' } })
    await settle(link)
    const head = server.as.okafor
    const [deletion] = (await unseen(server)).filter(({ value }) => value === null)
    const params = { id: deletion?.id ?? '' }
    expect(deletion).toMatchObject({ row_id: mark?.id, may_enter: true, current: { score: mark?.score } })
    await server.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'teacher' } })
    const ada = await signedIn(server, 'ada')
    expect(await ada.replication.refused()).toContainEqual(expect.objectContaining({ id: params.id, may_enter: true }))
    await unassign()
    expect(await ada.replication.refused()).toContainEqual(expect.objectContaining({ id: params.id, may_enter: false, current: null }))
    await expect(ada.replication.enter({ params })).rejects.toMatchObject({ status: 403 })
    await head.replication.enter({ params })
    expect((await server.rows('grade')).filter(({ id }) => id === mark?.id)).toEqual([])
    expect((await unseen(server)).map(({ id }) => id)).not.toContain(params.id)
  })

  test('nor is it when everything is compared anew', async () => {
    await demotedOnTheBus()
    const { child, send } = await sender()
    await send()
    const listed = await server.as.okafor.replication.refused()
    await child.mergeAll()
    await settle(link)
    expect(await server.as.okafor.replication.refused()).toEqual(listed)
  })

  test('the state of the school says so until the head puts it aside; that holds when it comes again', async () => {
    await demotedOnTheBus()
    const { send } = await sender()
    await send()
    expect(await server.as.okafor.replication.status()).toMatchObject({
      state: 'alone',
      refused: 0,
      refused_below: 2,
      sentence: expect.stringMatching(/^1 laptop replicates .*\. 2 writes of laptops were not taken: look at them\.$/),
    })
    const [first] = await unseen(server)
    await server.as.okafor.replication.seen({ params: { id: first?.id ?? '' } })
    expect(await server.as.okafor.replication.status()).toMatchObject({
      refused_below: 1,
      sentence: expect.stringContaining('1 write of a laptop was not taken: look at it.'),
    })
    const [second] = await unseen(server)
    await server.as.okafor.replication.seen({ params: { id: second?.id ?? '' } })
    await send()
    expect(await unseen(server)).toEqual([])
    expect(await server.as.okafor.replication.refused()).toHaveLength(2)
    expect(await server.as.okafor.replication.status()).toMatchObject({ refused_below: 0 })
  })

  test('neither another school’s head nor another teacher sees it, or puts it aside', async () => {
    await demotedOnTheBus()
    await settle(link)
    const [first] = await unseen(server)
    for (const who of ['marker', 'byrne'] as const) {
      expect(await server.as[who].replication.refused()).toEqual([])
      expect(await server.as[who].replication.seen.raw({ params: { id: first?.id ?? '' } })).toMatchObject({ status: 404 })
    }
    expect((await server.as.marker.replication.status()).refused_below).toBe(0)
  })
})

describe('what is kept of a laptop', () => {
  test('its author sees at the school too, and puts it aside', async () => {
    await promotesHerself()
    await settle(link)
    const [own] = await server.as.ada.replication.refused()
    expect(own).toMatchObject({ entity: 'school_management', value: { role: 'admin' }, code: 'forbidden', from: { name: 'Ada’s laptop' } })
    await server.as.ada.replication.seen({ params: { id: own?.id ?? '' } })
    expect(await unseen(server)).toEqual([])
  })

  test('is one entry, however often a stick is taken in', async () => {
    await laptop.services.store.write(asSystem(people.ada.id), (tx) =>
      tx.insert('subject', [{ id: tx.newId(), school_id: stBrigids, name: 'Music', code: 'MUS', sort_order: 9, is_active: true }]),
    )
    const { bundle } = await exportUp(laptop.services, await parentOf(laptop))
    for (let times = 0; times < 2; times += 1) {
      await importBundle(server.services, bundle)
      expect(await server.as.okafor.replication.refused()).toMatchObject([{ entity: 'subject', value: { name: 'Music', code: 'MUS' } }])
      server.clock.advance(60_000)
    }
  })

  test('is nothing of what waits as a conflict for a decision', async () => {
    await server.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
    await (await signedIn(laptop, 'ada')).grades.bulk(marks({ studentId: zoe.id, score: 99 }))
    await settle(link)
    expect(await conflictsAt(server)).toMatchObject([{ kind: 'right', value: { score: 99 } }])
    expect(await refusedBelow(server)).toEqual([])
  })

  test('is no secret: of sealed tables nothing', async () => {
    const { push, peer } = await pushed()
    const secret = { id: zoe.id, schema: 1, vv: {}, alive: [], extra: null, values: { secret: 's' }, units: { secret: stampOf(push.to) } }
    await server.services.store.write(asSystem(), (tx) =>
      keepChildRefusals(
        tx,
        peer,
        [{ table: 'user_totp', state: secret, units: [{ unit: 'secret', code: 'forbidden' }], theirs: undefined }],
        [{ table: 'recovery_code', id: zoe.id, units: [] }],
      ),
    )
    expect(await refusedBelow(server)).toEqual([])
  })

  test('that could not be read is its row alone, and who spoke', async () => {
    const { peer } = await pushed()
    await server.services.store.write(asSystem(), (tx) =>
      keepChildRefusals(tx, peer, [], [{ table: 'student', id: zoe.id, units: ['<b>', 'row'] }]),
    )
    expect(await server.as.okafor.replication.refused()).toMatchObject([
      { entity: 'student', where: 'Adeyemi Zoë', units: ['row'], value: null, actor: { id: people.ada.id }, code: 'malformed' },
    ])
  })

  test('is entered only where a person could have typed it, and names as its maker only who wrote it', async () => {
    const { peer, push } = await pushed()
    const stamp = stampOf(push.to)
    const kept = async (values: object, { id = wandererMark, code = 'forbidden' } = {}) => {
      const whole = { school_id: stBrigids, assessment_id: mathsExam.id, student_id: wanderer.id, created_by: null, created_at: made }
      const state = {
        ...{ id, schema: 1, vv: {}, alive: [[stamp[0], stamp[1]] as const], extra: null },
        values: { id, ...whole, score: 7, status: null, remarks: null, is_excluded: false, exclusion_reason: null, ...values },
        units: { row: stamp, score: stamp, remarks: stamp },
      }
      const units = ['row', 'score', 'remarks'].map((unit) => ({ unit, code }))
      await server.services.store.write(asSystem(), async (tx) => {
        await tx.local.delete(tx.t.sync_refused)
        await keepChildRefusals(tx, peer, [{ table: 'grade', state, units, theirs: undefined }], [])
      })
      const [shown] = await server.as.okafor.replication.refused()
      const entered = server.as.okafor.replication.enter({ params: { id: shown?.id ?? '' } })
      return { where: shown?.where, may: shown?.may_enter, entered: await entered.catch(({ code }) => code) }
    }
    const not = { may: false, entered: 'sync.cannot_resolve' }
    expect(await kept({ score: -1 })).toMatchObject(not)
    expect(await kept({ remarks: 'x'.repeat(limits.text.remark + 1) })).toMatchObject(not)
    expect(await kept({}, { id: zoe.id })).toMatchObject(not)
    expect(await kept({}, { code: 'malformed' })).toMatchObject(not)
    expect(await kept({ remarks: 'x'.repeat(limits.sync.refused.valueLength) })).toMatchObject(not)
    expect(
      await kept(
        { student_id: people.marker.id, id: naturalId('grade', mathsExam.id, people.marker.id) },
        { id: naturalId('grade', mathsExam.id, people.marker.id) },
      ),
    ).toMatchObject({ entered: 'sync.belongs_to_nothing' })
    expect(await kept({ created_by: people.byrne.id })).toMatchObject({
      // The history does not tell of it.
      where: 'Gallagher Robin · Christmas exam · Mathematics · Michaelmas',
      ...{ may: true, entered: { message: 'It is entered.' } },
    })
    expect((await server.rows('grade')).find(({ id }) => id === wandererMark)).toMatchObject({ score: 7, created_by: null })
  })

  test('names nobody whom the school does not know', async () => {
    const { peer, push } = await pushed()
    const foreign = people.markerTeacher.id
    const [node, counter, hlc] = stampOf(push.to)
    const units = { names: [node, counter, hlc, foreign] as const }
    const state = { id: foreign, schema: 1, vv: {}, alive: [], extra: null, values: { first_name: 'X' }, units }
    await server.services.store.write(asSystem(), (tx) =>
      keepChildRefusals(tx, peer, [{ table: 'user_profile', state, units: [{ unit: 'names', code: 'not_yours' }], theirs: undefined }], []),
    )
    const [shown] = await server.as.okafor.replication.refused()
    expect(shown).toMatchObject({ where: '', actor: { id: foreign, first_name: null, last_name: null } })
  })

  test('never fills the disk: what was put aside gives way, and of what there is no room for one entry tells', async () => {
    const { peer, push } = await pushed()
    const { writes, valueLength } = limits.sync.refused
    const rows = (first: number, count: number, title = 'T') =>
      Array.from({ length: count }, (_, at) => {
        const id = `00000000-0000-7000-8000-${String(first + at).padStart(12, '0')}`
        const state = { id, schema: 1, vv: {}, alive: [], extra: null, values: { title }, units: { title: stampOf(push.to) } }
        return { table: 'assessment' as const, state, units: [{ unit: 'title', code: 'forbidden' }], theirs: undefined }
      })
    const keep = (given: ReturnType<typeof rows>) => server.services.store.write(asSystem(), (tx) => keepChildRefusals(tx, peer, given, []))
    const more = async () => (await unseen(server)).filter(({ code }) => code === 'more')
    await keep(rows(1, writes - 1))
    await keep(rows(writes, 1, 'x'.repeat(valueLength)))
    expect(await more()).toEqual([])
    const longest = (await unseen(server)).find(({ row_id }) => row_id.endsWith(`${writes}`))
    expect(longest?.value).toEqual({})
    await keep(rows(writes + 1, 5))
    const [told] = await more()
    expect(told).toMatchObject({ entity: 'sync_peer', where: '', value: {}, from: { name: 'Ada’s laptop' } })
    expect(await refusedBelow(server)).toHaveLength(writes + 1)
    // Under another number the laptop has no more room, and what is put aside is told again while there is more.
    await server.as.okafor.replication.seen({ params: { id: told?.id ?? '' } })
    const anew = { ...peer, id: elan.id, node_id: elan.id, name: 'Ada’s laptop (2)' }
    await server.services.store.write(asSystem(), async (tx) => {
      await tx.local.insert(tx.t.sync_peer).values(anew)
      await keepChildRefusals(tx, anew, rows(writes + 6, 5), [])
    })
    expect(await refusedBelow(server)).toHaveLength(writes + 1)
    expect(await more()).toMatchObject([{ from: { name: 'Ada’s laptop (2)' } }])
    // Ten are settled: so many find room.
    const settled = (await unseen(server)).filter(({ code }) => code === 'forbidden').slice(0, 10)
    await server.services.store.write(asSystem(), async (tx) => {
      for (const { id } of settled) await tx.local.update(tx.t.sync_refused).set({ seen_at: tx.now }).where(eq(tx.t.sync_refused.id, id))
    })
    await keep(rows(writes + 1, 5))
    const kept = new Set((await refusedBelow(server)).map(({ row_id }) => row_id))
    expect(rows(writes + 1, 5).every(({ state }) => kept.has(state.id))).toBe(true)
    expect(kept.size).toBe(writes + 1)
  })

  /** What the laptop would send, and who it is at the school. */
  async function pushed() {
    const { push } = await sender()
    const [peer] = await server.services.store.read(asSystem(), (tx) =>
      tx.db.select().from(tx.t.sync_peer).where(eq(tx.t.sync_peer.school_id, stBrigids)),
    )
    if (!peer) throw new Error('the laptop is enrolled')
    return { push, peer }
  }
  const stampOf = (counter: number) => [laptop.services.store.nodeId, counter + 1, server.clock.now(), people.ada.id] as const
})
