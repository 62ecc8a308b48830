import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, type BenchRow, within } from '../bench-row.ts'
import { centralSchool } from '../central.ts'
import { type At, copyOfSchool } from '../fill.ts'
import { startMailServer } from '../mail-server.ts'
import { startServer } from '../processes.ts'
import { benchSchool } from '../school.ts'
import { end } from '../school-server.ts'
import { median, quantile } from '../statistics.ts'

const TRIES = 5_000

/** A mail server that keeps the code sent to each address. */
async function mailServer() {
  const codes = new Map<string, string>()
  const server = await startMailServer((address, text) => {
    const code = /\b\d{8}\b/.exec(text.slice(text.indexOf('\r\n\r\n')))?.[0]
    if (code) codes.set(address, code)
  })
  const codeOf = async (email: string) => {
    for (let tries = 0; tries < TRIES && !codes.has(email); tries += 1) await pause(2)
    return codes.get(email) ?? Promise.reject(new Error(`no code came to ${email}`))
  }
  return { codeOf, ...server }
}

/** The latency of a request in ms, with its connection. Throws where it is refused. */
async function timed(port: number, path: string, body: object): Promise<number> {
  const begun = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/otp/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
  return performance.now() - begun
}

async function measure(at: At, where: string): Promise<BenchRow[]> {
  const post = await mailServer()
  const env = { SMTP_URL: `smtp://127.0.0.1:${post.port}`, MAIL_FROM: 'marks@bench.example', BACKUPS: 'false', LOG_LEVEL: 'error' }
  const program = await startServer(at, env)
  const [asked, verified]: [number[], number[]] = [[], []]
  for (const { email } of benchSchool('year').teachers) {
    asked.push(await timed(program.port, 'send', { email }))
    verified.push(await timed(program.port, 'verify', { email, token: await post.codeOf(email) }))
  }
  await end({ program, ...('folder' in at && { folder: at.folder }) })
  await post.close()
  const shown = (times: readonly number[]) =>
    `p50 ${median(times).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms, max ${Math.max(...times).toFixed(0)} ms`
  return [
    {
      what: `a member signs in with a code from a mail, on ${where}, p50`,
      control: 'a limit',
      target: within(50, 'ms'),
      measured: median(verified),
      figure: `${verified.length} members, one after the other: the code taken in ${shown(verified)}; asked for in ${shown(asked)}`,
    },
  ]
}

/** How long a member waits for the server when she signs in. */
export const signInTime: Bench = async () => [
  ...(await measure({ folder: await copyOfSchool('year') }, 'SQLite')),
  ...(await measure({ url: await centralSchool('year') }, 'Postgres')),
]
