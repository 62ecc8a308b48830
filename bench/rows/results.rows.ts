import { type Bench, bothFigures, most } from '../bench-row.ts'
import { compare } from '../measure.ts'
import { load } from '../processes.ts'
import { classTermRequests, classYearRequests, post, touchRequest } from '../requests.ts'
import { benchSchool } from '../school.ts'
import { end, type Serving, serveCentral, serveSchool, startControl, startControlAlone } from '../school-server.ts'

const CONNECTIONS = 4
/** Each round begins without a result that the server keeps. */
const computed = ({ program, cookies, size }: Serving<object>, requestsOf = classTermRequests) => {
  const requests = requestsOf(size, cookies.head)
  const before = () => load({ port: program.port, connections: 1, count: 1, requests: [touchRequest(size, cookies.head)] })
  return { program, requests: () => requests, before }
}

export const classTerm: Bench = async ({ pairs }) => {
  const ours = await serveSchool('year')
  const naive = await startControl('class-term', ours.folder)
  const all = classTermRequests('year', ours.cookies.head)
  const requests = () => all
  const control = { program: naive, requests }
  // The naive average is in floating point: where a hundredth differs, so may a place.
  const effort = { count: all.length, connections: CONNECTIONS, pairs, except: ['position'] }
  const fresh = await compare(computed(ours), control, effort)
  const again = await compare({ program: ours.program, requests }, control, { ...effort, count: all.length * 4 })
  const named = 'naive join read with `.all()`, by CPU'
  return [
    { what: '`class-term`, computed', control: named, target: most(0.5), measured: fresh.cpu, figure: bothFigures(fresh) },
    { what: '`class-term`, unchanged', control: named, target: most(0.05), measured: again.cpu, figure: bothFigures(again) },
  ]
}

export const largeSchool: Bench = async ({ pairs }) => {
  const effort = { count: 51, connections: CONNECTIONS, pairs }
  const [big, year] = [await serveSchool('big'), await serveSchool('year')]
  const local = await compare(computed(big), computed(year), effort)
  await end(big, year)
  const [centralBig, centralYear] = [await serveCentral('big'), await serveCentral('year')]
  const central = await compare(computed(centralBig), computed(centralYear), { ...effort, connections: 1 })
  const time = `${central.ours.p50.toFixed(1)} ms / ${central.control.p50.toFixed(1)} ms; node's CPU ${central.cpu.toFixed(2)} ×`
  return [
    {
      what: '`class-term` on *big*, SQLite',
      control: 'on *year*, by CPU',
      target: most(1.25),
      measured: local.cpu,
      figure: bothFigures(local),
    },
    { what: '`class-term` on *big*, Postgres', control: 'on *year*, by time', target: most(1.25), measured: central.p50, figure: time },
  ]
}

export const classYear: Bench = async ({ pairs }) => {
  const ours = await serveSchool('year')
  const year = computed(ours, classYearRequests)
  const found = await compare(year, computed(ours), { count: year.requests().length, connections: CONNECTIONS, pairs })
  return [{ what: '`class-year`', control: '`class-term`, by CPU', target: most(3.3), measured: found.cpu, figure: bothFigures(found) }]
}

/** Classes whose reports are generated for the first time: no two rounds ask for the same. */
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
  const naive = await startControlAlone('generate')
  const count = Math.floor(51 / (pairs + 1))
  const [mine, theirs] = [newReports(ours.cookies.head, count), newReports('', count)]
  const found = await compare(
    { program: ours.program, requests: mine },
    { program: naive, requests: theirs },
    { count, connections: 1, pairs, warmUps: 1 },
  )
  return [
    {
      what: '`reports/generate` for a class of 40, the first time',
      control: 'naive results, and upserts of the same rows, by CPU',
      target: most(0.6),
      measured: found.cpu,
      figure: bothFigures(found),
    },
  ]
}
