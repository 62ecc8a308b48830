import { and, asc, eq, inArray, isNotNull, lt, or } from 'drizzle-orm'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** Locked where the transaction writes: only one of two runners takes a job, and its row changes one step at a time. */
export const jobById = rowsBy('job', { school: 'school_id', id: 'id' }, { lock: true })

/** The waiting or running job that makes the same. */
export const jobThatMakes = rowsBy('job', { school: 'school_id', wanted: 'wanted' })

/** The number of waiting and running jobs, of all schools or of one. */
export const openJobs = ({ db, t }: ReadTx, school?: string): Promise<number> =>
  db.$count(t.job, and(inArray(t.job.status, ['queued', 'running']), school === undefined ? undefined : eq(t.job.school_id, school)))

/** The oldest job that waits, or whose runner let its lease expire. */
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
