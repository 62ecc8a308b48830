import { type Bench, bothFigures, least, most } from '../bench-row.ts'
import { copyOfSchool } from '../fill.ts'
import { compare } from '../measure.ts'
import { SECRET, startProgram } from '../processes.ts'
import { bulkRequests, get } from '../requests.ts'
import { benchSchool } from '../school.ts'
import { serveSchool, startControl, startControlAlone } from '../school-server.ts'

const CONNECTIONS = 16
/** One writes at a time; more who wait would only come to be turned away on a busy machine. */
const WRITERS = 4

type Read = { control: string; path: () => string; count: number; what: string; target: number }

/** One request again and again. */
const read =
  ({ control, path, count, what, target }: Read): Bench =>
  async ({ pairs }) => {
    const { program, folder, cookies } = await serveSchool('year')
    const bare = await startControl(control, folder)
    const requests = () => [get(path(), cookies.teacher)]
    const effort = { count, connections: CONNECTIONS, pairs, except: [] }
    const found = await compare({ program, requests }, { program: bare, requests }, effort)
    const figure = `${bothFigures(found)} (${found.speed.toFixed(2)} ×)`
    const bareHttp = 'bare node:http with the same queries, by CPU'
    return [{ what, control: bareHttp, target: least(target), measured: 1 / found.cpu, figure }]
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
  const ours = await startProgram('trivial', await copyOfSchool('year', 'trivial'), SECRET)
  const hono = await startProgram('hono-hello')
  const requests = () => [get('/api/hello')]
  const effort = { count: 5_000, connections: CONNECTIONS, pairs }
  const found = await compare({ program: ours, requests }, { program: hono, requests }, effort)
  return [
    {
      what: 'the whole middleware stack on a trivial route',
      control: 'Hono hello, by CPU',
      target: most(2),
      measured: found.cpu,
      figure: bothFigures(found),
    },
  ]
}

export const bulk: Bench = async ({ pairs }) => {
  const { program, cookies } = await serveSchool('year')
  const bare = await startControlAlone('bulk')
  const requests = () => bulkRequests('year', cookies.teacher, 300)
  const effort = { count: 300, connections: WRITERS, pairs, except: ['letter_grade', 'updated_at', 'updated_by'] }
  const found = await compare({ program, requests }, { program: bare, requests }, effort)
  return [
    {
      what: '`POST /api/grades/bulk` of 40, every commit on the disk',
      control: 'bare upsert server, every commit on the disk, by requests a second',
      target: least(0.35),
      measured: found.speed,
      figure: `${bothFigures(found)} (by CPU ${(1 / found.cpu).toFixed(2)} ×)`,
    },
  ]
}
