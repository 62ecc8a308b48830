import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, mathsQuiz, mei, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { revokePeer } from '../../replication/identity/nodes.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { meanwhile } from '../../testing/meanwhile.ts'
import { signedIn, type UnderParent, under } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'

let centre: School
let box: School
let link: UnderParent
beforeEach(async () => {
  ;({ centre, box, link } = await centreAndSchool())
})
afterEach(async () => {
  await box.close()
  await centre.close()
})

const gradeId = naturalId('grade', mathsExam.id, zoe.id)
const atGrade = { params: { id: gradeId } }
const scoreAt = async (at: School) => (await at.rows('grade')).find(({ id }) => id === gradeId)?.score

/** Ada enters 81 at the school and the head 64 at the centre, a second later; then they sync. The centre's mark stands. */
async function twoMarks(): Promise<string> {
  await (await signedIn(box, 'ada')).grades.update({ ...atGrade, body: { score: 81 } })
  centre.clock.advance(1_000)
  await centre.as.okafor.grades.update({ ...atGrade, body: { score: 64 } })
  await link.round()
  await link.round()
  const [conflict] = await centre.as.okafor.replication.conflicts({ query: { status: 'open' } })
  return conflict?.id ?? ''
}

describe('GET /api/sync/status', () => {
  test('a server without a parent says who replicates with it, and works alone where nobody does', async () => {
    const sentence = async () => (await centre.as.ada.replication.status()).sentence
    centre.clock.advance(120_000)
    expect(await sentence()).toBe('1 server replicates with this server; the last was heard 2 min ago.')
    await link.round()
    expect(await sentence()).toBe('1 server replicates with this server; the last was heard less than a minute ago.')
    const [child] = await centre.as.okafor.replication.nodes()
    await centre.as.okafor.replication.revoke({ params: { id: child?.id ?? '' } })
    expect(await sentence()).toBe('This server works alone.')
  })

  test('a server without a parent, in numbers', async () => {
    expect(await centre.as.ada.replication.status()).toEqual({
      state: 'alone',
      obstacle: null,
      sentence: expect.stringMatching(/^1 server replicates/),
      parent: null,
      is_laptop: false,
      holds: { why: null, school: null, pupils: 0, marks: 0, as_of: null },
      // The school's server of these tests is below it.
      schools_below: 1,
      laptops_below: 0,
      copies: 0,
      may_join: false,
      reached: null,
      last_seen_at: null,
      waiting: 0,
      waiting_marks: 0,
      oldest_waiting_at: null,
      copy: null,
      files_to_send: 0,
      files_to_come: 0,
      open_conflicts: 0,
      held: 0,
      refused: 0,
      refused_below: 0,
      compared_at: null,
      difference: null,
      clock_offset_ms: null,
    })
  })

  test('counts the waiting rows, and since when', async () => {
    const ada = await signedIn(box, 'ada')
    await ada.grades.update({ ...atGrade, body: { score: 81 } })
    const at = box.clock.now()
    box.clock.advance(2 * 3_600_000)
    await ada.assessments.update({ params: { id: mathsQuiz.id }, body: { title: 'Quiz one' } })
    expect(await ada.replication.status()).toMatchObject({
      state: 'offline',
      sentence: 'Offline: 2 changes wait, the oldest for 2 h. Nothing is lost.',
      waiting: 2,
      waiting_marks: 1,
      oldest_waiting_at: new Date(at).toISOString(),
    })
    await link.round()
    expect(await ada.replication.status()).toMatchObject({
      waiting: 0,
      sentence: 'Offline at the moment; everything is at the centre.',
    })
  })

  test('what a school sends to is the centre on any database, what a laptop sends to is the school', async () => {
    const parents = async (node: School) => {
      const { parent, is_laptop } = await (await signedIn(node, 'ada')).replication.status()
      return { kind: parent?.kind, is_laptop }
    }
    expect(await parents(box)).toEqual({ kind: 'centre', is_laptop: false })
    const laptop = await school({ seed: 'laptop', story: false, database: 'sqlite' })
    const own = await under(box, laptop, { user: people.ada.id })
    await own.round()
    expect(await parents(laptop)).toEqual({ kind: 'school', is_laptop: true })
    await laptop.close()
    const other = await school({ seed: 'other', story: false, database: 'sqlite' })
    const far = await under(centre, other, { user: people.ada.id })
    await far.round()
    expect(await parents(other)).toEqual({ kind: 'centre', is_laptop: true })
    await other.close()
  })
})

describe('GET /api/sync/events', () => {
  test('begins with the status, and goes on with every change of it', async () => {
    const ada = await signedIn(box, 'ada')
    const seen: number[] = []
    for await (const { waiting } of await ada.replication.events()) {
      seen.push(waiting)
      if (seen.length === 1) await ada.grades.update({ ...atGrade, body: { score: 82 } })
      if (seen.length === 2) break
    }
    expect(seen).toEqual([0, 1])
  })
})

describe('GET /api/sync/conflicts', () => {
  test('shows both values and the one before them, who, when and where, at both ends, to whoever may write the mark', async () => {
    const firstScore = await scoreAt(centre)
    await twoMarks()
    for (const reader of [centre.as.ada, centre.as.byrne, centre.as.okafor, await signedIn(box, 'ada')]) {
      expect(await reader.replication.conflicts()).toMatchObject([
        {
          entity: 'grade',
          row_id: gradeId,
          unit: 'score',
          kind: 'value',
          kept: { score: 81 },
          current: { score: 64 },
          before: { score: firstScore },
          out_of: 100,
          actor: { id: people.ada.id, first_name: 'Ada' },
          where: 'Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas',
          standing: { actor: { id: people.okafor.id }, node: centre.services.config.nodeName },
          status: 'open',
        },
      ])
    }
    expect((await centre.as.okafor.replication.conflicts())[0]?.node).toBe(box.services.config.nodeName)
  })

  test('an earlier id of a node has the node’s name, at both ends; an unknown id has none', async () => {
    await twoMarks()
    const name = box.services.config.nodeName
    await box.services.store.renewNode()
    const atBox = async () => (await (await signedIn(box, 'ada')).replication.conflicts())[0]
    const atCentre = async () => (await centre.as.okafor.replication.conflicts())[0]
    expect([(await atBox())?.node, (await atCentre())?.node]).toEqual([name, name])
    await link.round()
    expect([(await atBox())?.node, (await atCentre())?.node]).toEqual([name, name])
    await centre.services.store.write(asSystem(), async (tx) => void (await tx.local.delete(tx.t.sync_peer)))
    expect((await atCentre())?.node).toBeNull()
  })

  test('not to a teacher who neither may write it nor wrote it', async () => {
    await twoMarks()
    expect(await centre.as.quinn.replication.conflicts()).toEqual([])
  })
})

describe('POST /api/sync/conflicts/:id/resolve', () => {
  test('kept: the overruled mark is written, at both ends, and the conflict is resolved', async () => {
    const id = await twoMarks()
    expect(await centre.as.byrne.replication.resolve({ params: { id }, body: { choice: 'kept' } })).toMatchObject({
      status: 'resolved',
      resolved_by: { id: people.byrne.id },
      current: { score: 81 },
      standing: { actor: { id: people.byrne.id }, node: centre.services.config.nodeName },
    })
    await link.round()
    expect([await scoreAt(centre), await scoreAt(box)]).toEqual([81, 81])
    expect(await (await signedIn(box, 'ada')).replication.conflicts({ query: { status: 'open' } })).toEqual([])
  })

  test('current: the present value stays, and the conflict is closed', async () => {
    const id = await twoMarks()
    await (await signedIn(box, 'ada')).replication.resolve({ params: { id }, body: { choice: 'current' } })
    await link.round()
    expect([await scoreAt(centre), await scoreAt(box)]).toEqual([64, 64])
    expect(await centre.as.okafor.replication.conflicts({ query: { status: 'open' } })).toEqual([])
  })

  test('typed: another value is checked as if it were entered', async () => {
    const id = await twoMarks()
    const typed = (value: Record<string, unknown>) =>
      refused(centre, () => centre.as.ada.replication.resolve.raw({ params: { id }, body: { choice: 'typed', value } }))
    for (const score of [1_000, 50.123, -1, '50', null, true])
      expect(await typed({ score })).toEqual({ status: 400, code: 'validation_failed' })
    const reply = await centre.as.ada.replication.resolve.raw({ params: { id }, body: { choice: 'typed', value: { score: 50.123 } } })
    expect(reply.body).toMatchObject({ issues: [{ path: 'value.score', message: expect.stringMatching(/decimals/) }] })
    expect(await typed({ remarks: 'Well done' })).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(await typed({})).toMatchObject({ status: 400, code: 'validation_failed' })
    await centre.as.ada.replication.resolve({ params: { id }, body: { choice: 'typed', value: { score: 70 } } })
    await link.round()
    expect([await scoreAt(centre), await scoreAt(box)]).toEqual([70, 70])
  })

  test('a value beside a choice that needs none is refused', async () => {
    const id = await twoMarks()
    for (const choice of ['kept', 'current'] as const) {
      const asked = () => centre.as.ada.replication.resolve.raw({ params: { id }, body: { choice, value: { score: 70 } } })
      expect(await refused(centre, asked)).toEqual({ status: 400, code: 'validation_failed' })
    }
  })

  test('again: a decision is changed, at both ends, by a person who may write the row, and only with `again`', async () => {
    const id = await twoMarks()
    const [params, ada] = [{ id }, centre.as.ada.replication]
    await ada.resolve({ params, body: { choice: 'kept' } })
    await ada.resolve({ params, body: { choice: 'typed', value: { score: 64 }, again: true } })
    await link.round()
    expect([await scoreAt(centre), await scoreAt(box)]).toEqual([64, 64])
    await ada.resolve({ params, body: { choice: 'kept', again: true } })
    await link.round()
    expect([await scoreAt(centre), await scoreAt(box)]).toEqual([81, 81])
    const byQuinn = () => centre.as.quinn.replication.resolve.raw({ params, body: { choice: 'current', again: true } })
    expect(await refused(centre, byQuinn)).toMatchObject({ status: 403 })
    for (const at of [centre.as.okafor, await signedIn(box, 'okafor')])
      expect((await at.replication.conflicts()).map(({ status }) => status)).toEqual(['resolved'])
  })

  test('is for people who may write the mark, once', async () => {
    const id = await twoMarks()
    const resolve = (who: 'quinn' | 'ada' | 'marker') =>
      centre.as[who].replication.resolve.raw({ params: { id }, body: { choice: 'current' } })
    expect(await refused(centre, () => resolve('quinn'))).toMatchObject({ status: 403 })
    expect(await refused(centre, () => resolve('marker'))).toMatchObject({ status: 404 })
    await resolve('ada')
    expect(await refused(centre, () => resolve('ada'))).toMatchObject({ status: 409, code: 'sync.cannot_resolve' })
  })

  test('of two who decide at once one gets 409', async () => {
    const id = await twoMarks()
    const both = await Promise.all(
      (['ada', 'okafor'] as const).map((who) => centre.as[who].replication.resolve.raw({ params: { id }, body: { choice: 'kept' } })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('a deletion in conflict with a new mark can be repeated', async () => {
    await centre.as.okafor.assessments.remove({ params: { id: mathsQuiz.id } })
    await (await signedIn(box, 'ada')).grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: elan.id, score: 19 }] } })
    await link.round()
    await link.round()
    const is = (at: School) => at.rows('assessment').then((rows) => rows.some(({ id }) => id === mathsQuiz.id))
    expect([await is(centre), await is(box)]).toEqual([true, true])
    const open = await centre.as.okafor.replication.conflicts({ query: { status: 'open' } })
    const deletion = open.find(({ entity, kind }) => entity === 'assessment' && kind === 'delete')
    expect(deletion?.kept).toBeNull()
    // The mark that was made meanwhile stands.
    const ofMark = open.find(({ entity, kind }) => entity === 'grade' && kind === 'delete')
    if (ofMark)
      expect(ofMark).toMatchObject({ current: { score: 19 }, standing: { actor: { id: people.ada.id } }, actor: { id: people.okafor.id } })
    expect(deletion?.current).toMatchObject({ title: expect.any(String) })
    await centre.as.okafor.replication.resolve({ params: { id: deletion?.id ?? '' }, body: { choice: 'kept' } })
    await link.round()
    expect([await is(centre), await is(box)]).toEqual([false, false])
  })
})

describe('results that use a mark in conflict', () => {
  const ofZoe = { query: { studentId: zoe.id, termId: michaelmas.id } }
  const subjectsUnderReview = async (at: School) =>
    (await at.as.byrne.calculations.studentTerm(ofZoe)).subjects
      .filter(({ under_review }) => under_review)
      .map(({ subject_id }) => subject_id)

  test('are marked, also when cached, until the decision', async () => {
    expect(await subjectsUnderReview(centre)).toEqual([])
    const id = await twoMarks()
    expect(await subjectsUnderReview(centre)).toEqual([maths.id])
    const { students } = await centre.as.byrne.calculations.classTerm({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })
    const marked = students.filter(({ subjects }) => subjects.some(({ under_review }) => under_review)).map(({ student_id }) => student_id)
    expect(marked).toEqual([zoe.id])
    await centre.as.ada.replication.resolve({ params: { id }, body: { choice: 'current' } })
    expect(await subjectsUnderReview(centre)).toEqual([])
  })
})

describe('GET /api/sync/refused', () => {
  test('shows teachers their own, and administrators all', async () => {
    const row = (id: string, actor_id: string) => ({
      id,
      school_id: stBrigids,
      table_name: 'grade',
      row_id: gradeId,
      unit: 'score',
      value: { score: 12 },
      actor_id,
      hlc: centre.clock.now(),
      code: 'forbidden',
      refused_at: new Date(centre.clock.now()).toISOString(),
      seen_at: null,
    })
    await centre.services.store.write(asSystem(), (tx) =>
      tx.local
        .insert(tx.t.sync_refused)
        .values([row(mei.id, people.ada.id), row(zoe.id, people.quinn.id)])
        .then(() => {}),
    )
    expect(await centre.as.ada.replication.refused()).toMatchObject([
      { actor: { id: people.ada.id }, value: { score: 12 }, code: 'forbidden' },
    ])
    expect(await centre.as.okafor.replication.refused()).toHaveLength(2)
  })

  /** Ada's laptop with a refused write by another person, whose assessment is deleted. */
  async function laptopWithRefusal() {
    const laptop = await school({ seed: 'laptop', story: false, database: 'sqlite' })
    const own = await under(box, laptop, { user: people.ada.id })
    await own.round()
    await (await signedIn(box, 'okafor')).assessments.remove({ params: { id: mathsExam.id } })
    await own.round()
    const refusal = { table_name: 'grade', row_id: gradeId, unit: 'score', value: { score: 12 }, code: 'forbidden', seen_at: null }
    const at = new Date(laptop.clock.now()).toISOString()
    await laptop.services.store.write(asSystem(), (tx) =>
      tx.local
        .insert(tx.t.sync_refused)
        .values({ ...refusal, id: mei.id, school_id: stBrigids, actor_id: people.okafor.id, hlc: laptop.clock.now(), refused_at: at })
        .then(() => {}),
    )
    return laptop
  }

  test('on a laptop its owner sees all, also deleted rows by name; and the status counts them', async () => {
    const laptop = await laptopWithRefusal()
    const ada = await signedIn(laptop, 'ada')
    expect(await ada.replication.refused()).toMatchObject([
      { actor: { id: people.okafor.id }, where: 'Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas' },
    ])
    expect(await ada.replication.status()).toMatchObject({
      refused: 1,
      sentence: 'Offline at the moment; everything else is at school. 1 write was not taken: look at it.',
    })
    await ada.replication.seen({ params: { id: mei.id } })
    expect(await ada.replication.refused()).toMatchObject([{ value: { score: 12 }, seen_at: expect.any(String) }])
    expect(await ada.replication.status()).toMatchObject({
      refused: 0,
      sentence: 'Offline at the moment; everything is at school.',
    })
    await laptop.close()
  })
})

describe('nodes', () => {
  test('are listed on both sides, and renamed', async () => {
    const [child] = await centre.as.okafor.replication.nodes()
    expect(child).toMatchObject({ side: 'child', kind: 'school', user: null, revoked_at: null })
    await centre.as.okafor.replication.rename({ params: { id: child?.id ?? '' }, body: { name: 'The box in the office' } })
    expect(await centre.as.okafor.replication.nodes()).toMatchObject([{ name: 'The box in the office' }])
    expect(await (await signedIn(box, 'okafor')).replication.nodes()).toMatchObject([{ side: 'parent', url: 'https://parent.test' }])
  })

  test('a node that begins anew keeps its name under a new id, and the list marks the ended id', async () => {
    const laptop = await school({ seed: 'laptop', story: false, database: 'sqlite' })
    await under(centre, laptop, { user: people.ada.id })
    await laptop.close()
    const [child] = await centre.as.okafor.replication.nodes()
    await centre.as.okafor.replication.rename({ params: { id: child?.id ?? '' }, body: { name: 'The box in the office' } })
    centre.clock.advance(1_000)
    await box.services.store.renewNode()
    await link.round()
    const nodes = await centre.as.okafor.replication.nodes()
    expect(nodes.filter(({ kind }) => kind === 'school')).toMatchObject([
      { name: 'The box in the office', began_anew: { name: 'The box in the office (2)', both_heard: false } },
      { name: 'The box in the office (2)', began_anew: null },
    ])
  })

  test('a revoked node is refused at its next request, and works on alone', async () => {
    const [child] = await centre.as.okafor.replication.nodes()
    await centre.as.okafor.replication.revoke({ params: { id: child?.id ?? '' } })
    await expect(link.round()).rejects.toMatchObject({ code: 'sync.revoked' })
    await (await signedIn(box, 'ada')).grades.update({ ...atGrade, body: { score: 83 } })
    expect([await scoreAt(centre), await scoreAt(box)]).toEqual([71, 83])
  })

  test('revoked by two at once, it is revoked once', async () => {
    const [child] = await centre.as.okafor.replication.nodes()
    const read = () => centre.services.store.read(asSystem(), async (tx) => tx.db.select().from(tx.t.sync_peer))
    const first = async (tx: WriteTx) => {
      for (const peer of await read()) await revokePeer(tx, peer)
    }
    await meanwhile(centre, first, () => centre.as.okafor.replication.revoke({ params: { id: child?.id ?? '' } }))
    const told = await centre.services.store.read(asSystem(), async (tx) => tx.db.select().from(tx.t.history))
    expect(told.filter(({ entity, action }) => entity === 'sync_peer' && action === 'delete')).toHaveLength(1)
  })

  test('a parent can be left', async () => {
    const okafor = await signedIn(box, 'okafor')
    const [parent] = await okafor.replication.nodes()
    await okafor.replication.revoke({ params: { id: parent?.id ?? '' } })
    expect(await okafor.replication.status()).toMatchObject({ state: 'alone', parent: null })
  })
})

describe('POST /api/sync/nodes/invite', () => {
  test('answers a code that is kept only as a hash, and good for ten minutes', async () => {
    const { code, expires_at } = await centre.as.okafor.replication.invite({ body: { kind: 'laptop', userId: people.ada.id } })
    expect(code).toMatch(/^[0-9A-Z]{5}(-[0-9A-Z]{1,5}){5}$/)
    expect(Date.parse(expires_at) - centre.clock.now()).toBe(600_000)
    const stored = await centre.services.store.read(asSystem(), (tx) => {
      const { sync_invitation } = tx.t
      return tx.db.select().from(sync_invitation).where(eq(sync_invitation.kind, 'laptop'))
    })
    expect(JSON.stringify(stored)).not.toContain(code)
  })

  test('another server of the school joins the centre, and nothing joins a laptop', async () => {
    const head = await signedIn(box, 'okafor')
    expect(await refused(box, () => head.replication.invite.raw({ body: { kind: 'school' } }))).toEqual({
      status: 409,
      code: 'sync.joins_the_centre',
    })
    expect((await head.replication.invite({ body: { kind: 'laptop', userId: people.ada.id } })).code).toMatch(/^[0-9A-Z-]+$/)
    const laptop = await school({ seed: 'laptop', story: false, database: 'sqlite' })
    await (await under(box, laptop, { user: people.okafor.id })).round()
    const there = await signedIn(laptop, 'okafor')
    expect(await refused(laptop, () => there.replication.invite.raw({ body: { kind: 'laptop', userId: people.ada.id } }))).toEqual({
      status: 409,
      code: 'sync.nobody_joins_a_laptop',
    })
    await laptop.close()
  })

  test('ten at most are open for a school', async () => {
    for (let each = 0; each < 10; each += 1) await centre.as.okafor.replication.invite({ body: { kind: 'school' } })
    expect(await refused(centre, () => centre.as.okafor.replication.invite.raw({ body: { kind: 'school' } }))).toEqual({
      status: 409,
      code: 'sync.too_many_invitations',
    })
  })

  test('and no more where thirty are asked for at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => centre.as.okafor.replication.invite.raw({ body: { kind: 'school' } })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(20).fill(409)])
  })
})
