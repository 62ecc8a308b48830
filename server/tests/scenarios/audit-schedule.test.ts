import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import { COMMONS, naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { hilltop, stBrigids } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { createMetrics } from '../../http/metrics.ts'
import { lastRun } from '../../replication/audit/audit.runs.ts'
import { acceptHistory, auditWhole } from '../../replication/audit/audit.whole.ts'
import { lastAudits, watchAudits } from '../../replication/audit/figures.ts'
import { auditDue, scheduleAudits } from '../../replication/audit/schedule.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { beginIncarnation } from '../../store/backup/incarnation.ts'
import { asSystem } from '../../store/tx.ts'
import { withLowerLimit } from '../../testing/lower-limit.ts'
import { type School, school } from '../../testing/school.ts'
import { tamper } from '../../testing/tamper.ts'
import { chainAnew } from './audit.fixtures.ts'
import { copiesIn } from './copies.fixtures.ts'

const open: School[] = []
const folders: string[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true })
  await forget()
})

const cut: Carrier = async () => {
  throw new Error('there is no line')
}
const zoes = naturalId('grade', mathsExam.id, zoe.id)

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'markbook-audited-'))
  folders.push(made)
  return made
}
/** A school, and the folder of its server, which outlives its database. */
async function alone(dataDir = folder()): Promise<School> {
  const st = await school({ env: { DATA_DIR: dataDir } })
  open.push(st)
  return st
}
const run = ({ services }: School) => auditDue(services, cut)
const lastOf = ({ services: { store, keys } }: School, of: string = stBrigids) => store.read(asSystem(), (tx) => lastRun(tx, of, keys.seal))
const nextDay = (st: School) => st.clock.advance(limits.audit.dueAfterMs)
async function enter(st: School, score: number) {
  st.clock.advance(60_000)
  await st.as.okafor.grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] } })
}

test('every school and the people once a day; what was found is kept, sealed', async () => {
  const st = await alone()
  expect(await run(st)).toEqual({ audited: 3, bad: 0 })
  expect(await run(st)).toEqual({ audited: 0, bad: 0 })
  expect(await lastOf(st)).toMatchObject({
    at: toInstant(st.clock.now()),
    isBad: false,
    verdict: { marks: { proved: 44, contradicted: 0 } },
  })
  await tamper(st.database, (at) => `update ${at('grade')} set score = 97 where id = '${zoes}'`)
  nextDay(st)
  expect(await run(st)).toEqual({ audited: 3, bad: 1 })
  const bad = await lastOf(st)
  expect(bad).toMatchObject({
    isBad: true,
    verdict: { disagreements: [{ entity: 'grade', row_id: zoes, why: 'other', here: { score: 97 }, said: { values: { score: 71 } } }] },
  })
  expect((await lastOf(st, hilltop))?.isBad).toBe(false)
  expect((await lastOf(st, COMMONS))?.isBad).toBe(false)
})

test('one of several instances does each school', async () => {
  const st = await alone()
  const both = await Promise.all([run(st), run(st)])
  expect(both[0].audited + both[1].audited).toBe(3)
  const runs = await st.services.store.read(asSystem(), (tx) => tx.db.$count(tx.t.audit_run))
  expect(runs).toBe(3)
})

test('a run whose process ended is taken up after its lease', async () => {
  const st = await alone()
  const { store } = st.services
  let writes = 0
  const write: typeof store.write = async (...given) => {
    writes += 1
    if (writes > 1) throw new Error('the process was ended')
    return store.write(...given)
  }
  const dying = { ...st.services, store: Object.create(store, { write: { value: write } }) as typeof store }
  await expect(auditDue(dying, cut)).rejects.toThrow('the process was ended')
  expect((await run(st)).audited).toBe(2)
  st.clock.advance(limits.audit.leaseMs + 1)
  expect((await run(st)).audited).toBe(1)
})

test('a verdict that was written by hand counts for nothing, and the school is audited again', async () => {
  const st = await alone()
  await tamper(st.database, (at) => `update ${at('grade')} set score = 97 where id = '${zoes}'`)
  expect((await run(st)).bad).toBe(1)
  await tamper(
    st.database,
    (at) =>
      `update ${at('audit_run')} set is_bad = false, found = replace(found, '"contradicted":1', '"contradicted":0') where school_id = '${stBrigids}'`,
  )
  expect(await lastOf(st)).toBeNull()
  expect(await run(st)).toEqual({ audited: 1, bad: 1 })
})

test('the oldest runs are forgotten', async () => {
  const st = await alone()
  await withLowerLimit(limits.audit, 'keptRuns', 2, async () => {
    for (let days = 0; days < 4; days += 1) {
      await run(st)
      nextDay(st)
    }
  })
  const { store } = st.services
  expect(await store.read(asSystem(), (tx) => tx.db.$count(tx.t.audit_run, eq(tx.t.audit_run.school_id, stBrigids)))).toBe(2)
})

test('at /metrics: in how many somebody must look, and since when the oldest was audited', async () => {
  const st = await alone()
  const metrics = createMetrics()
  watchAudits({ ...st.services, metrics })
  const figure = async (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics.registry.metrics())?.[1])
  expect([await figure('markbook_audit_bad'), await figure('markbook_audit_last_timestamp_seconds')]).toEqual([0, 0])
  await tamper(st.database, (at) => `update ${at('grade')} set score = 97 where id = '${zoes}'`)
  await run(st)
  const at = st.clock.now() / 1_000
  nextDay(st)
  expect([await figure('markbook_audit_bad'), await figure('markbook_audit_last_timestamp_seconds')]).toEqual([1, at])
})

/** Takes out a change between two others, as somebody does who knows how the chain is made, and the mark that shows the number. */
async function rewrite(st: School): Promise<void> {
  await tamper(
    st.database,
    (at) =>
      `update ${at('history')} set changes = replace(changes, '90', '64') where row_id = '${zoes}' and changes like '%90%' and source_id is null`,
  )
  await chainAnew(st)
}

test('a history that was rewritten with its chain, at a server that is alone, is not the one that was audited before', async () => {
  const st = await alone()
  for (const score of [63, 90, 66]) await enter(st, score)
  expect((await run(st)).bad).toBe(0)
  await rewrite(st)
  nextDay(st)
  expect(await run(st)).toEqual({ audited: 3, bad: 1 })
  expect((await lastOf(st))?.verdict).toMatchObject({ wrongCount: 0, marks: { contradicted: 0 }, kept: { is: 'other' } })
  // It does not become the history that counts because a day has passed.
  nextDay(st)
  expect((await run(st)).bad).toBe(1)
  const found = await auditWhole(st.services, stBrigids, cut)
  await acceptHistory(st.services, stBrigids, found)
  nextDay(st)
  expect((await run(st)).bad).toBe(0)
  const [note] = await st.services.store.read(asSystem(), (tx) => {
    const { history } = tx.t
    return tx.db.select({ changes: history.changes }).from(history).where(eq(history.entity, 'node'))
  })
  expect(note?.changes).toMatchObject({ history_accepted: { after: found.kept.at } })
})

test('a database that was put back, verdicts and all, is told by the head that is kept beside it', async () => {
  const dataDir = folder()
  const st = await alone(dataDir)
  await run(st)
  const yesterday = await imageOf(st)
  for (const score of [63, 90]) await enter(st, score)
  nextDay(st)
  expect((await run(st)).bad).toBe(0)
  await st.close()
  const back = await startedFrom(yesterday, 'back')
  Object.assign(back.services.config, { dataDir })
  back.clock.advance(3 * limits.audit.dueAfterMs)
  expect((await run(back)).bad).toBe(1)
  expect((await lastOf(back))?.verdict.kept.is).toBe('other')
})

test('markbook restore is told apart: it is said, and nobody is accused', async () => {
  const dataDir = folder()
  const st = await alone(dataDir)
  await run(st)
  const yesterday = await imageOf(st)
  await enter(st, 63)
  nextDay(st)
  await run(st)
  await st.close()
  const back = await startedFrom(yesterday, 'back')
  Object.assign(back.services.config, { dataDir })
  const restoring = { now: back.clock.now(), takenAt: toInstant(back.clock.now()) }
  await back.services.store.write(asSystem(), (tx) => beginIncarnation(tx.connection, tx.dialect, { ...restoring, newId: tx.newId }))
  back.clock.advance(3 * limits.audit.dueAfterMs)
  expect((await run(back)).bad).toBe(0)
  expect((await lastOf(back))?.verdict).toMatchObject({ kept: { is: 'restored' }, restored: { from: expect.any(String) } })
  nextDay(back)
  expect((await run(back)).bad).toBe(0)
  expect((await lastOf(back))?.verdict).toMatchObject({ kept: { is: 'same' }, restored: { from: expect.any(String) } })
})

test.each([
  ['info', 0, 'all is well'],
  ['error', 3, 'somebody must look'],
  ['warn', 1, 'the marks could not be compared with their history: no line'],
] as const)('a server has it done in a process of its own, and its log says %s where it ends with %i', async (level, code, said) => {
  const st = await alone()
  const lines: string[] = []
  const hear = (at: string) => (text: unknown) => void lines.push(`${at}: ${text}`)
  const log = { info: hear('info'), warn: hear('warn'), error: hear('error') } as unknown as typeof st.services.log
  const message = said.replace(/^the marks could.*: /, '')
  const program = ['-e', `console.log(process.argv.includes('--scheduled') ? '${message}' : 'wrong'); process.exit(${code})`, '--']
  const audits = scheduleAudits({ ...st.services, log, program, afterStart: 1 })
  await expect.poll(() => lines).toEqual([`${level}: ${said}`])
  await audits.stop()
})

test('all schools are told with their names, people last', async () => {
  const st = await alone()
  await run(st)
  const all = await lastAudits({ store: st.services.store, key: st.services.keys.seal })
  expect(all.map(({ name, run: last }) => [name, last?.isBad])).toEqual([
    ['Hilltop-Marker School', false],
    ['St Brigid’s', false],
    [null, false],
  ])
})
