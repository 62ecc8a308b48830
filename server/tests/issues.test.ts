import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { seedStory } from '../cli/seed/seed.ts'
import { NEW_PEER } from '../replication/identity/enrolment.ts'
import type { Store } from '../store/store.ts'
import { asSystem } from '../store/tx.ts'
import { createDatabase } from '../testing/database.ts'
import { buildProgram, endPrograms, runVerb, startProgram } from '../testing/program.ts'
import { openAt, settingsOf, type Where } from './durability/marking.ts'
import { furnishIssues, marks } from './issues.fixtures.ts'

buildProgram()

const newId = idSource(systemClock.now, (size) => randomBytes(size))
const HEAD = people.okafor.email
let folder: string
let where: Where
let drop: (() => Promise<void>) | undefined
async function begin() {
  folder = mkdtempSync(join(tmpdir(), 'markbook-issues-'))
  const database = process.env['TEST_DATABASE'] === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined
  drop = database?.drop
  where = database ? { url: database.url } : { folder }
}
async function end() {
  await endPrograms()
  rmSync(folder, { recursive: true, force: true })
  await drop?.()
}

async function look<T>(work: (store: Store) => Promise<T>, beside = true): Promise<T> {
  const store = await openAt(where, newId, { beside })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
async function furnish() {
  await begin()
  await look(async (store) => {
    await seedStory(store)
    await furnishIssues(store)
  }, false)
}

const env = () => ({ ...settingsOf(where, folder), PORT: '0', BACKUPS: 'false', NODE_NAME: 'The office', TZ: 'Africa/Accra' })
const issues = (...args: string[]) => runVerb(['issues', ...args], env())
async function said(...args: string[]): Promise<string> {
  const { exit, text } = await issues(...args)
  expect({ args, exit, text: exit === 0 ? '' : text }).toEqual({ args, exit: 0, text: '' })
  return text
}
const ofBrigids = ['--school', 'brigid']
/** The ids in the list, in its order. */
const idsIn = (text: string) => [...text.matchAll(/^ {2}([0-9a-f]{6,}) {2}\S/gm)].map(([, id]) => id as string)
const idAt = async (place: number) => idsIn(await said('list', ...ofBrigids))[place] as string
/** In the order of the list. */
const AT = { mark: 0, remark: 1, deletion: 2, below: 3, own: 4, held: 5, clock: 6, copy: 7 } as const

const markOf = (id: string) =>
  look((store) =>
    store.read(
      asSystem(),
      async (tx) => (await tx.db.select().from(tx.t.grade).where(eq(tx.t.grade.id, id)))[0] as Record<string, unknown>,
    ),
  )
/** Who wrote the row last, as its history says. */
const writerOf = (id: string) =>
  look((store) =>
    store.read(asSystem(), async (tx) => {
      const { history } = tx.t
      const entries = await tx.db.select().from(history).where(eq(history.row_id, id))
      return entries.sort((a, b) => a.seq - b.seq).at(-1)?.actor_id
    }),
  )
const everything = () =>
  look((store) =>
    store.read(asSystem(), async (tx) => {
      const { grade, sync_conflict, sync_refused, history } = tx.t
      const tables = [grade, sync_conflict, sync_refused, history].map((table) => tx.db.select().from(table))
      return JSON.stringify((await Promise.all(tables)).map((rows) => rows.map((row) => JSON.stringify(row)).sort()))
    }),
  )
/** Wrong usage in one line, and nothing is changed. */
async function wrong(says: RegExp, ...args: string[]) {
  const before = await everything()
  const { exit, text } = await issues(...args)
  expect({ args, exit, text }).toEqual({ args, exit: 2, text: expect.stringMatching(says) })
  expect(text.trim().split('\n')).toHaveLength(1)
  expect(await everything()).toBe(before)
}

test('markbook issues list says that there is nothing', async () => {
  await begin()
  await look((store) => seedStory(store), false)
  expect(await said('list')).toBe('There is nothing to look at.\n')
  await end()
})

describe('markbook issues list', () => {
  beforeAll(furnish)
  afterAll(end)

  test('has something of each kind in words and in 80 columns, and nothing of another school', async () => {
    const text = await said('list', ...ofBrigids)
    expect(text.split('\n').filter((line) => [...line].length > 80)).toEqual([])
    expect(text.replaceAll(/^ {2}[0-9a-f]{6} {2}/gm, '  ID      ')).toMatchInlineSnapshot(`
      "8 things to look at.

      To decide
        ID      Mark: Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas
                9 Jan 2026, 15:00   now: 71 / 100, other: 81 / 100
        ID      Mark: Ó Briain Élan · Quiz 1 · Mathematics · Michaelmas
                8 Jan 2026, 15:00   now: Remark: nothing, other: Remark: Hands in [31…
        ID      Mark: Adeyemi Zoë · Quiz 1 · Mathematics · Michaelmas
                7 Jan 2026, 15:00   now: Left out: yes, Reason: was i…, other: deleted

      Not taken from the laptop of Ada Nowak
        ID      Mark: Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas
                9 Jan 2026, 15:00   99 / 100; Whoever wrote it may not (or no longer)…

      Not taken by the other side
        ID      Mark: Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas
                9 Jan 2026, 15:00   12 / 100; Somebody else wrote it, and it is no lo…

      Arrived and cannot be written yet
        ID      Mark: Kelly Oisín · Christmas exam · Mathematics · Michaelmas
                9 Jan 2026, 15:00   waits for what it belongs to (Assessment)

      Clocks that do not agree
        ID      STAFF-PC-07
                9 Jan 2026, 08:00   its clock was 3 hours ahead of this machine’s

      Copied computers
        ID      STAFF-PC-07
                8 Jan 2026, 08:00   a copy of STAFF-PC-07 (2), or the other way round

      Everything about one: markbook issues show <id>
      "
    `)
    expect(await said('list')).toContain('\nSt Brigid’s:\n')
    const status = await runVerb(['sync', 'status'], env())
    expect(status).toMatchObject({ exit: 3, text: expect.stringContaining('1 computer was copied: look at it.') })
    expect(status.text).toContain('\n  Copied:     STAFF-PC-07 and STAFF-PC-07 (2) were one computer\n')
    expect((await runVerb(['doctor'], env())).text).toContain('STAFF-PC-07 and STAFF-PC-07 (2) were one computer')
    expect(await said('list', '--school', 'hilltop')).toBe('There is nothing to look at.\n')
  })

  test('in pages', async () => {
    const first = await said('list', '--limit', '5')
    expect(first).toMatch(/^1 to 5 of 8 things to look at\. The next: markbook issues list --limit 5 --page 2\n/)
    const last = await said('list', '--limit', '5', '--page', '2')
    expect(last).toMatch(/^6 to 8 of 8 things to look at\.\n/)
    expect([...idsIn(first), ...idsIn(last)]).toEqual(idsIn(await said('list', ...ofBrigids)))
    expect(await said('list', '--limit', '5', '--page', '3')).toBe('There is no page 3: 8 things to look at, in 2 pages of 5.\n')
    expect(await issues('list', '--limit', '1001')).toMatchObject({ exit: 2, text: expect.stringContaining('from 1 to 1000') })
  })
})

describe('markbook issues show', () => {
  beforeAll(furnish)
  afterAll(end)

  test('has both values, who wrote them, when and where, and what can be done', async () => {
    const ids = idsIn(await said('list', ...ofBrigids))
    const shown = (place: number) => said('show', ids[place] as string)
    const text = await shown(AT.mark)
    for (const part of [
      /What: +Mark: Adeyemi Zoë · Christmas exam · Mathematics · Michaelmas\n/,
      /Counts now: +71 \/ 100\n/,
      /Written too: +81 \/ 100\n +Ada Nowak, 9 Jan 2026, 15:00, at STAFF-PC-07\n +The clock there was 3 hours ahead/,
      /markbook issues resolve [0-9a-f]{6} other\n +takes the other: 81 \/ 100\n/,
    ])
      expect(text).toMatch(part)
    expect(await shown(AT.deletion)).toMatch(/Written too: +deleted\n[\s\S]*Somebody deleted it while/)
    expect(await shown(AT.below)).toMatch(
      /Counts now: +71 \/ 100\n *Written: +99 \/ 100\n[\s\S]*On: +STAFF-PC-07\n[\s\S]* other\n +enters what was written: 99 \/ 100\n[\s\S]* now\n +puts it aside: what counts now is 71 \/ 100/,
    )
    expect(await shown(AT.copy)).toContain('  markbook node revoke "STAFF-PC-07 (2)"\n')
    // What another computer sent tells the terminal nothing.
    const sent = await shown(AT.remark)
    expect(sent).toContain('Hands in [31mnothing')
    expect(sent).not.toContain('\u001b')
  })
})

describe('markbook issues resolve', () => {
  beforeEach(furnish)
  afterEach(end)

  test('beside a running server: the other value, in the name of who decides, once; and the server has it', async () => {
    const program = await startProgram({ env: env() })
    const id = await idAt(AT.mark)
    expect(await said('resolve', id, 'other', '--as', HEAD)).toMatch(
      /^Decided in the name of ngozi\.okafor@\S+: Mark: Adeyemi\s[\s\S]*\nNow counts: 81 \/ 100\n7 more things to look at: markbook issues list\n$/,
    )
    expect([await markOf(marks.zoe), await writerOf(marks.zoe)]).toMatchObject([{ score: 81 }, people.okafor.id])
    const figures = await (await fetch(`http://127.0.0.1:${program?.port}/metrics`)).text()
    expect(figures).toMatch(/^markbook_sync_open_conflicts 2$/m)
    await wrong(/^That was decided already, on .* by Ngozi Okafor\. Nothing was changed\.$/m, 'resolve', id, 'now', '--as', HEAD)
    expect(await said('show', id)).toMatch(/Decided[\s\S]*by Ngozi Okafor\n$/)
  })

  test('without a server: what counts stays, a value is typed, a deletion is done after all', async () => {
    const [mark, remark, deletion] = idsIn(await said('list', ...ofBrigids)) as [string, string, string]
    expect(await said('resolve', mark, 'now', '--as', HEAD)).toMatch(/Now counts: 71 \/ 100\n/)
    expect((await markOf(marks.zoe))?.['score']).toBe(71)
    expect(await said('resolve', remark, '--value', 'Hands in late', '--as', people.ada.email)).toMatch(
      /Now counts: Remark: Hands in late\n/,
    )
    expect([await markOf(marks.elan), await writerOf(marks.elan)]).toMatchObject([{ remarks: 'Hands in late' }, people.ada.id])
    expect(await issues('resolve', deletion, 'other', '--as', HEAD)).toMatchObject({ exit: 1, text: expect.stringContaining('add --yes') })
    expect(await said('resolve', deletion, 'other', '--as', HEAD, '--yes')).toMatch(/\nIt is not there any more\.\n5 more things/)
  })

  test('a write that was not taken is put aside, once', async () => {
    const ids = idsIn(await said('list', ...ofBrigids))
    for (const place of [AT.own, AT.below] as const)
      expect(await said('resolve', ids[place] as string, '--as', HEAD)).toMatch(/^Put aside in the name of ngozi\.okafor@/)
    await wrong(/^That was put aside already, on /, 'resolve', ids[AT.own] as string, '--as', HEAD)
  })

  test('or it is entered after all, in the name of who does it', async () => {
    const id = await idAt(AT.below)
    expect(await said('resolve', id, 'other', '--as', HEAD)).toMatch(/^Entered in the name of ngozi\.okafor@\S+: Mark: Adeyemi/)
    expect([await markOf(marks.zoe), await writerOf(marks.zoe)]).toMatchObject([{ score: 99 }, people.okafor.id])
    await wrong(/^That was put aside already, on /, 'resolve', id, 'other', '--as', HEAD)
  })

  test('an id that is wrong says where the right ones are; without a name it says so', async () => {
    const ids = idsIn(await said('list', ...ofBrigids))
    await wrong(/^Nothing is to be decided: compare the clocks/, 'resolve', ids[AT.clock] as string, 'now', '--as', HEAD)
    await wrong(/^Say in whose name it is done, with --as/, 'resolve', ids[AT.mark] as string, 'now')
    await wrong(/Allowed choices are now, other/, 'resolve', ids[AT.mark] as string, 'kept', '--as', HEAD)
    await wrong(/^There is no ffffff to look at\. markbook issues list/, 'resolve', 'ffffff', 'now', '--as', HEAD)
    await wrong(/^There is no 3: an id has 6 digits and more/, 'resolve', '3', 'now', '--as', HEAD)
  })

  test('the rules of the app stand: who may not is refused, and so is a value that may not be', async () => {
    const id = await idAt(AT.mark)
    const refused = async (says: RegExp, ...args: string[]) => {
      const before = await everything()
      expect(await issues('resolve', id, ...args)).toEqual({ exit: 1, text: expect.stringMatching(says) })
      expect(await everything()).toBe(before)
    }
    await refused(/^sile\.quinn@\S+ may not decide this\. .* Nothing was changed\.\n$/, 'other', '--as', people.quinn.email)
    await refused(/score .*Nothing was changed\.\n$/, '--value', '100.5', '--as', HEAD)
    await refused(/^nobody@stbrigids\.example is no administrator or teacher here/, 'other', '--as', 'nobody@stbrigids.example')
    await refused(/works at .*, and this is of another school\. Nothing was changed\.\n$/, 'other', '--as', people.marker.email)
    await said('resolve', id, '--value', '99,5', '--as', HEAD)
    expect((await markOf(marks.zoe))?.['score']).toBe(99.5)
  })

  test.skipIf(process.env['TEST_DATABASE'] === 'postgres')('on a laptop it is done in the name of its teacher', async () => {
    await look((store) =>
      store.write(asSystem(), async (tx) => {
        const parent = { side: 'parent', kind: 'school', name: 'The school', url: 'https://school.test', school_id: stBrigids } as const
        const keys = { public_key: '', box_key: '', enrolled_at: tx.now, user_id: people.ada.id }
        await tx.local.insert(tx.t.sync_peer).values({ ...NEW_PEER, ...parent, ...keys, id: zoe.id, node_id: mathsExam.id })
      }),
    )
    expect(await said('resolve', await idAt(AT.mark), 'other')).toMatch(/^Decided in the name of ada\.nowak@/)
    expect([await markOf(marks.zoe), await writerOf(marks.zoe)]).toMatchObject([{ score: 81 }, people.ada.id])
  })
})
