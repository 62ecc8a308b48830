import { request } from 'node:http'
import { emptyCentre } from '../central.ts'
import { copyOfSchool, dropCopy } from '../fill.ts'
import { type Bench, type Finding, within } from '../finding.ts'
import { invitation } from '../joining.ts'
import { type Program, startProgram, startServer } from '../processes.ts'
import { SECRET, signIn } from '../requests.ts'
import { benchSchool, type Marked } from '../school.ts'
import { SIZE } from './copy.rows.ts'

/** Saves each way; the last of a hundred is the p99. */
const SAVES = 100
const LOOK = 3
const PATIENCE = 30_000

type End = { program: Program; cookie: string }
type Saved = { saveMs: number; seenMs: number }

const school = benchSchool(SIZE)
const { assessments, pupils } = school.markedNow[0] as Marked
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function ask({ program, cookie }: End, method: string, path: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { cookie, ...(body && { 'content-type': 'application/json' }) }
    const asked = request({ host: '127.0.0.1', port: program.port, method, path, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const text = Buffer.concat(parts).toString()
        if (response.statusCode && response.statusCode < 300) resolve(text)
        else reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${text.slice(0, 300)}`))
      })
    })
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}

/** A mark saved at one end, and looked for at the other until it is there. */
async function savedAt(from: End, to: End, round: number): Promise<Saved> {
  const [assessment, pupil] = [assessments[round % 8] as { id: string }, pupils[round % pupils.length] as { id: string }]
  // Another than any before: the same mark again would be no change, and there at once.
  const score = (2_010 + 25 * round) / 100
  const begun = performance.now()
  await ask(from, 'POST', '/api/grades/bulk', { assessmentId: assessment.id, grades: [{ studentId: pupil.id, score }] })
  const saveMs = performance.now() - begun
  for (;;) {
    const grades = JSON.parse(await ask(to, 'GET', `/api/grades?assessmentId=${assessment.id}`)) as { student_id: string; score: number }[]
    if (grades.some((grade) => grade.student_id === pupil.id && grade.score === score)) break
    if (performance.now() - begun > PATIENCE) throw new Error('a mark did not come within half a minute')
    await pause(LOOK)
  }
  return { saveMs, seenMs: performance.now() - begun }
}

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] as number

function rowsOf(way: string, saved: readonly Saved[]): Finding[] {
  const [seen, saves] = [saved.map(({ seenMs }) => seenMs), saved.map(({ saveMs }) => saveMs)]
  const row = (share: number, target: number): Finding => ({
    what: `a mark saved at the ${way}, p${share * 100}`,
    control: 'the save alone',
    target: within(target, 'ms'),
    measured: quantile(seen, share),
    figure: `${quantile(seen, share).toFixed(0)} ms / ${quantile(saves, share).toFixed(0)} ms, of ${saved.length}`,
  })
  return [row(0.5, 100), row(0.99, 1_000)]
}

/** Two servers as they are shipped, each with a year of history, on one machine; the other end is asked every few milliseconds. */
export const live: Bench = {
  name: 'live',
  async run() {
    const [url, folder] = [await emptyCentre('live'), await copyOfSchool(SIZE, 'live')]
    const centre = await startServer({ DATABASE_URL: url, SESSION_SECRET: SECRET })
    const child = await startProgram('child', folder, SECRET)
    await child.ask({ join: await invitation(url, centre.port, null) }, 'joined')
    await child.ask({ rounds: 2 }, 'round')
    await child.stop()
    const { head: schoolCookie } = await signIn(SIZE, { folder })
    const own = await startServer({ DATA_DIR: folder, SESSION_SECRET: SECRET })
    const { head: centreCookie } = await signIn(SIZE, { url })
    // It finds its parent and listens.
    await pause(5_000)
    const [atSchool, atCentreEnd]: [End, End] = [
      { program: own, cookie: schoolCookie },
      { program: centre, cookie: centreCookie },
    ]
    const [up, down]: [Saved[], Saved[]] = [[], []]
    for (let round = 0; round < SAVES + 5; round += 1) {
      const sent = await savedAt(atSchool, atCentreEnd, 2 * round)
      const fetched = await savedAt(atCentreEnd, atSchool, 2 * round + 1)
      if (round < 5) continue
      up.push(sent)
      down.push(fetched)
    }
    await own.stop()
    await centre.stop()
    dropCopy(folder)
    return [...rowsOf('school, seen at the centre', up), ...rowsOf('centre, seen at the school', down)]
  },
}
