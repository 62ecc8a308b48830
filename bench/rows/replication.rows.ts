import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { asSystem, asUser } from '@markbook/server/store/tx'
import { descriptions } from '@markbook/shared/tables/tables'
import { type Bench, type BenchRow, byCpu, cpuOf, least, most } from '../bench-row.ts'
import { copyUp, dropCentre, emptyCentre, invitation } from '../central.ts'
import { copyOfSchool, emptyFolder, filledFolder, newFolder, withStore } from '../fill.ts'
import { during, inTurns } from '../measure.ts'
import { root } from '../paths.ts'
import { type Program, SECRET, startPeer, startProgram, startServer } from '../processes.ts'
import type { Round } from '../program.ts'
import type { FirstCopy } from '../programs/child.ts'
import { benchSchool, MARKS } from '../school.ts'
import { end, type Serving, serveCentral } from '../school-server.ts'
import { medianOf, type Pairs, ratioOf } from '../statistics.ts'

const SIZE = 'marks'
const ALL = MARKS[SIZE]
const CHANGED = 1_000
const AT_ONCE = 40
const QUIET_ROUNDS = 25

const demandAll = (rows: number): void => {
  if (rows !== ALL) throw new Error(`${rows} marks came, not ${ALL}`)
}

/** Gives one mark in a hundred another score, in bulks of forty as a teacher saves them. */
async function changeSome(url: string, round: number): Promise<void> {
  const { id: school, head } = benchSchool(SIZE)
  await withStore({ url }, async (store) => {
    const { grade } = store.dialect.tables
    const rows = await store.read(asUser(head.id), (tx) => tx.db.select().from(grade).orderBy(grade.id))
    const chosen = rows.filter((_, at) => at % (ALL / CHANGED) === round % 100)
    for (let at = 0; at < chosen.length; at += AT_ONCE) {
      const changes = chosen.slice(at, at + AT_ONCE).map((before) => ({ before, patch: { score: before.score === 50 ? 51 : 50 } }))
      await store.write(asUser(head.id), (tx) => tx.update('grade', changes))
    }
    if (chosen.length !== CHANGED) throw new Error(`${chosen.length} marks of ${school} were changed`)
  })
}

type Centre = Serving<{ url: string }>

/** Joins a new school server to the centre, and makes its first copy. */
async function begin({ url, program }: Centre): Promise<{ child: Program; folder: string; first: FirstCopy }> {
  const folder = await emptyFolder()
  const child = await startProgram('child', folder, SECRET)
  await child.ask('join', await invitation(url, program.port, benchSchool(SIZE).id))
  const first = await child.ask<FirstCopy>('firstCopy')
  demandAll(first.rows.rows)
  return { child, folder, first }
}

/** `cpuMicros`: the CPU time of the centre for the first copy. */
async function copied(centre: Centre, round: number) {
  const { result, cpuMicros } = await during(centre.program, () => begin(centre))
  const { child, folder, first } = result
  const quiet = await child.ask<Round>('rounds', QUIET_ROUNDS)
  await changeSome(centre.url, round)
  const changed = await child.ask<Round>('rounds', 1)
  await end({ program: child, folder })
  return { ...first, quiet, changed, cpuMicros }
}

async function copiedBy(program: Program, folder: string): Promise<Round> {
  const round = await program.ask<Round>('copy')
  await end({ program, folder })
  demandAll(round.rows)
  return round
}

async function plainlyCopied(): Promise<Round> {
  const folder = await emptyFolder()
  return copiedBy(await startProgram('plain-copy', folder, await filledFolder(SIZE), Object.keys(descriptions).join()), folder)
}

const speed = (rounds: readonly Round[]) => (ALL / (medianOf(rounds, 'ms') / 1_000)).toFixed(0)
const bothSpeeds = ({ ours, control }: Pairs<Round>) => `${speed(ours)} / ${speed(control)} rows a second`

export const firstCopy: Bench = async ({ pairs }) => {
  const centre = await serveCentral(SIZE)
  const { ours, control: plain } = await inTurns(pairs, (pair) => copied(centre, pair), plainlyCopied)
  const [first, whole] = [ours.map(({ rows }) => rows), ours.map((each) => each.whole)]
  const copy = { ours: first, control: plain }
  const control = 'the same rows and versions in one transaction'
  const history = `with the history that follows ${cpuOf(whole)}, ${speed(whole)} a second, and of the centre ${cpuOf(ours)}`
  const after = (part: 'changed' | 'quiet', what: string, target: number) => {
    const later = { ours: ours.map((each) => each[part]), control: whole }
    return byCpu(later, `${what} changed after that`, 'the first copy with its history', most(target))
  }
  return [
    byCpu(copy, 'first copy of 100,000 marks into a school', control, most(2), `${bothSpeeds(copy)}; ${history}`),
    after('changed', '1 % of them', 0.03),
    after('quiet', 'nothing', 0.002),
  ]
}

/** A school that worked alone, with a year of marks, joins a centre without this school. */
async function sent(): Promise<Round & { centre: number }> {
  const [url, folder] = [await emptyCentre(), await copyOfSchool(SIZE)]
  const centre = await startServer({ url })
  const child = await startProgram('child', folder, SECRET)
  await child.ask('join', await invitation(url, centre.port, null))
  const { result, cpuMicros } = await during(centre, () => child.ask<Round>('push'))
  demandAll(await withStore({ url }, (store) => store.read(asSystem(), (tx) => tx.db.$count(tx.t.grade))))
  await end({ program: child, folder }, { program: centre })
  await dropCentre(url)
  return { ...result, centre: cpuMicros }
}

async function plainlySent(): Promise<{ ms: number }> {
  const url = await emptyCentre()
  const ms = await copyUp(SIZE, url)
  await dropCentre(url)
  return { ms }
}

export const upload: Bench = async ({ pairs }) => {
  const { ours, control } = await inTurns(pairs, sent, plainlySent)
  const seconds = (rounds: readonly { ms: number }[]) => `${(medianOf(rounds, 'ms') / 1_000).toFixed(2)} s`
  const centre = ours.map((round) => ({ cpuMicros: round.centre }))
  return [
    {
      what: '100,000 new marks up into Postgres, with versions and history',
      control: 'COPY of the rows, by time',
      target: most(2.5),
      measured: ratioOf({ ours, control }, 'ms'),
      figure: `${seconds(ours)} / ${seconds(control)}; CPU of the school ${cpuOf(ours)}, of the centre without Postgres ${cpuOf(centre)}`,
    },
  ]
}

/** Installs the other replication programs, once. Returns null, or why they cannot be installed here. */
function installPeers(): string | null {
  const folder = join(root, 'bench', 'peers')
  const { status, stderr } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund'], { cwd: folder, encoding: 'utf8' })
  return status === 0 ? null : (stderr.trim().split('\n')[0] ?? 'npm install failed')
}

/** A pair with PouchDB takes minutes. */
const MOST_PAIRS = 3

/** The first copy of the same marks by other programs, each over HTTP into its own database; elapsed time from the first request. */
export const peers: Bench = async ({ pairs }) => {
  const missing = installPeers()
  const centre = await serveCentral(SIZE)
  const pouchServer = missing === null ? await startPeer('pouch-server', newFolder(), await filledFolder(SIZE)) : null
  const [ours, pouch, electric]: [Round[], Round[], Round[]] = [[], [], []]
  for (let pair = 0; pair < Math.min(pairs, MOST_PAIRS); pair += 1) {
    const { child, folder, first } = await begin(centre)
    await end({ program: child, folder })
    ours.push(first.rows)
    const [shape, documents] = [newFolder(), newFolder()]
    electric.push(await copiedBy(await startProgram('electric', shape, String(centre.program.port), centre.cookies.head), shape))
    if (pouchServer) pouch.push(await copiedBy(await startPeer('pouch-child', documents, String(pouchServer.port)), documents))
  }
  const against = (who: string, control: Round[], target: number): BenchRow => {
    const row = { what: `first copy of 100,000 marks, against ${who}`, control: `${who}, by rows a second`, target: least(target) }
    if (control.length === 0) return { ...row, measured: Number.NaN, figure: `could not be installed here: ${missing}` }
    const figure = `${bothSpeeds({ ours, control })}; CPU of who copies ${cpuOf(ours)} / ${cpuOf(control)}`
    return { ...row, measured: ratioOf({ ours: control, control: ours }, 'ms'), figure }
  }
  return [against('PouchDB', pouch, 6), against('the client of Electric', electric, 1)]
}
