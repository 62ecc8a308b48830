import { type Bench, bothFigures, least, most } from '../bench-row.ts'
import { copyOfSchool } from '../fill.ts'
import { compare, expectSameReply } from '../measure.ts'
import { startProgram } from '../processes.ts'
import { bulkRequests, get, SECRET } from '../requests.ts'
import { benchSchool } from '../school.ts'
import { end, serveSchool, startControl, startControlAlone } from '../school-server.ts'

const CONNECTIONS = 16
/** One writes at a time; more who wait would only come to be turned away on a busy machine. */
const WRITERS = 4

type Read = { name: string; path: () => string; count: number; what: string; target: number }

/** One request again and again, against the control of the same name. */
const read = ({ name, path, count, what, target }: Read): Bench => ({
  name,
  async run({ pairs }) {
    const ours = await serveSchool('year')
    const bare = await startControl(name, ours.folder)
    const request = get(path(), ours.cookies.teacher)
    await expectSameReply({ program: ours.program, request }, { program: bare, request })
    const requests = () => [request]
    const effort = { count, connections: CONNECTIONS, pairs }
    const found = await compare({ program: ours.program, requests }, { program: bare, requests }, effort)
    await end({ program: bare }, ours)
    const control = 'bare node:http with the same queries, by CPU'
    const figure = `${bothFigures(found)} (${found.speed.toFixed(2)} ×)`
    return [{ what, control, target: least(target), measured: 1 / found.cpu, figure }]
  },
})

export const me = read({
  name: 'me',
  path: () => '/api/auth/me',
  count: 2_500,
  what: '`GET /api/auth/me`, whole stack',
  target: 0.6,
})

export const classList = read({
  name: 'class-list',
  path: () => `/api/classes/${benchSchool('year').markedNow[0]?.group.id}/students`,
  count: 1_000,
  what: 'the 40 students of a class',
  target: 0.75,
})

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

export const bulk: Bench = {
  name: 'bulk',
  async run({ pairs }) {
    const ours = await serveSchool('year')
    const bare = await startControlAlone('bulk')
    const requests = () => bulkRequests('year', ours.cookies.teacher, 300)
    const [first = ''] = requests()
    const unlike = ['letter_grade', 'updated_at', 'updated_by']
    await expectSameReply({ program: ours.program, request: first }, { program: bare, request: first }, unlike)
    const effort = { count: 300, connections: WRITERS, pairs }
    const found = await compare({ program: ours.program, requests }, { program: bare, requests }, effort)
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
