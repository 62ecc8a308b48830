import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Id, row } from './scalars.ts'

/**
 * Work that takes longer than a request. `done` of `total` items are finished, failed ones included. `failures` name each item that
 * failed, and why, in a sentence and by the `code` of a failure or of `jobReasons` (absent in jobs of older programs); where the job
 * itself stopped, the last one has the id of the job. The result is read from `result_url`.
 */
export const Job = row('Job', {
  id: Id,
  status: choice(['queued', 'running', 'done', 'failed']),
  done: z.int(),
  total: z.int(),
  result_url: z.string().nullable(),
  failures: z.array(z.object({ id: Id, message: z.string(), code: z.string().optional() })),
})
export type Job = z.infer<typeof Job>

export const jobFailures = failures('jobs', {
  tooMany: [429, 'Too many documents are being made already. Please try again in a few minutes.'],
  tooManyListeners: [429, 'You are following too many jobs at once. Close some of the pages.'],
})

/** Why an item failed, or the job itself, where no request is refused so. */
export const jobReasons = {
  interrupted: { code: 'jobs.interrupted', message: 'This was interrupted too often. Please start it again.' },
  failed: { code: 'jobs.failed', message: 'Something went wrong on the server. Please start it again.' },
  storageFull: { code: 'jobs.storage_full', message: 'The disk of the server is full, so the rest was not made.' },
  reportGone: { code: 'jobs.report_gone', message: 'This report was deleted, or is of another class now.' },
  notDrawn: { code: 'jobs.not_drawn', message: 'This report card could not be drawn.' },
} as const

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
