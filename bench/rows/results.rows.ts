import { type Bench, bothSpeeds, byCpu, most } from '../bench-row.ts'
import { compare } from '../measure.ts'
import { load } from '../processes.ts'
import { classTermRequests, classYearRequests, post, touchRequest } from '../requests.ts'
import { benchSchool } from '../school.ts'
import { end, type Serving, serveCentral, serveSchool, startAlone, startOn } from '../school-server.ts'
import { medianOf, ratioOf } from '../statistics.ts'

const CONNECTIONS = 4
/** Before each round a mark changes, so that the server has no kept result. */
const computed = ({ program, cookies, size }: Serving<object>, requestsOf = classTermRequests) => {
  const requests = requestsOf(size, cookies.head)
  const before = () => load({ port: program.port, connections: 1, count: 1, requests: [touchRequest(size, cookies.head)] })
  return { program, requests: () => requests, before }
}

export const classTerm: Bench = async ({ pairs }) => {
  const ours = await serveSchool('year')
  const all = classTermRequests('year', ours.cookies.head)
  const requests = () => all
  const control = { program: await startOn(ours.folder, 'class-term'), requests }
  // The naive average uses floating point: it may differ by a hundredth, and so may the position.
  const effort = { count: all.length, connections: CONNECTIONS, pairs, except: ['position'] }
  const fresh = await compare(computed(ours), control, effort)
  const again = await compare({ program: ours.program, requests }, control, { ...effort, count: all.length * 4 })
  const named = 'naive join read with `.all()`'
  return [
    byCpu(fresh, '`class-term`, computed', named, most(0.5), bothSpeeds(fresh)),
    byCpu(again, '`class-term`, unchanged', named, most(0.05), bothSpeeds(again)),
  ]
}

export const largeSchool: Bench = async ({ pairs }) => {
  const effort = { count: 51, connections: CONNECTIONS, pairs }
  const [big, year] = [await serveSchool('big'), await serveSchool('year')]
  const local = await compare(computed(big), computed(year), effort)
  await end(big, year)
  const [centralBig, centralYear] = [await serveCentral('big'), await serveCentral('year')]
  const central = await compare(computed(centralBig), computed(centralYear), { ...effort, connections: 1 })
  const [p50OnBig, p50OnYear] = [medianOf(central.ours, 'p50'), medianOf(central.control, 'p50')]
  return [
    byCpu(local, '`class-term` on *big*, SQLite', 'on *year*', most(1.25), bothSpeeds(local)),
    {
      what: '`class-term` on *big*, Postgres',
      control: 'on *year*, by time',
      target: most(1.25),
      measured: ratioOf(central, 'p50'),
      figure: `${p50OnBig.toFixed(1)} ms / ${p50OnYear.toFixed(1)} ms; node's CPU ${ratioOf(central, 'cpuMicros').toFixed(2)} ×`,
    },
  ]
}

export const classYear: Bench = async ({ pairs }) => {
  const ours = await serveSchool('year')
  const year = computed(ours, classYearRequests)
  const found = await compare(year, computed(ours), { count: year.requests().length, connections: CONNECTIONS, pairs })
  return [byCpu(found, '`class-year`', '`class-term`', most(3.3), bothSpeeds(found))]
}

/** Requests to generate the reports of classes for the first time; each round takes other classes. */
function newReports(cookie: string, size: number) {
  let at = 0
  const all = benchSchool('year').markedNow.map(({ group, term }) =>
    post('/api/reports/generate', cookie, { studentGroupId: group.id, termId: term.id, reportType: 'term' }),
  )
  return () => {
    at += size
    if (at > all.length) throw new Error('every report was generated already: ask for fewer pairs')
    return all.slice(at - size, at)
  }
}

export const generate: Bench = async ({ pairs }) => {
  const ours = await serveSchool('year')
  const naive = await startAlone('generate')
  const count = Math.floor(51 / (pairs + 1))
  const found = await compare(
    { program: ours.program, requests: newReports(ours.cookies.head, count) },
    { program: naive, requests: newReports('', count) },
    { count, connections: 1, pairs, warmUps: 1 },
  )
  const what = '`reports/generate` for a class of 40, the first time'
  return [byCpu(found, what, 'naive results, and upserts of the same rows', most(0.6), bothSpeeds(found))]
}
