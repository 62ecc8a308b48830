import { join } from 'node:path'
import { aoife, elan, lukasz, mei, sean, zoe } from '@markbook/shared/story/marks'
import { type PersonName, people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { canBackUp } from '../../store/backup/backup.fixtures.ts'
import { listBackups } from '../../store/backup/manifest.ts'
import { createDatabase } from '../../testing/database.ts'
import { BEFORE_SENT_BACK, LAST_OF_PROTOCOL_2, unpackFixture } from '../../testing/old-databases.ts'
import { oldProgram } from '../../testing/old-program.ts'
import { buildProgram, endPrograms, programFile } from '../../testing/program.ts'
import { rawRows, sameColumns } from '../../testing/raw-rows.ts'
import { arrives, enter, historyAt, patched, says, scoreIn, signerAt, signIn, statusAt, tableAt } from './at-nodes.ts'
import { Node, until } from './network.ts'

const old = oldProgram(LAST_OF_PROTOCOL_2)
const beforeSentBack = oldProgram(BEFORE_SENT_BACK)
const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const nodes: Node[] = []
let drop: (() => Promise<void>) | undefined

beforeAll(() => {
  buildProgram()
  if (!old) console.log(`SKIPPED with a real old program: the history here does not have ${LAST_OF_PROTOCOL_2}.`)
})
afterAll(endPrograms)
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.remove()
  await endPrograms()
  await drop?.()
})

async function oldNode(name: string, { url, program = old }: { url?: string | undefined; program?: string | null } = {}): Promise<Node> {
  const node = await Node.make(name, url)
  nodes.push(node)
  node.version = program as string
  return node
}
/** A database for the centre, where centres have Postgres. */
async function databaseOfCentre(): Promise<string | undefined> {
  if (!onPostgres) return undefined
  const database = await createDatabase(inject('postgresUrl'), 'template0')
  drop = database.drop
  return database.url
}

/** Installs the present program in the place of the old one. */
async function update(node: Node): Promise<void> {
  expect(await node.stop()).toBe(0)
  await startUpdated(node)
}
async function startUpdated(node: Node): Promise<void> {
  putIn(node)
  await node.start()
  expectBackup(node)
}
/** The present program; it makes a backup first, where the machine has what that needs. */
function putIn(node: Node): void {
  node.version = programFile
  node.settings['BACKUPS'] = String('folder' in node.where || canBackUp)
}
function expectBackup(node: Node): void {
  if (node.settings['BACKUPS'] === 'true')
    expect(listBackups(join(node.folder, 'backups'))).toContainEqual(expect.objectContaining({ reason: 'migration' }))
}

test.skipIf(!old)(
  'a centre, a school and two laptops of the program before are updated one by one, in the worst order: nothing is lost, and all goes on by itself',
  { timeout: 300_000 },
  async () => {
    const centre = await oldNode('the centre', { url: await databaseOfCentre() })
    await centre.done('seed', 'story')
    await centre.start()
    const school = await oldNode('the school')
    await school.joinAndStart(centre, ['--school', 'St Brigid’s'])
    const there = await until(() => signIn(school, 'okafor').catch(() => undefined), 'the copy of the school')
    await says(school, there, /^Everything is at the centre\.$/)
    const laptop = async (name: string, whose: PersonName) => {
      const node = await oldNode(name)
      await node.joinAndStart(school, ['--laptop', people[whose].email], ['--laptop'])
      const cookie = await until(() => signIn(node, whose).catch(() => undefined), `the copy of ${name}`)
      await says(node, cookie, /^Everything is at school\.$/)
      return { node, cookie }
    }
    const early = await laptop('Ada’s laptop', 'ada')
    const late = await laptop('Mrs Okafor’s laptop', 'okafor')
    await enter(early.node, early.cookie, zoe, 41)
    await enter(late.node, late.cookie, sean, 42)
    await says(early.node, early.cookie, /^Everything is at school\.$/)
    await says(late.node, late.cookie, /^Everything is at school\.$/)
    await says(school, there, /^Everything is at the centre\.$/)

    // A laptop first: what it sends to is too old, and says nothing of that.
    await update(early.node)
    const parentOlder = /^The program of the school is too old for this one, and must be updated there\..* Nothing is lost\.$/
    await says(early.node, early.cookie, parentOlder)
    await enter(early.node, early.cookie, zoe, 51)
    await enter(early.node, early.cookie, elan, 52)
    const waiting = await statusAt(early.node, early.cookie)
    expect(waiting).toMatchObject({ state: 'offline', obstacle: 'parent_older', waiting_marks: 2 })
    expect(waiting.sentence).toMatch(/ 2 changes wait until then/)
    expect(await early.node.verb('sync', 'status')).toMatchObject({ exit: 3, text: expect.stringMatching(/is too old for this one/) })
    expect((await early.node.verb('doctor')).text).toMatch(/The program of The school’s server .* is too old for this one/)
    expect((await early.node.verb('sync', 'verify')).text).toMatch(/is too old for this one, and must be updated there/)

    // The centre, with everything that is in it.
    expect(await centre.stop()).toBe(0)
    const before = await rawRows(centre.where)
    putIn(centre)
    await centre.done('migrate')
    expectBackup(centre)
    expect(sameColumns(await rawRows(centre.where), before)).toEqual(sameColumns(before, before))
    expect(Object.values(before).filter((rows) => rows.length > 0).length).toBeGreaterThan(15)
    await centre.start()
    const childTooOld = (parent: string) =>
      new RegExp(`^This program is too old for ${parent}: install the newer one\\. Nothing is lost\\.$`)
    await says(school, there, childTooOld('the centre'))
    expect(await school.verb('sync', 'status')).toMatchObject({
      exit: 3,
      text: expect.stringMatching(/too old for the centre: install the/),
    })
    await enter(school, there, aoife, 53)
    expect(await statusAt(school, there)).toMatchObject({ state: 'upgrade', waiting_marks: 1 })
    await enter(late.node, late.cookie, sean, 54)
    await says(late.node, late.cookie, /^Everything is at school\.$/)
    expect(await statusAt(school, there)).toMatchObject({ state: 'upgrade', waiting_marks: 2 })

    // The school: what waits goes up, the laptop that was before it goes on, the other is told.
    await update(school)
    for (const [pupil, score] of [
      [aoife, 53],
      [sean, 54],
      [zoe, 51],
      [elan, 52],
    ] as const)
      await arrives(centre, pupil, score)
    await says(early.node, early.cookie, /^Everything is at /)
    await says(late.node, late.cookie, childTooOld('the school'))
    await enter(late.node, late.cookie, sean, 64)
    await enter(late.node, late.cookie, mei, 65)
    await enter(school, there, lukasz, 66)
    expect(await statusAt(late.node, late.cookie)).toMatchObject({ state: 'upgrade', waiting_marks: 2 })
    const stick = join(late.node.folder, 'up.bundle')
    await late.node.done('sync', 'export', stick)
    expect(await school.verb('sync', 'import', stick)).toEqual({
      exit: 1,
      text: 'This bundle was made by another version of Markbook. Install the same one on both machines; nothing is lost meanwhile.\n',
    })

    await update(late.node)
    await arrives(centre, sean, 64)
    await arrives(centre, mei, 65)
    await arrives(late.node, lukasz, 66)
    await says(late.node, late.cookie, /^Everything is at /)

    // Each mark at the centre with who entered it where; nobody has to decide anything.
    const entered: [{ id: string }, [number, PersonName, Node][]][] = [
      [
        zoe,
        [
          [41, 'ada', early.node],
          [51, 'ada', early.node],
        ],
      ],
      [elan, [[52, 'ada', early.node]]],
      [aoife, [[53, 'okafor', school]]],
      [
        sean,
        [
          [42, 'okafor', late.node],
          [54, 'okafor', late.node],
          [64, 'okafor', late.node],
        ],
      ],
      [mei, [[65, 'okafor', late.node]]],
      [lukasz, [[66, 'okafor', school]]],
    ]
    const names = new Map<string, string>()
    for (const node of [school, early.node, late.node]) names.set(await node.look(async (store) => store.nodeId), node.name)
    for (const at of [centre, school])
      for (const [pupil, marks] of entered) {
        const told = (await historyAt(at, pupil)).filter(({ node_id }) => names.has(node_id))
        expect(told.map((entry) => [scoreIn(entry), entry.actor_id, names.get(entry.node_id)])).toEqual(
          marks.map(([score, who, node]) => [score, people[who].id, node.name]),
        )
      }
    for (const node of nodes)
      for (const table of ['sync_conflict', 'sync_refused', 'sync_held'])
        expect([node.name, table, await tableAt(node, table)]).toEqual([node.name, table, []])
    expect(await school.done('sync', 'verify')).toMatch(/hold the same/)
    expect(await late.node.done('sync', 'verify')).toMatch(/hold the same/)

    // What an old program wrote and had not told is signed when it is told.
    for (const [at, pupil] of [
      [centre, aoife],
      [school, mei],
      [school, sean],
    ] as const)
      expect((await historyAt(at, pupil)).at(-1)).toMatchObject({ detail: null, proof: expect.any(String) })
    expect(await signerAt(centre, aoife)).toEqual({ signer: { kind: 'server' } })
    expect(await signerAt(school, mei)).toEqual({ signer: { kind: 'laptop', user: people.okafor.id } })
    expect(await signerAt(school, sean)).toEqual({ signer: { kind: 'laptop', user: people.okafor.id } })
  },
)

test.skipIf(!beforeSentBack)(
  'a school whose program does not know of books that are sent back loses no approval, and has the reason once it is updated',
  { timeout: 300_000 },
  async () => {
    const program = beforeSentBack
    const centre = await oldNode('the centre', { url: await databaseOfCentre(), program })
    await centre.done('seed', 'story')
    await centre.start()
    const school = await oldNode('the school', { program })
    await school.joinAndStart(centre, ['--school', 'St Brigid’s'])
    const there = await until(() => signIn(school, 'okafor').catch(() => undefined), 'the copy of the school')
    const head = await signIn(centre, 'okafor')
    const approve = async (body: { isApproved: boolean; reason?: string }) =>
      expect(await patched(centre, head, `/api/reports/${draftReport.id}/approval`, body)).toBe(200)
    const bookAt = async (node: Node) => {
      const { approved_at, sent_back_reason } = (await tableAt(node, 'report_book')).find(({ id }) => id === draftReport.id) ?? {}
      return { isApproved: approved_at !== null, reason: sent_back_reason }
    }
    expect(await patched(centre, head, '/api/schools/mine', { approvesReports: true })).toBe(200)
    const asksAt = async (node: Node) => (await tableAt(node, 'school')).some(({ approves_reports }) => Boolean(approves_reports))
    await until(() => asksAt(school), 'the wish of the school')

    await update(centre)
    await approve({ isApproved: true })
    await says(school, there, /^This program is too old for the centre: install the newer one\. Nothing is lost\.$/)
    await enter(school, there, zoe, 51)
    expect(await statusAt(school, there)).toMatchObject({ state: 'upgrade', waiting_marks: 1 })

    await update(school)
    await arrives(centre, zoe, 51)
    for (const node of [centre, school]) await until(async () => (await bookAt(node)).isApproved, `the approval at ${node.name}`)
    await approve({ isApproved: false, reason: 'Conduct is missing.' })
    await until(async () => (await bookAt(school)).reason === 'Conduct is missing.', 'the reason at the school')
    for (const node of [centre, school]) {
      expect(await bookAt(node)).toEqual({ isApproved: false, reason: 'Conduct is missing.' })
      for (const table of ['sync_conflict', 'sync_refused', 'sync_held'])
        expect([node.name, table, await tableAt(node, table)]).toEqual([node.name, table, []])
    }
    expect(await school.done('sync', 'verify')).toMatch(/hold the same/)
  },
)

test.skipIf(onPostgres)(
  'a school and a laptop as the program before left them: its unsent marks come home after the update, signed, with their history',
  { timeout: 120_000 },
  async () => {
    const [school, laptop] = [await Node.make('the school'), await Node.make('Ada’s laptop')]
    nodes.push(school, laptop)
    unpackFixture({ school: school.folder, laptop: laptop.folder, parentUrl: school.line.url })
    const before = await rawRows(laptop.where)
    await startUpdated(school)
    await startUpdated(laptop)
    expect(sameColumns(await rawRows(laptop.where), before)['grade']).toEqual(sameColumns(before, before)['grade'])
    for (const [pupil, score] of [
      [zoe, 51],
      [elan, 52],
    ] as const) {
      await arrives(school, pupil, score)
      const told = (await historyAt(school, pupil)).at(-1)
      expect(told && [scoreIn(told), told.actor_id, told.detail]).toEqual([score, people.ada.id, null])
      expect(await signerAt(school, pupil)).toEqual({ signer: { kind: 'laptop', user: people.ada.id } })
    }
    await says(laptop, await signIn(laptop, 'ada'), /^Everything is at school\.$/)
    for (const node of nodes)
      for (const table of ['sync_conflict', 'sync_refused', 'sync_held'])
        expect([node.name, table, await tableAt(node, table)]).toEqual([node.name, table, []])
    expect(await laptop.done('sync', 'verify')).toMatch(/hold the same/)
  },
)
