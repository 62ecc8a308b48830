import { type Bench, bothFigures, most } from '../bench-row.ts'
import { compare, expectSameReply } from '../measure.ts'
import { classTermRequests, classYearRequests, post } from '../requests.ts'
import { benchSchool } from '../school.ts'
import { end, type Serving, serveCentral, serveSchool, startControl, startControlAlone } from '../school-server.ts'

const CONNECTIONS = 4
const computed = ({ program, cookies, forget }: Serving, size: 'year' | 'big') => {
  const requests = classTermRequests(size, cookies.head)
  return { program, requests: () => requests, before: forget }
}

export const classTerm: Bench = {
  name: 'class-term',
  async run({ pairs }) {
    const ours = await serveSchool('year')
    const naive = await startControl('class-term', ours.folder)
    const requests = classTermRequests('year', ours.cookies.head)
    const [first = ''] = requests
    // The naive average is in floating point: where a hundredth differs, so may a place.
    await expectSameReply({ program: ours.program, request: first }, { program: naive, request: first }, ['position'])
    const control = { program: naive, requests: () => requests }
    const fresh = await compare(computed(ours, 'year'), control, { count: requests.length, connections: CONNECTIONS, pairs })
    const again = await compare({ program: ours.program, requests: () => requests }, control, {
      count: requests.length * 4,
      connections: CONNECTIONS,
      pairs,
    })
    await end({ program: naive }, ours)
    const named = 'naive join read with `.all()`, by CPU'
    return [
      { what: '`class-term`, computed', control: named, target: most(0.5), measured: fresh.cpu, figure: bothFigures(fresh) },
      { what: '`class-term`, unchanged', control: named, target: most(0.05), measured: again.cpu, figure: bothFigures(again) },
    ]
  },
}

export const largeSchool: Bench = {
  name: 'large-school',
  async run({ pairs }) {
    const effort = { count: 51, connections: CONNECTIONS, pairs }
    const [big, year] = [await serveSchool('big'), await serveSchool('year')]
    const local = await compare(computed(big, 'big'), computed(year, 'year'), effort)
    await end(big, year)
    const [centralBig, centralYear] = [await serveCentral('big'), await serveCentral('year')]
    const central = await compare(computed(centralBig, 'big'), computed(centralYear, 'year'), { ...effort, connections: 1 })
    await end(centralBig, centralYear)
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
  },
}

export const classYear: Bench = {
  name: 'class-year',
  async run({ pairs }) {
    const ours = await serveSchool('year')
    const requests = classYearRequests('year', ours.cookies.head)
    const year = { program: ours.program, requests: () => requests, before: ours.forget }
    const found = await compare(year, computed(ours, 'year'), { count: requests.length, connections: CONNECTIONS, pairs })
    await end(ours)
    return [{ what: '`class-year`', control: '`class-term`, by CPU', target: most(3.3), measured: found.cpu, figure: bothFigures(found) }]
  },
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

export const generate: Bench = {
  name: 'generate',
  async run({ pairs }) {
    const ours = await serveSchool('year')
    const naive = await startControlAlone('generate')
    const count = Math.floor(51 / (pairs + 1))
    const [mine, theirs] = [newReports(ours.cookies.head, count), newReports('', count)]
    const found = await compare(
      { program: ours.program, requests: mine },
      { program: naive, requests: theirs },
      { count, connections: 1, pairs, warmUps: 1 },
    )
    await end({ program: naive }, ours)
    return [
      {
        what: '`reports/generate` for a class of 40, the first time',
        control: 'naive results, and upserts of the same rows, by CPU',
        target: most(0.6),
        measured: found.cpu,
        figure: bothFigures(found),
      },
    ]
  },
}
