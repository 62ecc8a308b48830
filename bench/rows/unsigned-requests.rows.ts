import { nodeKeys } from '@markbook/server/replication/identity/keys'
import { setPeer } from '@markbook/server/store/peer-row'
import { asSystem } from '@markbook/server/store/tx'
import { type Bench, type BenchRow, within } from '../bench-row.ts'
import { copyOfSchool, withStore } from '../fill.ts'
import { during } from '../measure.ts'
import { SECRET, startProgram, startServer } from '../processes.ts'
import type { Body, Flood, Flooded } from '../programs/unsigned-requests.ts'
import { benchSchool } from '../school.ts'
import { end } from '../school-server.ts'
import { enrol } from '../small-schools.ts'
import { median, medianOf } from '../statistics.ts'

const SECONDS = 5
const CONNECTIONS = 16
const MB = 1_048_576

const WHAT: Record<Body, string> = {
  packed: '29 KB that unpack to 29 MB, to `/sync/push`',
  endless: 'a body without end, to `/sync/push`',
}

/** A server with a child in a session: without one it refuses such requests at once. */
async function withChild() {
  const folder = await copyOfSchool('year')
  const ids = await withStore({ folder }, async (store) => {
    const { peer } = await store.write(asSystem(), async (tx) => {
      const enrolled = await enrol(tx, benchSchool('year').id, 'Laptop')
      await setPeer(tx, enrolled.peer, { session_nonce: 'of its session' })
      return enrolled
    })
    return { peer, parent: `${store.nodeId} ${nodeKeys(SECRET, store.nodeId).publicKey}` }
  })
  return { folder, ...ids, program: await startServer({ folder }) }
}

/**
 * The cost of unsigned requests, and the latency of `/healthz` meanwhile. `named`: they name a real enrolment, which somebody could read
 * from a line without HTTPS; then the server reads their body up to its limit and hashes it before it finds the signature wrong.
 */
export const unsignedRequests: Bench = async ({ pairs }) => {
  const ours = await withChild()
  const loader = await startProgram('unsigned-requests')
  const { port } = ours.program
  const flood = async (kind: Body, peer: string | null, seconds = SECONDS, connections = CONNECTIONS) => {
    const asked: Flood = { port, kind, peer, parent: ours.parent, seconds, connections }
    const { result, cpuMicros, grownBytes } = await during(ours.program, () => loader.ask<Flooded>('flood', asked))
    return { ...result, cpuMs: cpuMicros / 1_000 / result.requests, grownMb: grownBytes / MB }
  }
  type Round = Awaited<ReturnType<typeof flood>>
  const rows: BenchRow[] = []
  for (const kind of ['packed', 'endless'] as const)
    for (const peer of [ours.peer, null]) {
      await flood(kind, peer, 2)
      const [alone, many]: [Round[], Round[]] = [[], []]
      for (let pair = 0; pair < pairs; pair += 1) {
        alone.push(await flood(kind, peer, 2, 1))
        many.push(await flood(kind, peer))
      }
      const grown = (rounds: Round[]) => `memory grew by ${medianOf(rounds, 'grownMb').toFixed(1)} MB`
      const sent = median(alone.map(({ sent, requests }) => sent / requests / 1_024))
      const what = `${WHAT[kind]}, of ${peer ? 'somebody who names an enrolment' : 'somebody unknown'}`
      const statuses = Object.entries(many[0]?.statuses ?? {}).map(([status, count]) => `${count} × ${status}`)
      rows.push(
        {
          what: `${what}: CPU of one`,
          control: 'a limit',
          target: within(5, 'ms'),
          measured: medianOf(alone, 'cpuMs'),
          figure: `${sent.toFixed(0)} KB of each let in; ${grown(alone)}`,
        },
        {
          what: `${what}: p99 of \`/healthz\` beside ${CONNECTIONS} at once`,
          control: 'a limit',
          target: within(50, 'ms'),
          measured: medianOf(many, 'p99'),
          figure: `${(medianOf(many, 'requests') / SECONDS).toFixed(0)} of them a second (${statuses.join(', ')}); ${grown(many)}`,
        },
      )
    }
  await end(ours)
  return rows
}
