import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, bothFigures, least, within } from '../bench-row.ts'
import { compare } from '../measure.ts'
import { startProgram } from '../processes.ts'
import { bulkRequests, get } from '../requests.ts'
import { end, type Serving, serveCentral, serveSchool } from '../school-server.ts'
import { median } from '../statistics.ts'

const CONNECTIONS = 16
const WRITERS = 4

export const central: Bench = async ({ pairs }) => {
  const [centre, school] = [await serveCentral('year'), await serveSchool('year')]
  const me = ({ program, cookies }: Serving<object>) => ({ program, requests: () => [get('/api/auth/me', cookies.teacher)] })
  const write = ({ program, cookies }: Serving<object>) => ({ program, requests: () => bulkRequests('year', cookies.teacher, 200) })
  const read = await compare(me(centre), me(school), { count: 1_500, connections: CONNECTIONS, pairs, except: ['avatar_url'] })
  const written = await compare(write(centre), write(school), { count: 200, connections: WRITERS, pairs })
  const control = 'the same on SQLite, by requests a second'
  return [
    { what: 'central node: `me`', control, target: least(0.5), measured: read.speed, figure: bothFigures(read) },
    { what: 'central node: bulk of 40', control, target: least(0.6), measured: written.speed, figure: bothFigures(written) },
  ]
}

const MEGABYTE = 1_048_576
const rest = () => pause(3_000)

export const start: Bench = async ({ pairs }) => {
  const [readyMs, rss]: [number[], number[]] = [[], []]
  for (let round = 0; round < pairs; round += 1) {
    const school = await serveSchool('year')
    readyMs.push(school.program.readyMs)
    await rest()
    rss.push((await school.program.usage()).rssBytes)
    await end(school)
  }
  const hello = await startProgram('node-hello')
  await rest()
  const { rssBytes } = await hello.usage()
  return [
    {
      what: 'start to ready',
      control: 'node hello',
      target: within(2, 's'),
      measured: median(readyMs) / 1_000,
      figure: `node hello ${hello.readyMs.toFixed(0)} ms`,
    },
    {
      what: 'memory at rest',
      control: 'node hello',
      target: within(120, 'MB'),
      measured: median(rss) / MEGABYTE,
      figure: `node hello ${(rssBytes / MEGABYTE).toFixed(0)} MB`,
    },
  ]
}
