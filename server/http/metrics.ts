import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The figures at /metrics, one set a server. */
export function createMetrics() {
  const registry = new Registry()
  const requests = new Histogram({
    name: 'markbook_request_seconds',
    help: 'Time to answer a request, by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  const refusals = new Counter({
    name: 'markbook_refusals_total',
    help: 'Requests refused, by code',
    labelNames: ['code'],
    registers: [registry],
  })
  const mailQueue = new Gauge({ name: 'markbook_mail_queue', help: 'Mails that wait to leave', registers: [registry] })
  const mailFailing = new Gauge({
    name: 'markbook_mail_failing',
    help: '1 while no mail can leave: the mail server is away or refuses us',
    registers: [registry],
  })
  return { registry, requests, refusals, mailQueue, mailFailing }
}
export type Metrics = ReturnType<typeof createMetrics>
