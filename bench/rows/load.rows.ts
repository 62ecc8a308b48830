import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, type BenchRow, least, most } from '../bench-row.ts'
import { during } from '../measure.ts'
import { SECRET, startProgram } from '../processes.ts'
import type { Wait, Waited } from '../programs/nodes.ts'
import type { Drive, Driven } from '../programs/saturation.ts'
import { bulkRequests, get } from '../requests.ts'
import { benchSchool } from '../school.ts'
import { serveCentral, serveSchool } from '../school-server.ts'
import { smallSchools } from '../small-schools.ts'
import { median, medianOf } from '../statistics.ts'

const SECONDS = 5
const RECOVERY = 5_000

/** The requests of a morning: the session, the class, marks. */
const mixture = (cookie: string) => {
  const group = benchSchool('year').markedNow[0]?.group.id
  return bulkRequests('year', cookie, 300).flatMap((bulk) => [
    get('/api/auth/me', cookie),
    get(`/api/classes/${group}/students`, cookie),
    bulk,
  ])
}

/**
 * The control is the server's own peak, with 48 connections. Against it: three times as many requests a second, sent without waiting for
 * replies, on as many connections as the server accepts. Compared by CPU time too, because other programs run on the machine.
 */
export const saturation: Bench = async ({ pairs }) => {
  const { program, cookies } = await serveSchool('year')
  const loader = await startProgram('saturation')
  const requests = mixture(cookies.teacher)
  const drive = async (connections: number, perSecond: number | null) => {
    const drive: Drive = { port: program.port, requests, seconds: SECONDS, connections, perSecond }
    const { result, cpuMicros } = await during(program, () => loader.ask<Driven>('drive', drive))
    return { ...result, perCpu: result.served / (cpuMicros / 1_000_000) }
  }
  await drive(16, null)
  type Round = Record<'idle' | 'peak' | 'beyond' | 'after', Driven & { perCpu: number }>
  const rounds: Round[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const idle = await drive(8, 20)
    const peak = await drive(48, null)
    const beyond = await drive(1_600, 3 * peak.good)
    await pause(RECOVERY)
    rounds.push({ idle, peak, beyond, after: await drive(8, 20) })
  }
  const of = (figure: (round: Round) => number) => median(rounds.map(figure))
  const at = (when: keyof Round, figure: keyof Driven, digits = 0) => of((round) => round[when][figure]).toFixed(digits)
  const share = of(({ beyond, peak }) => beyond.good / peak.good).toFixed(2)
  return [
    {
      what: 'served at three times saturation',
      control: 'its own peak, by requests for its CPU',
      target: least(0.8),
      measured: of(({ beyond, peak }) => beyond.perCpu / peak.perCpu),
      figure: `${at('beyond', 'good')} / ${at('peak', 'good')} a second (${share} ×), ${at('beyond', 'refused')} refused; answered in ${at('beyond', 'p50')} ms, p99 ${at('beyond', 'p99')} ms`,
    },
    {
      what: 'p99 of a quiet minute, 5 s after that',
      control: 'the same before',
      target: most(5),
      measured: of(({ after, idle }) => after.p99 / idle.p99),
      figure: `${at('after', 'p99', 1)} / ${at('idle', 'p99', 1)} ms; ${at('beyond', 'other')} other answers`,
    },
  ]
}

const SCHOOLS = 200
const WRITING = 20

type Round = { quiet: Driven; busy: Driven }

/**
 * How much the replication of many schools slows a person at the centre. Requests come at a steady rate, well below the maximum, with and
 * without the nodes. Each writing node pushes a mark a second, like a teacher who types without a pause.
 */
export const waitingNodes: Bench = async ({ pairs }) => {
  const { url, program, cookies } = await serveCentral('marks')
  const schools = await smallSchools(url, SCHOOLS)
  const [loader, nodes] = [await startProgram('saturation'), await startProgram('nodes')]
  const { port } = program
  const drive = (requests: readonly string[], perSecond: number) => {
    const drive: Drive = { port, requests, seconds: 8, connections: 32, perSecond }
    return loader.ask<Driven>('drive', drive)
  }
  const reads = () => drive([get('/api/auth/me', cookies.teacher)], 100)
  const writes = () => drive(bulkRequests('marks', cookies.teacher, 200), 10)
  const wait: Wait = { url: `http://127.0.0.1:${port}`, secret: SECRET, schools, writing: WRITING, everyMs: 1_000 }
  const [read, written, waited]: [Round[], Round[], Waited[]] = [[], [], []]
  await reads()
  await writes()
  for (let pair = 0; pair < pairs; pair += 1) {
    const quiet = { reads: await reads(), writes: await writes() }
    await nodes.ask('wait', wait)
    read.push({ quiet: quiet.reads, busy: await reads() })
    written.push({ quiet: quiet.writes, busy: await writes() })
    waited.push(await nodes.ask<Waited>('stop'))
  }
  const [first] = waited
  const pushes = `${first?.pushes} pushes and ${first?.pulls} questions meanwhile, half of the pushes in ${medianOf(waited, 'pushMs').toFixed(0)} ms`
  return [found('`me`, p99', read, pushes), found('bulk of 40, p99', written, pushes)]
}

function found(what: string, rounds: readonly Round[], more: string): BenchRow {
  const refused = rounds.flatMap(({ quiet, busy }) => [quiet, busy]).reduce((sum, { other, refused }) => sum + other + refused, 0)
  const both = (figure: 'p50' | 'p99') =>
    (['busy', 'quiet'] as const).map((when) => `${median(rounds.map((round) => round[when][figure])).toFixed(0)} ms`).join(' / ')
  return {
    what: `${SCHOOLS} schools' nodes wait at the centre, ${WRITING} write: ${what}`,
    control: 'none waiting',
    target: most(2),
    measured: median(rounds.map(({ quiet, busy }) => busy.p99 / quiet.p99)),
    figure: `${both('p99')}, p50 ${both('p50')}, ${refused} not served; ${more}`,
  }
}
