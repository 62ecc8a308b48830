import { COMMONS, naturalId } from '@markbook/shared/ids'
import { elan, englishExam, mathsExam, mathsHilary, zoe } from '@markbook/shared/story/marks'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import { descriptions } from '@markbook/shared/tables/tables'
import { textToVersions, type VersionsText, versionsToText } from '@markbook/sync/versions'
import { and, eq, isNull } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Audit } from '../../replication/audit/audit.ts'
import { asSystem } from '../../store/tx.ts'
import { ask } from '../../testing/ask.ts'
import { enrolled } from '../../testing/authenticator.ts'
import { centreAndSchool, laptopOf, schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, cookieAt, makeRound, signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { tamper } from '../../testing/tamper.ts'
import { changing, furnished } from '../matrix/furnished.ts'
import { expected } from '../matrix/row.ts'
import { askedAbove, auditOf, chainAnew, childrenOf, wrongIn } from './audit.fixtures.ts'
import { copiesIn } from './copies.fixtures.ts'
import { conflictsAt, settle } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const markOf = (assessment: { id: string }, pupil: { id: string }) => naturalId('grade', assessment.id, pupil.id)
const zoes = markOf(mathsExam, zoe)
const elans = markOf(mathsExam, elan)
const bothMarks = {
  assessmentId: mathsExam.id,
  grades: [
    { studentId: zoe.id, score: 63 },
    { studentId: elan.id, score: 41 },
  ],
}
const enter = async (node: School, score: number, assessment = mathsExam) =>
  (await signedIn(node, 'okafor')).grades.bulk({ body: { assessmentId: assessment.id, grades: [{ studentId: zoe.id, score }] } })
const all = ({ marks, others }: Audit) => ({
  untold: marks.untold + others.untold,
  contradicted: marks.contradicted + others.contradicted,
})
const NONE = { untold: 0, contradicted: 0 }

/** Tables of which the history tells that rows were made, changed and deleted. */
const writtenAt = (node: School) =>
  node.services.store.read(asSystem(), async (tx) => {
    const { history } = tx.t
    const rows = await tx.db.selectDistinct({ entity: history.entity, action: history.action }).from(history)
    const of = (action: string) => new Set(rows.filter((row) => row.action === action).map(({ entity }) => entity))
    return { create: of('create'), update: of('update'), delete: of('delete') }
  })

describe('an honest school', () => {
  test('proves every row of every table after a day of work over the whole contract, whatever its clock says', {
    timeout: 120_000,
  }, async () => {
    const at = await furnished({ seed: 'audited' })
    const { st } = at
    open.push(st)
    await enrolled(st.as.okafor, st.clock)
    await st.as.quinn.outage.newRecoveryCodes()
    const isLast = ({ name }: { name: string }) => Number(/remove|logout|withdraw|reset|unenroll/i.test(name))
    const refused: string[] = []
    for (const [place, named] of [...changing].sort((a, b) => isLast(a) - isLast(b)).entries()) {
      // Every fifth hour the clock is an hour behind, so that what is written then is later than its time.
      st.clock.advance(place % 5 === 4 ? -3_600_000 : 960_000)
      const who = (['okafor', 'nobody', 'tomas'] as const).find((actor) => expected(named.endpoint, at.rowOf(named).own, actor) === 'ok')
      const { status } = await ask(st.app, named.endpoint, at.ownAsk(named), await cookieAt(st, who ?? 'okafor'))
      if (status >= 400) refused.push(named.name)
    }
    // Some have nothing to do after others have; most have.
    expect(refused.length).toBeLessThan(changing.length / 4)
    const written = await writtenAt(st)
    expect([...written.create]).toEqual(expect.arrayContaining(Object.keys(descriptions)))
    expect(written.update.size).toBeGreaterThan(12)
    expect(written.delete.size).toBeGreaterThan(6)
    for (const feed of [stBrigids, hilltop, COMMONS]) {
      const found = await auditOf(st, feed)
      expect([feed, all(found), wrongIn(found)]).toEqual([feed, NONE, []])
      expect(found.others.proved).toBeGreaterThan(20)
    }
  })

  test('whose laptop has heard of a centre that began anew, and has not met it, is not accused of what that centre wrote', async () => {
    const { centre, link, laptop, laptopLink: below } = await schoolAndLaptop(open)
    const direct = await under(centre, laptop, { user: people.ada.id })
    await settle(below, direct, link)
    centre.clock.advance(60_000)
    await centre.services.store.renewNode()
    await settle(link)
    await below.round()
    await enter(centre, 63)
    await settle(link, below)
    const entries = await laptop.services.store.read(asSystem(), (tx) =>
      tx.db.$count(tx.t.history, eq(tx.t.history.node_id, centre.services.store.nodeId)),
    )
    expect(entries).toBeGreaterThan(0)
    expect(wrongIn(await auditOf(laptop))).toEqual([])
  })

  test('at its centre, its own server and a laptop nothing is contradicted; of what a laptop got with its first copy nothing is told', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const { laptop, link: below } = await laptopOf(open, box, people.ada.id)
    // A school gets the whole past with its first copy, a laptop what comes from then on.
    expect((await auditOf(box)).marks).toMatchObject({ untold: 0, contradicted: 0 })
    const before = await auditOf(laptop)
    expect([before.marks.proved, before.marks.contradicted]).toEqual([0, 0])
    expect(before.marks.untold).toBeGreaterThan(30)
    await enter(box, 63)
    const ada = await signedIn(laptop, 'ada')
    const quiz = await ada.assessments.create({
      body: { termId: michaelmas.id, subjectId: maths.id, title: 'Quiz 9', assessmentType: 'coursework', maxScore: 30 },
    })
    await ada.grades.bulk({ body: { assessmentId: quiz.id, grades: [{ studentId: zoe.id, score: 7 }] } })
    await settle(below, link)
    for (const node of [centre, box, laptop]) {
      const found = await auditOf(node)
      expect([all(found).contradicted, wrongIn(found)]).toEqual([0, []])
      expect(found.marks.proved).toBeGreaterThan(0)
    }
    // The centre knows the key of the school, and not that of a laptop which it never met.
    expect((await auditOf(centre)).marks).toMatchObject({ untold: 0, unsigned: 1 })
    expect((await auditOf(box)).marks.unsigned).toBe(0)
    expect([await childrenOf(centre), await childrenOf(box)]).toEqual([['same'], ['same']])
    expect(await askedAbove(box, carrierTo(centre))).toBe('same')
    expect(await askedAbove(laptop, carrierTo(box))).toBe('same')
  })

  test('two values of one mark, and the one that a person decides for, are as they were written', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await enter(centre, 51)
    await enter(box, 52)
    await settle(link)
    const [conflict] = await conflictsAt(centre)
    for (const node of [centre, box]) expect([all(await auditOf(node)).contradicted, wrongIn(await auditOf(node))]).toEqual([0, []])
    await (await signedIn(centre, 'okafor')).replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'kept' } })
    await settle(link)
    for (const node of [centre, box]) expect(wrongIn(await auditOf(node))).toEqual([])
    // What the record keeps is compared as well.
    await tamper(centre.database, (at) => `update ${at('sync_conflict')} set value = '{"score":99}'`)
    expect(wrongIn(await auditOf(centre))).toEqual(['sync_conflict other'])
  })

  test('what a laptop wrote to one row under one number, before and after it was put back', async () => {
    const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
    const exam = { id: mathsHilary.id }
    const morning = await imageOf(laptop)
    await (await signedIn(laptop, 'ada')).assessments.update({ params: exam, body: { title: 'Exam A' } })
    await settle(laptopLink, link)
    const back = await startedFrom(morning, 'put-back')
    back.clock.advance(3_600_000)
    const ada = await signedIn(back, 'ada')
    await ada.assessments.update({ params: exam, body: { weight: 2 } })
    await ada.assessments.update({ params: exam, body: { title: 'Exam B' } })
    for (let time = 0; time < 3; time += 1) {
      await makeRound(back, carrierTo(box))
      await link.round()
    }
    expect((await conflictsAt(back)).map(({ value }) => value)).toContainEqual({ title: 'Exam A' })
    for (const node of [centre, box, back]) expect([all(await auditOf(node)).contradicted, wrongIn(await auditOf(node))]).toEqual([0, []])
  })

  test('what a laptop wrote to one mark under one number, before and after it was put back, where no entry of that number tells more', async () => {
    const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
    const mark = (score: number) => ({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] } })
    const morning = await imageOf(laptop)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(41))
    await settle(laptopLink, link)
    const back = await startedFrom(morning, 'put-back')
    back.clock.advance(3_600_000)
    await (await signedIn(back, 'ada')).grades.bulk(mark(64))
    for (let time = 0; time < 3; time += 1) {
      await makeRound(back, carrierTo(box))
      await link.round()
    }
    expect((await conflictsAt(back)).map(({ value }) => value)).toContainEqual({ score: 41 })
    for (const node of [centre, box, back]) expect([all(await auditOf(node)).contradicted, wrongIn(await auditOf(node))]).toEqual([0, []])
  })
})

/** Tables in which something else stands than was claimed. */
const settledAt = ({ services: { store } }: School) =>
  store.read(asSystem(), async (tx) => {
    const { sync_row } = tx.t
    const rows = await tx.db.selectDistinct({ table: sync_row.table_name }).from(sync_row).where(eq(sync_row.settled, true))
    return rows.map(({ table }) => table).sort()
  })

test('what a rule puts in the place of a claim is no contradiction, and what somebody puts there is one', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const [above, below] = [await signedIn(centre, 'okafor'), await signedIn(box, 'okafor')]
  const quiz = await above.assessments.create({
    body: { termId: michaelmas.id, subjectId: maths.id, title: 'Quiz 9', assessmentType: 'coursework', maxScore: 100 },
  })
  const { reports } = await above.reports.generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
  const id = reports.find(({ student_id }) => student_id === zoe.id)?.id as string
  await above.reports.publish({ params: { id } })
  await settle(link)
  for (const head of [above, below]) await head.subjects.create({ body: { name: 'Music', code: 'MU' } })
  await above.assessments.update({ params: { id: quiz.id }, body: { maxScore: 20 } })
  await below.grades.bulk({ body: { assessmentId: quiz.id, grades: [{ studentId: zoe.id, score: 90 }] } })
  await below.reports.sendToMinistry({ params: { id } })
  await above.reports.update({ params: { id }, body: { conduct: 'Written too late.' } })
  const [entry] = (await centre.rows('report_book_entry')).filter(({ report_book_id }) => report_book_id === id)
  await above.reports.updateEntry({ params: { entryId: entry?.id as string }, body: { teacherRemark: 'Written too late.' } })
  await settle(link)
  for (const node of [centre, box]) {
    expect(await settledAt(node)).toEqual(['assessment', 'report_book', 'report_book_entry', 'subject'])
    const found = await auditOf(node)
    expect([all(found), wrongIn(found)]).toEqual([NONE, []])
  }
  const changed = [
    ['assessment', `max_score = 95 where id = '${quiz.id}'`],
    ['report_book', `conduct = 'Written too late.' where id = '${id}'`],
    ['report_book_entry', `teacher_remark = 'Written too late.' where id = '${entry?.id}'`],
    ['subject', "code = 'M' where code like 'MU~%'"],
  ] as const
  for (const [table, set] of changed) await tamper(centre.database, (at) => `update ${at(table)} set ${set}`)
  expect(wrongIn(await auditOf(centre)).sort()).toEqual(changed.map(([table]) => `${table} misplaced`).sort())
})

describe('what was changed outside the program is named', () => {
  let st: School
  beforeEach(async () => {
    st = await school()
    open.push(st)
    st.clock.advance(3_600_000)
    await st.as.okafor.grades.bulk({ body: bothMarks })
    expect(wrongIn(await auditOf(st))).toEqual([])
  })
  const said = { actor: people.okafor.id, at: expect.any(Number), node: expect.any(String) }

  test('a mark: what stands, what the history says, who wrote it and when', async () => {
    await tamper(st.database, (at) => `update ${at('grade')} set score = 90 where id = '${zoes}'`)
    const found = await auditOf(st)
    expect(found.marks.contradicted).toBe(1)
    expect(found.disagreements).toEqual([
      {
        entity: 'grade',
        row_id: zoes,
        unit: 'score',
        why: 'other',
        here: { score: 90 },
        said: { ...said, at: st.clock.now(), values: { score: 63 } },
        by: { actor: people.okafor.id, at: st.clock.now() },
      },
    ])
  })

  test('two marks that changed places', async () => {
    await tamper(
      st.database,
      (at) => `update ${at('grade')} set score = 104 - score where id in ('${zoes}', '${elans}') and assessment_id = '${mathsExam.id}'`,
    )
    const found = await auditOf(st)
    expect(found.disagreements.map(({ row_id, here, said: told }) => [row_id, here, told?.values]).sort()).toEqual(
      [
        [zoes, { score: 41 }, { score: 63 }],
        [elans, { score: 63 }, { score: 41 }],
      ].sort(),
    )
  })

  test('two marks of which each has the other’s pupil', async () => {
    const pupilOf = (at: (table: string) => string, mark: string, pupil: string) =>
      `update ${at('grade')} set student_id = '${pupil}' where id = '${mark}';`
    await tamper(st.database, (at) => pupilOf(at, zoes, COMMONS) + pupilOf(at, elans, zoe.id) + pupilOf(at, zoes, elan.id))
    const found = await auditOf(st)
    expect(wrongIn(found)).toEqual(['grade misplaced', 'grade misplaced'])
    expect(found.disagreements.map(({ row_id }) => row_id).sort()).toEqual([zoes, elans].sort())
  })

  const entryOf = (row: string) => `row_id = '${row}' and seq = (select max(seq) from HISTORY where row_id = '${row}')`
  const inHistory = (at: (table: string) => string, text: string) => text.replaceAll('HISTORY', at('history'))

  test('a mark together with the entry that says so', async () => {
    await tamper(st.database, (at) =>
      inHistory(
        at,
        `update ${at('grade')} set score = 90 where id = '${zoes}';
         update HISTORY set changes = replace(changes, '63', '90') where ${entryOf(zoes)}`,
      ),
    )
    const found = await auditOf(st)
    // Élan's mark was written with it: which of the two entries was changed nobody can tell.
    expect(wrongIn(found)).toEqual(['grade changed', 'grade changed', 'chain'])
    expect(found.wrong).toMatchObject([{ kind: 'chain', entries: [{ entity: 'grade' }, { entity: 'grade' }] }])
  })

  test('an entry of another author', async () => {
    await tamper(st.database, (at) => inHistory(at, `update HISTORY set actor_id = '${people.ada.id}' where ${entryOf(zoes)}`))
    const found = await auditOf(st)
    expect(wrongIn(found)).toEqual(expect.arrayContaining(['grade other', 'grade changed', 'chain']))
    expect(found.disagreements.find(({ why }) => why === 'other')).toMatchObject({
      row_id: zoes,
      said: { actor: people.ada.id },
      by: { actor: people.okafor.id },
    })
  })

  test('an author, and the entry and the stamp with it', async () => {
    await tamper(st.database, (at) =>
      inHistory(
        at,
        `update HISTORY set actor_id = '${people.ada.id}' where ${entryOf(zoes)};
         update ${at('sync_row')} set units = replace(units, '${people.okafor.id}', '${people.ada.id}') where row_id = '${zoes}'`,
      ),
    )
    expect(wrongIn(await auditOf(st))).toEqual(expect.arrayContaining(['grade changed', 'chain']))
  })

  test('an entry that was taken out', async () => {
    await tamper(st.database, (at) => inHistory(at, `delete from HISTORY where id in (select id from HISTORY where ${entryOf(zoes)})`))
    const found = await auditOf(st)
    expect(wrongIn(found)).toEqual(expect.arrayContaining(['grade taken_out', 'chain']))
    expect(found.disagreements.find(({ why }) => why === 'taken_out')).toMatchObject({ row_id: zoes, unit: 'score', here: { score: 63 } })
  })

  test('an entry that was taken out, with a chain that was computed anew, where the school is alone', async () => {
    await tamper(st.database, (at) => inHistory(at, `delete from HISTORY where id in (select id from HISTORY where ${entryOf(zoes)})`))
    await chainAnew(st)
    expect(wrongIn(await auditOf(st))).toEqual(['grade taken_out'])
  })

  test('a mark that is not there any more, with its version or without', async () => {
    await tamper(
      st.database,
      (at) => `delete from ${at('grade')} where id in ('${zoes}', '${elans}'); delete from ${at('sync_row')} where row_id = '${elans}'`,
    )
    const found = await auditOf(st)
    expect(wrongIn(found)).toEqual(['grade gone', 'grade gone'])
    expect(found.disagreements).toMatchObject([
      { row_id: elans, said: { values: { score: 41 }, actor: people.okafor.id } },
      { row_id: zoes, here: null },
    ])
  })

  test('a mark that nobody wrote', async () => {
    await tamper(st.database, (at) => `delete from ${at('sync_row')} where row_id = '${zoes}'`)
    expect(wrongIn(await auditOf(st))).toEqual(['grade unwritten'])
    await tamper(st.database, (at) => `update ${at('sync_row')} set units = '[[]]', vv = '{}' where row_id = '${elans}'`)
    expect(wrongIn(await auditOf(st))).toEqual(['grade unwritten', 'grade unwritten'])
  })

  test.each(['false', 'true'])('what was deleted and stands again; it is said to stay by a rule: %s', async (settled) => {
    const { id, sort_order } = await st.as.okafor.subjects.create({ body: { name: 'Music', code: 'MU' } })
    await st.as.okafor.subjects.remove({ params: { id } })
    expect(wrongIn(await auditOf(st))).toEqual([])
    const columns = 'id, school_id, name, code, sort_order, is_active, created_at, updated_at'
    await tamper(
      st.database,
      (at) => `insert into ${at('subject')} (${columns})
          select '${id}', school_id, 'Music', 'MU', ${sort_order}, is_active, created_at, updated_at from ${at('subject')} where id = '${maths.id}';
        update ${at('sync_row')} set settled = ${settled} where row_id = '${id}'`,
    )
    expect(wrongIn(await auditOf(st))).toEqual(['subject misplaced'])
  })

  test('a mark that is made to look deleted', async () => {
    const [row] = await st.services.store.read(asSystem(), async (tx) => {
      const { sync_row } = tx.t
      return tx.connection.db.select().from(sync_row).where(eq(sync_row.row_id, zoes))
    })
    const { units } = versionsToText({ ...textToVersions(row as VersionsText), alive: [] })
    const last = (await st.rows('grade')).find(({ id }) => id === zoes)
    await tamper(
      st.database,
      (at) => `delete from ${at('grade')} where id = '${zoes}';
        update ${at('sync_row')} set deleted = true, units = '${units}', extra = '${JSON.stringify({ last })}' where row_id = '${zoes}'`,
    )
    const found = await auditOf(st)
    expect(wrongIn(found)).toEqual(['grade other'])
    expect(found.disagreements).toMatchObject([{ row_id: zoes, unit: 'row', here: null }])
  })

  test('what is said to stand by a rule, where no rule is', async () => {
    await tamper(
      st.database,
      (at) => `update ${at('grade')} set score = 90 where id = '${zoes}';
        update ${at('sync_row')} set settled = true, extra = '{"claims":{"score":{"score":63}}}' where row_id = '${zoes}'`,
    )
    const found = await auditOf(st)
    expect(wrongIn(found)).toEqual(['grade misplaced'])
    expect(found.disagreements).toMatchObject([{ row_id: zoes, here: { score: 90 } }])
  })

  test('what follows from other rows, and does not any more', async () => {
    await tamper(st.database, (at) => `update ${at('report_book')} set overall_average = 99 where id = '${draftReport.id}'`)
    expect(wrongIn(await auditOf(st))).toEqual(['report_book misplaced'])
  })

  test('an entry that nobody wrote, in a transaction of its own', async () => {
    await tamper(st.database, (at) =>
      inHistory(
        at,
        `insert into HISTORY (id, school_id, seq, node_seq, at, actor_id, node_id, entity, row_id, near_id, action, changes, head)
         select '01900000-0000-7000-8000-00000000abcd', school_id, seq, node_seq, at, actor_id, node_id, entity, row_id, near_id, action, changes, head
         from HISTORY where ${entryOf(zoes)}`,
      ),
    )
    expect(wrongIn(await auditOf(st))).toContain('chain')
  })
})

describe('of what another node wrote', () => {
  const ownEntry = (at: (table: string) => string) =>
    `source_id is not null and row_id = '${zoes}' and at = (select max(at) from ${at('history')} where row_id = '${zoes}')`

  test('a mark and its entry that were changed where they came are not as they were signed', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    box.clock.advance(3_600_000)
    await enter(box, 63)
    await settle(link)
    expect((await auditOf(centre)).marks.unsigned).toBe(0)
    await tamper(
      centre.database,
      (at) => `update ${at('grade')} set score = 90 where id = '${zoes}';
        update ${at('history')} set changes = replace(changes, '63', '90') where ${ownEntry(at)}`,
    )
    const found = await auditOf(centre)
    expect(wrongIn(found)).toEqual(['grade forged', 'signature'])
    expect(found.wrong).toMatchObject([{ node: box.services.store.nodeId, entries: [{ entity: 'grade', row_id: zoes }] }])
  })

  test('no signature is missed where every other has one', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await enter(box, 61)
    box.clock.advance(3_600_000)
    await enter(box, 63)
    await settle(link)
    await tamper(centre.database, (at) => `update ${at('history')} set proof = null where ${ownEntry(at)}`)
    expect(wrongIn(await auditOf(centre))).toEqual(['grade forged', 'signature'])
  })
})

describe('what another node knows shows', () => {
  test('an entry that was taken out, with a chain that was computed anew', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await enter(box, 63)
    await enter(box, 64, englishExam)
    await settle(link)
    const taken = await box.services.store.read(asSystem(), async (tx) => {
      const { history } = tx.t
      return tx.db
        .select({ id: history.id })
        .from(history)
        .where(and(eq(history.row_id, zoes), isNull(history.source_id)))
    })
    expect(taken).toHaveLength(1)
    await tamper(box.database, (at) => `delete from ${at('history')} where id = '${taken[0]?.id}'`)
    // What follows it in the chain may have been changed as well.
    expect(wrongIn(await auditOf(box))).toEqual(['grade changed', 'grade taken_out', 'chain'])
    await chainAnew(box)
    const before = await auditOf(box)
    expect(wrongIn(before)).toEqual([])
    expect(await askedAbove(box, carrierTo(centre))).toBe('other')
  })

  test('that a school’s database was put back: its centre knows a later head', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const yesterday = await imageOf(box)
    await enter(box, 63)
    await settle(link)
    await box.close()
    const back = await startedFrom(yesterday, 'back')
    expect(wrongIn(await auditOf(back))).toEqual([])
    expect(await askedAbove(back, carrierTo(centre))).toBe('other')
  })

  test('that a centre’s history was put back: its school has read more of it, and told it more', async () => {
    const { centre, link } = await centreAndSchool(open)
    await enter(centre, 61)
    await settle(link)
    await enter(centre, 62)
    await settle(link)
    expect(await childrenOf(centre)).toEqual(['same'])
    const last = await centre.services.store.read(asSystem(), (tx) => tx.dialect.feedOf(tx.connection, stBrigids))
    await tamper(
      centre.database,
      (at) => `delete from ${at('history')} where school_id = '${stBrigids}' and seq = ${last.seq};
        update ${at('sync_feed')} set seq = seq - 1 where school_id = '${stBrigids}'`,
    )
    await chainAnew(centre)
    expect(wrongIn(await auditOf(centre)).filter((each) => each !== 'grade taken_out')).toEqual([])
    expect(await childrenOf(centre)).toEqual(['other'])
  })

  test('that what a school told of itself is gone at its centre', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await enter(box, 63)
    await settle(link)
    // Its place in the history of the centre ends at an entry of the centre.
    await enter(centre, 64, englishExam)
    await settle(link)
    expect(await childrenOf(centre)).toEqual(['same'])
    await tamper(centre.database, (at) => `delete from ${at('history')} where node_id = '${box.services.store.nodeId}'`)
    expect(await childrenOf(centre)).toEqual(['other'])
  })

  test('nothing where it cannot be asked', async () => {
    const { box } = await centreAndSchool(open)
    const cut = async () => {
      throw new Error('the line is cut')
    }
    expect(await askedAbove(box, cut)).toBe('unasked')
  })
})
