import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource, naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import type { DescribedAudit } from '../cli/audit-here.ts'
import { seedStory } from '../cli/seed/seed.ts'
import { NEW_PEER } from '../replication/identity/enrolment.ts'
import { asSystem, type WriteTx } from '../store/tx.ts'
import { createDatabase } from '../testing/database.ts'
import { buildProgram, endPrograms, runVerb, startProgram } from '../testing/program.ts'
import { tamper } from '../testing/tamper.ts'
import { openAt, settingsOf, type Where } from './durability/marking.ts'

buildProgram()

const newId = idSource(systemClock.now, (size) => randomBytes(size))
const zoes = naturalId('grade', mathsExam.id, zoe.id)
let folder: string
let where: Where
let drop: (() => Promise<void>) | undefined
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'markbook-audit-'))
  const database = process.env['TEST_DATABASE'] === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined
  drop = database?.drop
  where = database ? { url: database.url } : { folder }
  const store = await openAt(where, newId)
  await seedStory(store)
  await store.close()
})
afterEach(async () => {
  await endPrograms()
  rmSync(folder, { recursive: true, force: true })
  await drop?.()
})

const env = () => ({ ...settingsOf(where, folder), PORT: '0', BACKUPS: 'false', NODE_NAME: 'The office', TZ: 'Africa/Accra' })
const audit = (...args: string[]) => runVerb(['audit', ...args], env())
const change = (text: (at: (table: string) => string) => string) => tamper({ url: 'url' in where ? where.url : '', folder }, text)
async function write(work: (tx: WriteTx) => Promise<unknown>) {
  const store = await openAt(where, newId, { beside: true })
  await store.write(asSystem(), work)
  await store.close()
}

describe('markbook audit', () => {
  test('of a sound school, beside its running server: says what is proved, and ends with 0', async () => {
    await startProgram({ env: env() })
    const { exit, text } = await audit()
    expect(exit).toBe(0)
    expect(text).toMatch(
      /^Hilltop-Marker\s[\s\S]*\nSt Brigid’s\n {2}Marks: +44 proved\n {2}Other rows: +\d+ proved\n {2}Files: +none\n {2}History: +as it was written\n/,
    )
    expect(text).toMatch(/\nThe people of all schools\n {2}Rows: +\d+ proved\n[\s\S]*\nNothing here is contradicted by the history\.\n$/)
    expect(await audit('--school', 'brigid')).toMatchObject({ exit: 0, text: expect.not.stringContaining('Hilltop-Marker') })
  })

  test('names a mark that was changed in the database as a head knows it, and ends with 3', async () => {
    await change((at) => `update ${at('grade')} set score = 97 where id = '${zoes}'`)
    const { exit, text } = await audit('--school', 'brigid')
    expect(exit).toBe(3)
    expect(text.split('\n').filter((line) => [...line].length > 80)).toEqual([])
    expect(text).toMatch(
      /\n {2}Mark: Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas\n {4}Here: +97\n {4}History: +71\n +the service, \d.*, at The office\n {4}Why: +The history says something else\.\n/,
    )
    expect(text).toMatch(/SOMEBODY MUST LOOK[\s\S]*What to do: keep everything as it is now \(markbook backup\)/)
    const json = JSON.parse((await audit('--json')).text) as { schools: DescribedAudit[] }
    const [found] = json.schools.filter(({ school }) => school === 'St Brigid’s')
    expect(found?.marks).toEqual({ proved: 43, untold: 0, contradicted: 1, unsigned: 0 })
    expect(found?.disagreements).toMatchObject([
      {
        what: 'Mark: Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas',
        entity: 'grade',
        row: zoes,
        why: 'other',
        here: '97',
        history: '71',
        by: { person: 'the service', node: 'The office' },
      },
    ])
  })

  test('as the server has it done: keeps what it found, and status and doctor say it', async () => {
    await change((at) => `update ${at('grade')} set score = 97 where id = '${zoes}'`)
    const { exit, text } = await audit('--scheduled', '--data-dir', folder)
    expect([exit, text]).toEqual([3, expect.stringMatching(/^THE HISTORY CONTRADICTS WHAT STANDS HERE.*markbook audit/)])
    // Done already today.
    expect((await audit('--scheduled', '--data-dir', folder)).exit).toBe(0)
    expect((await runVerb(['status'], env())).text).toMatch(/\n {2}CONTRADICTED: .*\(St Brigid’s\)\n +what to do: markbook audit\n/)
    const { findings } = JSON.parse((await runVerb(['doctor', '--json'], env())).text) as {
      findings: { check: string; severity: string }[]
    }
    expect(findings.find(({ check }) => check === 'audit')).toMatchObject({ severity: 'problem' })
  })

  test('names what an entry that was changed is about', async () => {
    await change((at) => `update ${at('history')} set actor_id = null, changes = replace(changes, '71', '97') where row_id = '${zoes}'`)
    const { exit, text } = await audit('--school', 'brigid')
    expect(exit).toBe(3)
    expect(text).toMatch(/History: +1 transaction not as written\n/)
    expect(text).toMatch(/The history that this server wrote does not follow on, at its entries of [^:]*:\d\d:\s+something was changed/)
  })

  test('says which server could not be asked, and that this proves nothing', async () => {
    await write((tx) =>
      tx.local.insert(tx.t.sync_peer).values({
        ...NEW_PEER,
        id: newId(),
        side: 'parent',
        kind: 'centre',
        name: 'The ministry',
        school_id: stBrigids,
        node_id: newId(),
        url: 'http://127.0.0.1:1',
        public_key: 'none',
        box_key: 'none',
        enrolled_at: tx.now,
      }),
    )
    const { exit, text } = await audit('--school', 'brigid')
    expect(text).toMatch(/\n {2}Others: +The ministry: could not be asked\. /)
    expect(exit).toBe(0)
  })

  test('says of a printed code whether the history has it, and what follows where it has not', async () => {
    const { text } = await audit('--school', 'brigid')
    const code = /Code now: +(\S+)/.exec(text)?.[1] ?? ''
    expect(await audit('--head', code.toLowerCase())).toMatchObject({
      exit: 0,
      text: expect.stringMatching(/^The history of St Brigid’s contains it: it stood there on .*, at\s+The office\./),
    })
    const other = await audit('--head', 'AAAA-AAAA-AAAA-AAAA')
    expect([other.exit, other.text]).toEqual([
      3,
      expect.stringMatching(/^NO HISTORY HERE CONTAINS IT\.[\s\S]*put back, or its history was\s+changed/),
    ])
    expect((await audit('--head', 'nonsense')).exit).toBe(2)
  })

  test('refuses a school that is not here, in one line', async () => {
    const { exit, text } = await audit('--school', 'Nowhere')
    expect([exit, text.trim().split('\n').length]).toEqual([1, 1])
    expect(text).toMatch(/^There is no school Nowhere\. There are: /)
  })
})
