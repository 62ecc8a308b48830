import { rmSync } from 'node:fs'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { elan, hilltopPupil, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditDue } from '../../replication/audit/schedule.ts'
import { asSystem } from '../../store/tx.ts'
import { withLowerLimit } from '../../testing/lower-limit.ts'
import { memoryFolder } from '../../testing/memory-folder.ts'
import { type School, school } from '../../testing/school.ts'
import { tamper } from '../../testing/tamper.ts'
import { entriesOfSpan } from './audit.queries.ts'

let st: School
const folder = memoryFolder('markbook-audit-')
const idOf = (pupil: { id: string }) => naturalId('grade', mathsExam.id, pupil.id)
const enter = (who: 'okafor' | 'ada', pupil: { id: string }, score: number) =>
  st.as[who].grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: pupil.id, score }] } })

beforeAll(async () => {
  // The audit stores the heads that it found beside the database.
  st = await school({ env: { DATA_DIR: folder } })
  st.clock.set('2026-01-12T09:00:00.000Z')
  await enter('ada', zoe, 72)
  st.clock.set('2026-01-12T23:59:59.999Z')
  await enter('okafor', elan, 33)
  st.clock.set('2026-01-13T00:00:00.000Z')
  await enter('okafor', zoe, 74)
})
afterAll(async () => {
  await st.close()
  rmSync(folder, { recursive: true })
})

const asked = async (query: NonNullable<Parameters<School['as']['okafor']['audit']['entries']>[0]>['query'] = {}) =>
  st.as.okafor.audit.entries({ query })

describe('GET /api/audit/entries', () => {
  test('who wrote what, when and where, with names, newest first', async () => {
    const { entries } = await asked({ limit: '3' })
    expect(entries).toMatchObject([
      {
        at: '2026-01-13T00:00:00.000Z',
        actor: { id: people.okafor.id, first_name: 'Ngozi', last_name: 'Okafor' },
        entity: 'grade',
        row_id: idOf(zoe),
        name: 'Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas',
        action: 'update',
        changes: { score: { before: 72, after: 74 } },
      },
      { at: '2026-01-12T23:59:59.999Z', row_id: idOf(elan) },
      { at: '2026-01-12T09:00:00.000Z', actor: { id: people.ada.id } },
    ])
    expect(entries[0]).not.toHaveProperty('head')
  })

  test('page by page every entry once, however many have the same time, with or without filters', async () => {
    const all = (await asked({ limit: '200' })).entries.map(({ id }) => id)
    expect(all.length).toBeGreaterThan(60)
    for (const filter of [{}, { entity: 'grade' }]) {
      const whole = (await asked({ ...filter, limit: '200' })).entries.map(({ id }) => id)
      const found: string[] = []
      await withLowerLimit(limits.audit.entries, 'perSearch', 9, async () => {
        for (let before: string | undefined, pages = 0; pages < 99; pages += 1) {
          const { entries, next } = await asked({ ...filter, limit: '7', ...(before && { before }) })
          found.push(...entries.map(({ id }) => id))
          if (next === null) break
          before = next
        }
      })
      expect(found).toEqual(whole)
    }
  })

  test.runIf(process.env['TEST_DATABASE'] === 'sqlite')('reads by the index of times, in a school of any size', async () => {
    const span = { school: stBrigids, from: '2026-01-12T00:00:00.000Z', until: null, before: null, limit: 5 }
    const plan = await st.services.store.read(asSystem(), (tx) => {
      const { sql: text, params } = entriesOfSpan(tx, span, null).toSQL()
      return tx.connection.rows<{ detail: string }>(`explain query plan ${text}`, params)
    })
    expect(plan[0]?.detail).toContain('USING INDEX history_by_time (school_id=? AND at>?)')
  })

  test('by person, kind and days', async () => {
    const ofAda = await asked({ actorId: people.ada.id })
    expect(ofAda.entries.map(({ at }) => at)).toEqual(['2026-01-12T09:00:00.000Z'])
    expect(ofAda.next).toBeNull()
    const terms = await asked({ entity: 'term', limit: '200' })
    expect(new Set(terms.entries.map(({ entity }) => entity))).toEqual(new Set(['term']))
    const of = async (days: { from?: string; to?: string }) => (await asked({ ...days, limit: '200' })).entries.map(({ at }) => at)
    expect(await of({ from: '2026-01-13', to: '2026-01-13' })).toEqual(['2026-01-13T00:00:00.000Z'])
    expect((await of({ to: '2026-01-12' }))[0]).toBe('2026-01-12T23:59:59.999Z')
    expect(await of({ from: '2026-01-14' })).toEqual([])
  })

  test('of a pupil: their marks, books and places, also of what was deleted since', async () => {
    const of = async () => (await asked({ studentId: zoe.id, limit: '200' })).entries
    const before = await of()
    expect(new Set(before.map(({ entity }) => entity))).toEqual(new Set(['grade', 'enrolment', 'student']))
    const ofBook = await asked({ studentId: draftReport.student_id, limit: '200' })
    expect(ofBook.entries.map(({ entity }) => entity)).toEqual(expect.arrayContaining(['report_book', 'report_book_entry']))
    expect(before.every(({ row_id }) => row_id !== idOf(elan))).toBe(true)
    const quiz = await st.as.okafor.assessments.create({
      body: { termId: mathsExam.term_id, subjectId: mathsExam.subject_id, title: 'Quiz 9', assessmentType: 'coursework', maxScore: 30 },
    })
    for (const score of [7, 8]) {
      st.clock.advance(1_000)
      await st.as.okafor.grades.bulk({ body: { assessmentId: quiz.id, grades: [{ studentId: zoe.id, score }] } })
    }
    st.clock.advance(1_000)
    await st.as.okafor.assessments.remove({ params: { id: quiz.id } })
    expect((await of()).slice(0, 3).map(({ action, changes }) => [action, changes['score']])).toEqual([
      ['delete', { before: 8, after: null }],
      ['update', { before: 7, after: 8 }],
      ['create', { before: null, after: 7 }],
    ])
  })

  test.each([
    [{ limit: '0' }, 'limit'],
    [{ limit: '201' }, 'limit'],
    [{ before: 'yesterday' }, 'before'],
    [{ before: '2026-99-03T09:00:00.000Z~00000000-0000-7000-8000-000000000001' }, 'before'],
    [{ entity: 'grade; drop' }, 'entity'],
    [{ from: '2026-02-30' }, 'from'],
  ])('400 for %j', async (query, path) => {
    const { status, body } = await st.as.okafor.audit.entries.raw({ query })
    expect([status, body]).toMatchObject([400, { issues: [{ path }] }])
  })

  test('another school’s administrator sees nothing of it', async () => {
    const { entries } = await st.as.marker.audit.entries({ query: { limit: '200' } })
    expect(entries.length).toBeGreaterThan(5)
    expect(JSON.stringify(entries)).not.toMatch(/Zoë|Élan/)
    const { entries: ofAda } = await st.as.marker.audit.entries({ query: { actorId: people.ada.id } })
    expect(ofAda).toEqual([])
    expect((await st.as.marker.audit.entries.raw({ query: { studentId: zoe.id } })).status).toBe(404)
    expect((await st.as.okafor.audit.entries.raw({ query: { studentId: hilltopPupil.id } })).status).toBe(404)
  })
})

describe('GET /api/audit/export', () => {
  test('is the same as CSV, without cells that run as formulas, and states where it ends', async () => {
    await st.as.okafor.students.update({ params: { id: elan.id }, body: { firstName: '=2+5' } })
    const text = async (query = {}) => Buffer.from(await st.as.okafor.audit.export({ query })).toString('utf8')
    const whole = await text()
    expect(whole).toMatch(/^\uFEFFtime,person,person_id,server,kind,row,row_id,action,changes\r\n/)
    expect(whole).toContain('2026-01-13T00:00:00.000Z,Ngozi Okafor,')
    expect(whole).toContain('score: 72 → 74')
    expect(whole).toMatch(/,'?first_name: Élan → =2\+5/)
    expect(
      whole
        .split('\r\n')
        .flatMap((line) => line.split(','))
        .filter((cell) => /^"?[=+@]/.test(cell)),
    ).toEqual([])
    expect(whole).not.toContain('Older entries')
    // A list is told by its members, the results of a report book only that they were stored.
    await st.as.okafor.schools.updateMine({ body: { schoolDays: [1, 2, 3] } })
    await st.as.okafor.reports.generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
    const after = await text()
    expect(after).toContain('school_days:  → 1, 2, 3')
    expect(after).toContain('as they stood then')
    expect(after).not.toMatch(/[{[]"/)
    expect(await text({ entity: 'nothing' })).toMatch(/^\uFEFFtime.*\r\n$/)
    await withLowerLimit(limits.audit.entries, 'perExport', 2, async () => {
      expect((await text()).split('\r\n')).toEqual(expect.objectContaining({ length: 5, 3: expect.stringContaining('Older entries') }))
    })
  })
})

describe('GET /api/audit', () => {
  const cut = async () => {
    throw new Error('there is no line')
  }
  test('the findings of the last audit, with names; none before the first', async () => {
    expect(await st.as.okafor.audit.report()).toMatchObject({
      state: 'never',
      at: null,
      code: null,
      people: 'never',
      findings: [],
      earlier: [],
    })
    await auditDue(st.services, cut)
    expect(await st.as.okafor.audit.report()).toMatchObject({
      state: 'good',
      at: new Date(st.clock.now()).toISOString(),
      code: expect.stringMatching(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/),
      before: 'first',
      people: 'good',
    })
    await tamper(st.database, (at) => `update ${at('grade')} set score = 99 where id = '${idOf(zoe)}'`)
    st.clock.advance(limits.audit.dueAfterMs)
    await auditDue(st.services, cut)
    const found = await st.as.okafor.audit.report()
    expect(found).toMatchObject({ state: 'bad', marks: { contradicted: 1 }, before: 'same', earlier: [{ state: 'good' }] })
    expect(found.findings).toEqual([
      {
        entity: 'grade',
        row_id: idOf(zoe),
        name: 'Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas',
        why: 'other',
        here: { score: 99 },
        history: { score: 74 },
        actor: expect.objectContaining({ id: people.okafor.id }),
        at: '2026-01-13T00:00:00.000Z',
      },
    ])
    expect((await st.as.marker.audit.report()).state).toBe('good')
  })
})
