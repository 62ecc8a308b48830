import { type Bench, bothSpeeds, byCpu, bySpeed, least, most } from '../bench-row.ts'
import { copyOfSchool } from '../fill.ts'
import { compare, pairsIn } from '../measure.ts'
import { startProgram } from '../processes.ts'
import type { Spent } from '../program.ts'
import { bulkRequests, get } from '../requests.ts'
import { benchSchool } from '../school.ts'
import { type Serving, serveCentral, serveSchool, startAlone, startOn } from '../school-server.ts'
import { medianOf, ratioOf } from '../statistics.ts'

const CONNECTIONS = 16
/** SQLite writes one at a time; on a busy machine the server would refuse more writers. */
const WRITERS = 4

const meOf = ({ program, cookies }: Serving<object>) => ({ program, requests: () => [get('/api/auth/me', cookies.teacher)] })
const bulkOf = ({ program, cookies }: Serving<object>, count: number) => ({
  program,
  requests: () => bulkRequests('year', cookies.teacher, count),
})

type Read = { control: string; path: () => string; count: number; what: string; target: number }

/** The same request again and again. */
const read =
  ({ control, path, count, what, target }: Read): Bench =>
  async ({ pairs }) => {
    const { program, folder, cookies } = await serveSchool('year')
    const bare = await startOn(folder, control)
    const requests = () => [get(path(), cookies.teacher)]
    const found = await compare({ program, requests }, { program: bare, requests }, { count, connections: CONNECTIONS, pairs, except: [] })
    const more = `${bothSpeeds(found)} (${ratioOf(found, 'perSecond').toFixed(2)} ×)`
    const row = byCpu(found, what, 'bare node:http with the same queries', least(target), more)
    return [{ ...row, measured: 1 / row.measured }]
  }

export const me = read({
  control: 'me',
  path: () => '/api/auth/me',
  count: 2_500,
  what: '`GET /api/auth/me`, whole stack',
  target: 0.6,
})

export const classList = read({
  control: 'class-list',
  path: () => `/api/classes/${benchSchool('year').markedNow[0]?.group.id}/students`,
  count: 1_000,
  what: 'the 40 students of a class',
  target: 0.75,
})

export const trivial: Bench = async ({ pairs }) => {
  const [ours, hono] = [await startAlone('trivial'), await startProgram('hono-hello')]
  const requests = () => [get('/api/hello')]
  const found = await compare({ program: ours, requests }, { program: hono, requests }, { count: 5_000, connections: CONNECTIONS, pairs })
  return [byCpu(found, 'the whole middleware stack on a trivial route', 'Hono hello', most(2), bothSpeeds(found))]
}

export const bulk: Bench = async ({ pairs }) => {
  const ours = bulkOf(await serveSchool('year'), 300)
  const effort = { count: 300, connections: WRITERS, pairs, except: ['letter_grade', 'updated_at', 'updated_by'] }
  const found = await compare(ours, { ...ours, program: await startAlone('bulk') }, effort)
  const what = '`POST /api/grades/bulk` of 40, every commit on the disk'
  const more = ` (by CPU ${(1 / ratioOf(found, 'cpuMicros')).toFixed(2)} ×)`
  return [bySpeed(found, what, 'bare upsert server, every commit on the disk', least(0.35), more)]
}

export const central: Bench = async ({ pairs }) => {
  const [centre, school] = [await serveCentral('year'), await serveSchool('year')]
  const read = await compare(meOf(centre), meOf(school), { count: 1_500, connections: CONNECTIONS, pairs, except: ['avatar_url'] })
  const written = await compare(bulkOf(centre, 200), bulkOf(school, 200), { count: 200, connections: WRITERS, pairs })
  const control = 'the same on SQLite'
  return [bySpeed(read, 'central node: `me`', control, least(0.5)), bySpeed(written, 'central node: bulk of 40', control, least(0.6))]
}

/** Writes in the encrypted database of a laptop, against a plain one as at a school. */
export const encryptedWrite: Bench = async ({ pairs }) => {
  const program = await startProgram('tracked-write', await copyOfSchool('year'), await copyOfSchool('year'), 'encrypted')
  const found = await pairsIn<Spent>(program, pairs)
  const time = (rounds: readonly Spent[]) => `${medianOf(rounds, 'ms').toFixed(2)} ms`
  const more = `time ${time(found.ours)} / ${time(found.control)} (${ratioOf(found, 'ms').toFixed(2)} ×)`
  return [byCpu(found, 'a tracked write of 40 marks, encrypted', 'the same in a plain database', most(1.2), more)]
}

export const trackedWrite: Bench = async ({ pairs }) => {
  const found = await pairsIn<Spent>(await startProgram('tracked-write', await copyOfSchool('year'), await copyOfSchool('year')), pairs)
  const time = (rounds: readonly Spent[]) => `${medianOf(rounds, 'ms').toFixed(2)} ms`
  const more = `time ${time(found.ours)} / ${time(found.control)} (${ratioOf(found, 'ms').toFixed(2)} ×)`
  return [byCpu(found, 'a tracked write of 40 marks', 'the same 40 upserts in a plain transaction', most(2.5), more)]
}
