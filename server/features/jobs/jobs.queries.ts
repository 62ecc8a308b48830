import { and, asc, count, eq, inArray, isNotNull, lt, or } from 'drizzle-orm'
import { rowsBy, statement } from '../../store/statement.ts'

/** Locked where the transaction writes: only one of two runners takes a job, and its row changes one step at a time. */
export const jobById = rowsBy('job', { school: 'school_id', id: 'id' }, { lock: true })

/** The job that makes the same, while it waits or runs. */
export const jobThatMakes = rowsBy('job', { school: 'school_id', wanted: 'wanted' })

const open = ['queued', 'running'] as const
export const openJobsOf = statement<{ school: string }>()(({ db, t, p }) =>
  db
    .select({ count: count() })
    .from(t.job)
    .where(and(eq(t.job.school_id, p.school), inArray(t.job.status, [...open]))),
)
export const openJobs = statement<Record<never, never>>()(({ db, t }) =>
  db
    .select({ count: count() })
    .from(t.job)
    .where(inArray(t.job.status, [...open])),
)

/** The oldest job that waits, or whose runner has not been heard of in time. */
export const nextJob = statement<{ now: string }>({ lock: 'job' })(({ db, t, p }) =>
  db
    .select()
    .from(t.job)
    .where(or(eq(t.job.status, 'queued'), and(eq(t.job.status, 'running'), lt(t.job.leased_until, p.now))))
    .orderBy(asc(t.job.created_at), asc(t.job.id))
    .limit(1),
)

export const jobsEndedBefore = statement<{ before: string }>()(({ db, t, p }) =>
  db
    .select({ school_id: t.job.school_id, id: t.job.id })
    .from(t.job)
    .where(and(isNotNull(t.job.ended_at), lt(t.job.ended_at, p.before)))
    .limit(1_000),
)
