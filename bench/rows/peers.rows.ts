import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Bench, type BenchRow, least } from '../bench-row.ts'
import { dropCopy, emptyFolder, filledFolder } from '../fill.ts'
import { folderIn, root } from '../paths.ts'
import { type Program, startPeer, startProgram } from '../processes.ts'
import type { Round } from '../program.ts'
import { serveCentral } from '../school-server.ts'
import { median, medianRatio } from '../statistics.ts'
import { copyInto, MARKS, SIZE } from './first-copy.rows.ts'

/** Installs the other programs that replicate, once. Answers why not where they cannot be installed on this machine. */
function installPeers(): string | null {
  const folder = join(root, 'bench', 'peers')
  const { status, stderr } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund'], { cwd: folder, encoding: 'utf8' })
  return status === 0 ? null : (stderr.trim().split('\n')[0] ?? 'npm install failed')
}

/** Pouch needs minutes for each. */
const MOST_PAIRS = 3

const scratch = (name: string) => folderIn('running', String(process.pid), name)

async function copiedBy(program: Program, folder: string): Promise<Round> {
  const round = await program.ask<Round>('copy')
  await program.stop()
  dropCopy(folder)
  if (round.rows !== MARKS) throw new Error(`${round.rows} marks came, not ${MARKS}`)
  return round
}

const times = (rounds: readonly Round[]) => rounds.map(({ ms }) => ms)
const perSecond = (rounds: readonly Round[]) => (MARKS / (median(times(rounds)) / 1_000)).toFixed(0)
const cpu = (rounds: readonly Round[]) => (median(rounds.map(({ cpuMicros }) => cpuMicros)) / 1_000_000).toFixed(2)

/** The same marks copied for the first time by others, each over HTTP into a database of its own; by the clock, from the first request on. */
export const peers: Bench = async ({ pairs }) => {
  const missing = installPeers()
  const centre = await serveCentral(SIZE)
  const pouchServer = missing === null ? await startPeer('pouch-server', scratch('pouch-server'), await filledFolder(SIZE)) : null
  const [ours, pouch, electric]: [Round[], Round[], Round[]] = [[], [], []]
  for (let pair = 0; pair < Math.min(pairs, MOST_PAIRS); pair += 1) {
    ours.push(await copyInto(centre, await emptyFolder(`against-${pair}`)))
    const [shape, documents] = [scratch(`electric-${pair}`), scratch(`pouch-${pair}`)]
    electric.push(await copiedBy(await startProgram('electric', shape, String(centre.program.port), centre.cookies.head), shape))
    if (pouchServer) pouch.push(await copiedBy(await startPeer('pouch-child', documents, String(pouchServer.port)), documents))
  }
  const against = (who: string, theirs: readonly Round[], target: number): BenchRow => ({
    what: `first copy of 100,000 marks, against ${who}`,
    control: `${who}, by rows a second`,
    target: least(target),
    measured: theirs.length === 0 ? Number.NaN : medianRatio(times(theirs), times(ours)),
    figure:
      theirs.length === 0
        ? `could not be installed here: ${missing}`
        : `${perSecond(ours)} / ${perSecond(theirs)} rows a second; CPU of who copies ${cpu(ours)} s / ${cpu(theirs)} s`,
  })
  return [against('PouchDB', pouch, 6), against('the client of Electric', electric, 1)]
}
