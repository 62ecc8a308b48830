import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Finding } from '../../cli/doctor/finding.ts'
import { seedStory } from '../../cli/seed/seed.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { asSystem } from '../../store/tx.ts'
import { createDatabase } from '../../testing/database.ts'
import { buildProgram, endPrograms } from '../../testing/program.ts'
import { ask } from '../durability/teacher.ts'
import { Node, until } from './network.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let centre: Node
let box: Node
let cookie: string
let drop: (() => Promise<void>) | undefined

beforeAll(async () => {
  buildProgram()
  const database = onPostgres ? await createDatabase(inject('postgresUrl')) : undefined
  drop = database?.drop
  centre = await Node.make('the centre', database?.url)
  await centre.prepare((store) => seedStory(store))
  await centre.start()
  box = await Node.make('the school')
  await box.joinAndStart(centre, ['--school', 'St Brigid’s'])
  await box.copied()
  cookie = await box.cookie()
})
afterAll(async () => {
  for (const node of [centre, box]) await node?.remove()
  await endPrograms()
  await endPrograms()
  await drop?.()
})

/** The sentence that the app shows. */
async function sentence(): Promise<string> {
  const answer = await ask({ port: box.port as number, path: '/api/sync/status', cookie })
  return JSON.parse(answer.text).sentence
}
const says = (pattern: RegExp) => until(async () => pattern.test(await sentence()), `saying ${pattern}`)
const codeIn = (said: string) => /^ {4}([0-9A-Z-]{26,})$/m.exec(said)?.[1] ?? ''
const enter = (score: number) =>
  ask({
    port: box.port as number,
    method: 'POST',
    path: '/api/grades/bulk',
    cookie,
    body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] },
  })

async function examined(node: Node) {
  const { exit, text } = await node.verb('doctor', '--json')
  const { findings } = JSON.parse(text) as { findings: Finding[] }
  return { exit, found: findings.filter(({ check }) => check === 'replication') }
}

describe('the verbs of replication, as they are typed at a school and at its centre', () => {
  test('a second join and a wrong code are refused in one line each', async () => {
    expect(await box.verb('join', centre.line.url, 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-A')).toEqual({
      exit: 1,
      text: expect.stringMatching(/^This server has joined the centre already\..*\n$/),
    })
    const other = await Node.make('another')
    const refused = await other.verb('join', centre.line.url, 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-A')
    // The next start would serve an empty school that nobody wanted.
    expect(readdirSync(other.folder)).toEqual([])
    await other.remove()
    expect(await box.verb('node', 'invite', '--new')).toEqual({
      exit: 1,
      text: expect.stringMatching(/^Only a centre takes in other schools: .*DATABASE_URL, on PostgreSQL \(operators’ guide, .*\)\.\n$/),
    })
    expect(refused).toEqual({
      exit: 1,
      text: expect.stringMatching(/(is wrong, was used already, or is too old\. It counts only at the server that made it).*\n$/),
    })
  })

  test('a join whose answer was lost keeps its database, for which alone the code may be good now', async () => {
    const proxy = createServer((_, response) => void response.writeHead(502).end('Bad Gateway')).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const other = await Node.make('another')
    const { port } = proxy.address() as AddressInfo
    const unsure = await other.verb('join', `http://127.0.0.1:${port}`, 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-A')
    expect(unsure).toEqual({ exit: 1, text: expect.stringMatching(/was 502, .* It may have taken the code all the same: .*\n$/) })
    expect(readdirSync(other.folder)).toContain(DATABASE_FILE)
    proxy.close()
    // A refusal takes away no database that was there before.
    await other.verb('join', centre.line.url, 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-A')
    expect(readdirSync(other.folder)).toContain(DATABASE_FILE)
    await other.remove()
  })

  test('node list and rename: each names the other', async () => {
    expect(await centre.done('node', 'list')).toMatch(/\nthe school {2}server of St Brigid’s .*\d\n {12}joined .*; nothing waits for it\n/)
    expect(await box.done('node', 'list')).toMatch(
      /\nthe centre {2}the centre that this one joined .*\d\n {12}http:\/\/127\.0\.0\.1:\d+\n {12}joined .*; nothing waits to be sent\n/,
    )
    await centre.done('node', 'rename', 'the school', 'St Brigid’s box')
    expect(await centre.done('node', 'list')).toContain('St Brigid’s box')
  })

  test('a laptop that has joined and was not started: sync status says whom it joined, and what is missing', async () => {
    const laptop = await Node.make('Ada’s laptop')
    const invited = await centre.done('node', 'invite', '--laptop', people.ada.email, '--school', 'St Brigid’s')
    expect(invited).toContain(`markbook join http://localhost:${centre.port} `)
    expect(invited).toContain('This server answers on this computer alone.')
    const code = codeIn(invited)
    await laptop.done('join', centre.line.url, code, '--laptop')
    const said = await laptop.verb('sync', 'status')
    const status = await laptop.verb('status')
    await laptop.remove()
    await centre.done('node', 'revoke', 'Ada’s laptop', '--yes')
    expect(status.text).toMatch(/Replication: {3}This laptop has joined the centre, and has nothing from there yet\./)
    expect(said).toEqual({
      exit: 3,
      text: 'This laptop has joined the centre, and has nothing from there yet. It copies when it is started: markbook start\n',
    })
  })

  test('on a good line: status, sync status, doctor and the app say the same, and verify finds no difference', async () => {
    await says(/^Everything is at the centre\.$/)
    expect(await box.done('sync', 'status')).toMatch(/St Brigid’s.*: Everything is at the centre\.\n {2}Above: {6}the centre, last heard/)
    expect(await box.done('status')).toMatch(/Replication: {3}Everything is at the centre\.\n.*0 waiting, 0 to decide, 0 held, 0 refused/)
    expect(await centre.done('status')).toMatch(/Joined here: {3}1 server or laptop, heard/)
    expect((await examined(box)).found).toMatchObject([{ severity: 'ok' }])
    expect((await examined(centre)).found).toMatchObject([{ severity: 'ok', what: '1 server or laptop replicates with this server.' }])
    expect(await box.done('sync', 'verify')).toMatch(/hold the same [\d,]+ rows/)
  })

  test('what only who has joined another can do: a centre says who replicates with it, and that it is run there', async () => {
    for (const typed of [
      ['sync', 'verify'],
      ['sync', 'export', join(centre.folder, 'none.bundle')],
    ])
      expect(await centre.verb(...typed)).toEqual({
        exit: 1,
        text: `St Brigid’s box replicates with this server, which has joined nothing itself: markbook ${typed.slice(0, 2).join(' ')} is run there.\n`,
      })
  })

  test('what was not taken of those below is told where it was not taken, and takes nothing from the state', async () => {
    const put = (seen_at: string | null) =>
      centre.look((store) =>
        store.write(asSystem(), async (tx) => {
          const [peer] = await tx.db.select().from(tx.t.sync_peer)
          const refusal = {
            table_name: 'grade',
            row_id: zoe.id,
            unit: 'score',
            value: { score: 99 },
            actor_id: people.ada.id,
            code: 'forbidden',
          }
          await tx.local.delete(tx.t.sync_refused)
          await tx.local.insert(tx.t.sync_refused).values({
            ...refusal,
            id: zoe.id,
            school_id: stBrigids,
            hlc: tx.nowMs,
            refused_at: tx.now,
            seen_at,
            peer_id: peer?.id ?? null,
          })
        }),
      )
    await put(null)
    const { exit, text } = await centre.verb('sync', 'status')
    expect(exit).toBe(3)
    expect(text).toContain(' 1 write of a server or laptop was not taken: look at it.')
    expect(text).toMatch(
      /0 held, 0 refused\n {2}Not taken: {2}1 write of a server or laptop\n[\s\S]* {2}Each of them: markbook issues list\n/,
    )
    expect(await centre.done('issues', 'list')).toMatch(
      /^1 thing to look at\.\n\nSt Brigid’s:\n\nNot taken from (St Brigid’s box|the laptop of Ada Nowak)\n/,
    )
    expect(await centre.done('status')).toMatch(/Joined here: {3}1 server or laptop, heard .*; 1 write of it not taken/)
    expect(await examined(centre)).toMatchObject({ found: [{ severity: 'notice', what: expect.stringMatching(/^1 write of laptops/) }] })
    expect(await box.done('sync', 'status')).toContain(': Everything is at the centre.\n')
    const figures = await ask({ port: centre.port as number, path: '/metrics' })
    expect(figures.text).toMatch(/^markbook_sync_refused_writes 0$/m)
    expect(figures.text).toMatch(/^markbook_sync_refused_writes_below 1$/m)
    await put(new Date().toISOString())
    expect(await centre.done('sync', 'status')).not.toContain('not taken')
  })

  test('without a line: they say what waits, and a stick carries it both ways', async () => {
    const at = (name: string) => join(box.folder, name)
    centre.line.cut()
    expect((await enter(77)).status).toBe(200)
    await says(/^Offline: \d+ changes? waits?.*Nothing is lost\.$/)
    const said = await sentence()
    expect(await box.verb('sync', 'status')).toMatchObject({ exit: 3, text: expect.stringContaining(said) })
    expect(await box.done('status')).toContain(`Replication:   ${said}`)
    expect((await examined(box)).found).toMatchObject([{ severity: 'notice', what: expect.stringContaining('does not answer') }])
    expect((await box.verb('sync', 'verify')).exit).toBe(1)

    expect(await box.done('sync', 'export', at('up.bundle'))).toMatch(/^Wrote \d+ rows?.* for the centre:/)
    expect(await centre.done('sync', 'import', at('up.bundle'))).toMatch(/Took in \d+ rows?.* of St Brigid’s box/)
    expect(await centre.done('sync', 'import', at('up.bundle'), '--receipt', at('again.receipt'))).toContain('Took in')
    expect(await box.done('sync', 'import', at('up.bundle.receipt'))).toContain('of the centre')
    expect((await box.verb('sync', 'import', at('markbook.sqlite'))).text).toMatch(/^This file is no bundle/)
    await says(/^Offline at the moment; everything is at the centre\.$/)
    centre.line.mend()
    await says(/^Everything is at the centre\.$/)
    expect(await box.done('sync', 'verify', '--repair')).toContain('hold the same')
  })

  test('node revoke: the school is told at its next request, and says so everywhere', async () => {
    await centre.done('node', 'revoke', 'St Brigid’s box', '--yes')
    expect((await enter(78)).status).toBe(200)
    await says(/revoked this server/)
    expect(await box.verb('sync', 'status')).toMatchObject({ exit: 3, text: expect.stringContaining('has revoked this server') })
    expect(await examined(box)).toMatchObject({ exit: 3, found: [{ severity: 'problem', do: expect.stringContaining('markbook join') }] })
    expect(await box.done('node', 'revoke', 'the centre', '--yes')).toContain('This server has left the centre.')
    expect((await box.verb('sync', 'verify')).text).toBe('This server works alone; it has joined nothing (markbook join).\n')
    expect((await centre.verb('sync', 'verify')).text).toMatch(/^This server works alone;/)
    await says(/^This server works alone\.$/)
  })

  test('a box put back where its secret is another: it says that nothing goes, and joins again', async () => {
    const moved = await Node.make('the new box')
    await moved.joinAndStart(centre, ['--school', 'St Brigid’s'])
    await moved.copied()
    await moved.stop()
    moved.settings = { SESSION_SECRET: 'another secret than the one with which it joined' }
    await moved.start()
    const status = () => moved.verb('sync', 'status')
    await until(async () => (await status()).text.includes('no longer knows it'), 'noticing that it is not known')
    expect(await status()).toMatchObject({ exit: 3, text: expect.not.stringContaining('is at the centre') })
    expect(await examined(moved)).toMatchObject({ exit: 3, found: [{ severity: 'problem', do: expect.stringContaining('markbook join') }] })
    const code = codeIn(await centre.done('node', 'invite', '--school', 'St Brigid’s'))
    await moved.done('join', centre.line.url, code)
    await until(async () => (await status()).exit === 0, 'replicating again')
    expect(await moved.done('sync', 'verify')).toMatch(/hold the same/)
    await moved.remove()
  })
})
