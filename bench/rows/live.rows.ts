import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, type BenchRow, within } from '../bench-row.ts'
import { emptyCentre, invitation } from '../central.ts'
import { copyOfSchool } from '../fill.ts'
import { type Program, SECRET, startProgram, startServer } from '../processes.ts'
import { signIn } from '../requests.ts'
import { benchSchool, type Marked } from '../school.ts'
import { quantile } from '../statistics.ts'

const SIZE = 'marks'
/** Saves in each direction; the last of a hundred is the p99. */
const SAVES = 100
const INTERVAL_MS = 3
const TIMEOUT_MS = 30_000

type End = { program: Program; cookie: string }
type Saved = { saveMs: number; seenMs: number }

const school = benchSchool(SIZE)
const { assessments, pupils } = school.markedNow[0] as Marked

async function ask({ program, cookie }: End, method: string, path: string, body?: object): Promise<string> {
  const headers = { cookie, ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(`http://127.0.0.1:${program.port}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 300)}`)
  return text
}

/** Saves a mark at one end, and polls the other end until it arrives. */
async function savedAt(from: End, to: End, round: number): Promise<Saved> {
  const [assessment, pupil] = [assessments[round % 8] as { id: string }, pupils[round % pupils.length] as { id: string }]
  // A value that no earlier round had: the same mark again would be no change.
  const score = (2_010 + 25 * round) / 100
  const begun = performance.now()
  await ask(from, 'POST', '/api/grades/bulk', { assessmentId: assessment.id, grades: [{ studentId: pupil.id, score }] })
  const saveMs = performance.now() - begun
  for (;;) {
    const grades = JSON.parse(await ask(to, 'GET', `/api/grades?assessmentId=${assessment.id}`)) as { student_id: string; score: number }[]
    if (grades.some((grade) => grade.student_id === pupil.id && grade.score === score)) break
    if (performance.now() - begun > TIMEOUT_MS) throw new Error('a mark did not come within half a minute')
    await pause(INTERVAL_MS)
  }
  return { saveMs, seenMs: performance.now() - begun }
}

function rowsOf(way: string, saved: readonly Saved[]): BenchRow[] {
  const [seen, saves] = [saved.map(({ seenMs }) => seenMs), saved.map(({ saveMs }) => saveMs)]
  const row = (share: number, target: number): BenchRow => ({
    what: `a mark saved at the ${way}, p${share * 100}`,
    control: 'the save alone',
    target: within(target, 'ms'),
    measured: quantile(seen, share),
    figure: `${quantile(seen, share).toFixed(0)} ms / ${quantile(saves, share).toFixed(0)} ms, of ${saved.length}`,
  })
  return [row(0.5, 100), row(0.99, 1_000)]
}

/** Two servers on one machine, each with a year of history; the other end is polled every few milliseconds. */
export const live: Bench = async () => {
  const [url, folder] = [await emptyCentre(), await copyOfSchool(SIZE)]
  const centre = await startServer({ url })
  const child = await startProgram('child', folder, SECRET)
  await child.ask('join', await invitation(url, centre.port, null))
  await child.ask('rounds', 2)
  await child.stop()
  const atSchool: End = { cookie: (await signIn(SIZE, { folder })).head, program: await startServer({ folder }) }
  const atCentre: End = { cookie: (await signIn(SIZE, { url })).head, program: centre }
  // Time for the child to connect to its parent.
  await pause(5_000)
  const [up, down]: [Saved[], Saved[]] = [[], []]
  for (let round = 0; round < SAVES + 5; round += 1) {
    const sent = await savedAt(atSchool, atCentre, 2 * round)
    const fetched = await savedAt(atCentre, atSchool, 2 * round + 1)
    if (round < 5) continue
    up.push(sent)
    down.push(fetched)
  }
  return [...rowsOf('school, seen at the centre', up), ...rowsOf('centre, seen at the school', down)]
}
