import { type Bench, type BenchRow, most } from '../bench-row.ts'
import { SECRET, startProgram } from '../processes.ts'
import type { Wait, Waited } from '../programs/nodes.ts'
import type { Drive, Driven } from '../programs/saturation.ts'
import { bulkRequests, get } from '../requests.ts'
import { serveCentral } from '../school-server.ts'
import { smallSchools } from '../small-schools.ts'
import { median } from '../statistics.ts'
import { SIZE } from './first-copy.rows.ts'

const SCHOOLS = 200
const WRITING = 20
/** A mark each second of each who writes: a teacher who types them without a pause. */
const EVERY = 1_000
const SECONDS = 8
const CONNECTIONS = 32

type Round = { quiet: Driven; busy: Driven }

/**
 * What a person at the central node feels of the schools that replicate with it. The requests come at a steady rate, well below what the
 * server can do, on the same server with and without the nodes.
 */
export const waitingNodes: Bench = async ({ pairs }) => {
  const centre = await serveCentral(SIZE)
  const schools = await smallSchools(centre.url, SCHOOLS)
  const [loader, nodes] = [await startProgram('saturation'), await startProgram('nodes')]
  const { port } = centre.program
  const drive = (requests: readonly string[], perSecond: number) => {
    const drive: Drive = { port, requests, seconds: SECONDS, connections: CONNECTIONS, perSecond }
    return loader.ask<Driven>('drive', drive)
  }
  const reads = () => drive([get('/api/auth/me', centre.cookies.teacher)], 100)
  const writes = () => drive(bulkRequests(SIZE, centre.cookies.teacher, 200), 10)
  const wait: Wait = { url: `http://127.0.0.1:${port}`, secret: SECRET, schools, writing: WRITING, everyMs: EVERY }
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
  const pushes = `${waited[0]?.pushes} pushes and ${waited[0]?.pulls} questions meanwhile, half of the pushes in ${median(waited.map(({ pushMs }) => pushMs)).toFixed(0)} ms`
  return [found('`me`, p99', read, pushes), found('bulk of 40, p99', written, pushes)]
}

function found(what: string, rounds: readonly Round[], more: string): BenchRow {
  const refused = rounds.reduce((sum, { quiet, busy }) => sum + quiet.other + quiet.refused + busy.other + busy.refused, 0)
  const p99 = (of: keyof Round) => median(rounds.map((round) => round[of].p99)).toFixed(0)
  const p50 = (of: keyof Round) => median(rounds.map((round) => round[of].p50)).toFixed(0)
  return {
    what: `${SCHOOLS} schools' nodes wait at the centre, ${WRITING} write: ${what}`,
    control: 'none waiting',
    target: most(2),
    measured: median(rounds.map(({ quiet, busy }) => busy.p99 / quiet.p99)),
    figure: `${p99('busy')} ms / ${p99('quiet')} ms, p50 ${p50('busy')} ms / ${p50('quiet')} ms, ${refused} not served; ${more}`,
  }
}
