import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, within } from '../bench-row.ts'
import { copyOfSchool } from '../fill.ts'
import { startMailServer } from '../mail-server.ts'
import { startServer } from '../processes.ts'
import { benchSchool } from '../school.ts'
import { end } from '../school-server.ts'
import { median } from '../statistics.ts'

const SENDS = 100_000
const NETWORKS = 50
const CONNECTIONS = 16
/** The time that the mail server takes for each mail, like a slow provider. */
const TAKES_MS = 1_000

/** A mail server that takes a second for each mail, and records when each address got one. */
async function slowMailServer() {
  const arrivals = new Map<string, number>()
  const server = await startMailServer(async (address) => {
    await pause(TAKES_MS)
    arrivals.set(address, performance.now())
  })
  return { arrivals, ...server }
}

async function send(port: number, email: string, from: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/otp/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ email }),
  })
  await response.arrayBuffer()
  return response.status
}

/** How long a teacher waits for a code while strangers ask for codes to invented addresses. */
export const strangers: Bench = async ({ pairs }) => {
  const post = await slowMailServer()
  const folder = await copyOfSchool('year')
  const env = {
    SMTP_URL: `smtp://127.0.0.1:${post.port}`,
    MAIL_FROM: 'marks@bench.example',
    TRUST_PROXY: 'local',
    BACKUPS: 'false',
    LOG_LEVEL: 'error',
  }
  const program = await startServer({ folder }, env)
  const statuses: Record<number, number> = {}
  let sent = 0
  const flood = async () => {
    while (sent < SENDS) {
      const number = sent
      sent += 1
      const status = await send(program.port, `invented${number}@nowhere.example`, `198.51.100.${number % NETWORKS}`)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  const drivers = Promise.all(Array.from({ length: CONNECTIONS }, flood))
  const waits: number[] = []
  for (const { email } of benchSchool('year').teachers.slice(0, pairs)) {
    while (sent < ((waits.length + 1) * SENDS) / (pairs + 1)) await pause(10)
    const asked = performance.now()
    await send(program.port, email, '192.0.2.1')
    while (!post.arrivals.has(email)) await pause(5)
    waits.push((post.arrivals.get(email) ?? Number.NaN) - asked)
  }
  await drivers
  await end({ program, folder })
  await post.close()
  const invented = [...post.arrivals.keys()].filter((email) => email.startsWith('invented')).length
  const said = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
  return [
    {
      what: `a teacher’s code, beside ${SENDS} sends to invented addresses from ${NETWORKS} addresses`,
      control: 'a limit',
      target: within(5, 's'),
      measured: Math.max(...waits) / 1_000,
      figure: `the slowest of ${waits.length}, median ${(median(waits) / 1_000).toFixed(2)} s; the mail server takes ${TAKES_MS / 1_000} s for each; answers ${said.join(', ')}; ${invented} of those mails left`,
    },
  ]
}
