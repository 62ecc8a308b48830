import { copyOfSchool } from '../fill.ts'
import { type Bench, bothFigures, least, most } from '../finding.ts'
import { bodyOf, compare } from '../measure.ts'
import { startProgram } from '../processes.ts'
import { bulkRequests, get, SECRET } from '../requests.ts'
import { demandSame } from '../same.ts'
import { benchSchool } from '../school.ts'
import { end, serveSchool, startControl, startControlAlone } from '../school-server.ts'

const CONNECTIONS = 16
/** One writes at a time; more who wait would only come to be turned away on a busy machine. */
const WRITERS = 4

async function againstBare(control: string, path: string) {
  const ours = await serveSchool('year')
  const bare = await startControl(control, ours.folder)
  const request = get(path, ours.cookies.teacher)
  demandSame(await bodyOf(ours.program, request), await bodyOf(bare, request))
  return { ours, bare, requests: () => [request] }
}

export const me: Bench = {
  name: 'me',
  async run({ pairs }) {
    const { ours, bare, requests } = await againstBare('me', '/api/auth/me')
    const found = await compare(
      { program: ours.program, requests },
      { program: bare, requests },
      { count: 2_500, connections: CONNECTIONS, pairs },
    )
    await end({ program: bare }, ours)
    return [
      {
        what: '`GET /api/auth/me`, whole stack',
        control: 'bare node:http with the same queries, by CPU',
        target: least(0.6),
        measured: 1 / found.cpu,
        figure: `${bothFigures(found)} (${found.speed.toFixed(2)} ×)`,
      },
    ]
  },
}

export const trivial: Bench = {
  name: 'trivial',
  async run({ pairs }) {
    const ours = await startProgram('trivial', await copyOfSchool('year', 'trivial'), SECRET)
    const hono = await startProgram('hono-hello')
    const requests = () => [get('/api/hello')]
    const effort = { count: 5_000, connections: CONNECTIONS, pairs }
    const found = await compare({ program: ours, requests }, { program: hono, requests }, effort)
    await end({ program: ours }, { program: hono })
    return [
      {
        what: 'the whole middleware stack on a trivial route',
        control: 'Hono hello, by CPU',
        target: most(2),
        measured: found.cpu,
        figure: bothFigures(found),
      },
    ]
  },
}

export const classList: Bench = {
  name: 'class-list',
  async run({ pairs }) {
    const group = benchSchool('year').markedNow[0]?.group.id
    const { ours, bare, requests } = await againstBare('class-list', `/api/classes/${group}/students`)
    const found = await compare(
      { program: ours.program, requests },
      { program: bare, requests },
      { count: 1_000, connections: CONNECTIONS, pairs },
    )
    await end({ program: bare }, ours)
    return [
      {
        what: 'the 40 students of a class',
        control: 'bare node:http with the same queries, by CPU',
        target: least(0.75),
        measured: 1 / found.cpu,
        figure: `${bothFigures(found)} (${found.speed.toFixed(2)} ×)`,
      },
    ]
  },
}

export const bulk: Bench = {
  name: 'bulk',
  async run({ pairs }) {
    const ours = await serveSchool('year')
    const bare = await startControlAlone('bulk')
    const asked = () => bulkRequests('year', ours.cookies.teacher, 300)
    const [first = ''] = asked()
    const unlike = ['letter_grade', 'updated_at', 'updated_by']
    demandSame(await bodyOf(ours.program, first), await bodyOf(bare, first), unlike)
    const found = await compare(
      { program: ours.program, requests: asked },
      { program: bare, requests: asked },
      { count: 300, connections: WRITERS, pairs },
    )
    await end({ program: bare }, ours)
    return [
      {
        what: '`POST /api/grades/bulk` of 40, every commit on the disk',
        control: 'bare upsert server, every commit on the disk, by requests a second',
        target: least(0.35),
        measured: found.speed,
        figure: `${bothFigures(found)} (by CPU ${(1 / found.cpu).toFixed(2)} ×)`,
      },
    ]
  },
}
