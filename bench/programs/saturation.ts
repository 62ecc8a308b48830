import { flood, goodput, quantile, saturate, served } from '@markbook/server/testing/load'
import { serveCommands } from '../program.ts'

/** Several loopback addresses, as of several devices in a building. */
const spread = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']

/** The load for a server: `perSecond` requests a second, sent without waiting for replies; null for as many as it can answer. */
export type Drive = { port: number; requests: readonly string[]; seconds: number; connections: number; perSecond: number | null }
/**
 * Requests a second that were served in time (`good`) and refused; all that were served; connections that failed (`missed`); latencies in
 * ms.
 */
export type Driven = { good: number; served: number; refused: number; other: number; missed: number; p50: number; p99: number }

async function drive({ port, requests, seconds, connections, perSecond }: Drive): Promise<Driven> {
  const round = { target: { port, spread }, connections, seconds, requests }
  const { shots, missed } = perSecond === null ? { shots: await saturate(round), missed: 0 } : await flood({ ...round, perSecond })
  const good = served(shots)
  const refused = shots.filter(({ status }) => status === 503).length
  return {
    good: goodput(shots, 0, seconds * 1_000),
    served: good.length,
    refused: refused / seconds,
    other: shots.length - good.length - refused,
    missed,
    p50: quantile(good, 0.5),
    p99: quantile(good, 0.99),
  }
}

serveCommands({ drive })
