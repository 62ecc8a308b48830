import { sql } from 'drizzle-orm'
import type { DocumentLanguage } from '../domain/document-language.ts'
import type { Columns } from './columns.sqlite.ts'

const jobKinds = ['report_pdfs'] as const
const jobStatuses = ['queued', 'running', 'done', 'failed'] as const

/** The reports of which a job makes PDFs, in this order; the first `done` of them are finished. */
export type JobInput = {
  student_group_id: string
  term_id: string
  report_type: 'term' | 'year_end'
  paper: 'A4' | 'Letter'
  /** Absent: the school's language. */
  language?: DocumentLanguage
  reports: string[]
}
/** `code` is absent in rows of older programs. */
export type JobFailure = { id: string; message: string; code?: string }

/**
 * Work that outlives its request (docs/design/reports.md). `runner` holds the job until `leased_until`; after that another runner
 * continues it. `wanted` identifies the result while the job is queued or running, so that at most one job makes the same. Never leaves
 * its node.
 */
export const job = (c: Columns) =>
  c.ofSchool('reporting', 'job', {
    columns: {
      kind: c.choice(jobKinds).notNull(),
      status: c.choice(jobStatuses).notNull(),
      wanted: c.text(),
      input: c.json<JobInput>().notNull(),
      done: c.int().notNull(),
      total: c.int().notNull(),
      result_url: c.text(),
      failures: c.json<JobFailure[]>().notNull(),
      created_by: c.uuid().notNull(),
      created_at: c.instant().notNull(),
      ended_at: c.instant(),
      runner: c.uuid(),
      leased_until: c.instant(),
      taken: c.int().notNull(),
    },
    rules: (t) => [
      c.unique('job_once', [t.school_id, t.wanted]),
      c.index('job_waiting', t.status, t.created_at),
      c.index('job_ended', t.ended_at),
      c.check('job_kind', sql`${t.kind} in ('report_pdfs')`),
      c.check('job_status', sql`${t.status} in ('queued', 'running', 'done', 'failed')`),
    ],
  })
