import { Counter, collectDefaultMetrics, Gauge, type GaugeConfiguration, Histogram, Registry } from 'prom-client'
import type { Store } from '../store/store.ts'
import type { Connections } from './connections.ts'
import type { Limiter } from './limiter.ts'

/** The metrics at /metrics, one set for each server. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `markbook_${name}`, help, labelNames, registers })
  return {
    registry,
    requests: new Histogram({
      name: 'markbook_request_seconds',
      help: 'Time to answer a request, by route, method and status',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    refusals: counter('refusals_total', 'Requests refused, by code', 'code'),
    mailQueue: new Gauge({ name: 'markbook_mail_queue', help: 'Mails that wait to leave', registers }),
    mailFailing: new Gauge({
      name: 'markbook_mail_failing',
      help: '1 while no mail can leave: the mail server is away or refuses us',
      registers,
    }),
    turnedAway: counter(
      'turned_away_total',
      'Requests turned away before they were begun, because there was too much to do, by lane and reason',
      'lane',
      'reason',
    ),
    endings: counter(
      'connections_ended_total',
      'Connections that were not taken or were closed for the sake of others, by reason',
      'reason',
    ),
    watchLoad: ({ lanes }: Limiter, connections: Connections) => {
      const by = (field: 'active' | 'waiting') => () => Object.values(lanes).map((lane) => [{ lane: lane.name }, lane[field]] as const)
      read(registry, 'requests_in_work', 'Requests in work, by lane', ['lane'], by('active'))
      read(registry, 'requests_waiting', 'Requests that wait to be begun, by lane', ['lane'], by('waiting'))
      const bytes: Values = () => [[{}, connections.bytes]]
      read(registry, 'bytes_under_way', 'Bytes of large bodies being sent and of replies not yet read', [], bytes)
      read(registry, 'connections', 'Open connections', [], () => [[{}, connections.open]])
    },
  }
}
export type Metrics = ReturnType<typeof createMetrics>

type Values = () => readonly (readonly [Record<string, string>, number])[]

/** A metric that is computed at each request to /metrics. */
function read(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly string[],
  values: Values,
  Kind: new (options: Omit<GaugeConfiguration<string>, 'collect'> & { collect: () => void }) => Pick<Gauge, 'reset' | 'inc'> = Gauge,
) {
  const collect = () => {
    figure.reset()
    for (const [labels, value] of values()) figure.inc(labels, value)
  }
  const figure = new Kind({ name: `markbook_${name}`, help, labelNames: [...labelNames], registers: [registry], collect })
}

/** Transactions: number, time, waiting, refusals and retries; slots in use. */
export function watchStore({ registry }: Metrics, store: Store) {
  const places = (field: 'places' | 'inside' | 'waiting') => () =>
    Object.entries(store.load().places).map(([place, load]) => [{ place }, load[field]] as const)
  read(registry, 'db_places', 'Transactions that may run at once', ['place'], places('places'))
  read(registry, 'db_inside', 'Transactions that run', ['place'], places('inside'))
  read(registry, 'db_waiting', 'Transactions that wait for a place', ['place'], places('waiting'))
  const tallies =
    (field: 'count' | 'ms' | 'waitedMs' | 'refused' | 'retried', unit = 1): Values =>
    () => {
      const { reads, writes } = store.load()
      return [
        [{ kind: 'read' }, reads[field] / unit],
        [{ kind: 'write' }, writes[field] / unit],
      ]
    }
  const total = (name: string, help: string, values: Values) => read(registry, `db_${name}`, help, ['kind'], values, Counter)
  total('transactions_total', 'Transactions ended', tallies('count'))
  total('seconds_total', 'Time in transactions', tallies('ms', 1_000))
  total('wait_seconds_total', 'Time that transactions waited for a place', tallies('waitedMs', 1_000))
  total('refused_total', 'Transactions refused because too many waited, or this one for too long', tallies('refused'))
  total('retried_total', 'Transactions run again because another was in their way', tallies('retried'))
}

/** Memory, CPU, garbage collection, event loop lag and age. Call once a process. */
export function watchProcess({ registry }: Metrics) {
  collectDefaultMetrics({ register: registry })
  // `process_start_time_seconds` is wrong where the clock was wrong at the start.
  read(registry, 'up_seconds', 'For how long the server has run, whatever the clock said meanwhile', [], () => [[{}, process.uptime()]])
}
