import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Id, row } from './scalars.ts'

/**
 * Work that takes longer than a request. `done` of `total` items are finished, failed ones included. `failures` name each item that
 * failed, and why, in a sentence; in a job that is `failed` the last one says why the job stopped. The result is read from `result_url`.
 */
export const Job = row('Job', {
  id: Id,
  status: choice(['queued', 'running', 'done', 'failed']),
  done: z.int(),
  total: z.int(),
  result_url: z.string().nullable(),
  failures: z.array(z.object({ id: Id, message: z.string() })),
})
export type Job = z.infer<typeof Job>

export const jobFailures = failures('jobs', {
  tooMany: [429, 'Too many documents are being made already. Please try again in a few minutes.'],
  tooManyListeners: [429, 'You are following too many jobs at once. Close some of the pages.'],
})

const WHO = 'For whoever started it, and for administrators.'

export const jobs = {
  get: endpoint('GET /api/jobs/:id', 'staff', 'Read how far a job is', {
    who: WHO,
    notes: 'A job is forgotten a week after it ended.',
    reply: Job,
  }),
  events: endpoint('GET /api/jobs/:id/events', 'staff', 'Follow a job until it ends', {
    who: WHO,
    notes: 'The first event comes at once, then one for every change; after that of a job that is done or failed the stream ends.',
    reply: 'events',
    event: Job,
    fails: ['jobs.too_many_listeners'],
  }),
}
