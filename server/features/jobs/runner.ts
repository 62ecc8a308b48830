import { toInstant } from '@markbook/shared/clock'
import { jobReasons } from '@markbook/shared/contract/jobs'
import { common, Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { JobFailure } from '@markbook/shared/tables/jobs'
import type { Row } from '@markbook/shared/tables/tables'
import type { Services } from '../../http/services.ts'
import { matches } from '../../store/conditions.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { type JobWork, jobFailure, type Reason, type Step } from './jobs.policy.ts'
import { jobById, jobsEndedBefore, nextJob } from './jobs.queries.ts'

export type Job = Row<'job'>
/** The function for each kind of job. */
export type WorkByKind = Readonly<Record<Job['kind'], JobWork>>
type Working = { runner: string; workByKind: WorkByKind; signal: AbortSignal; tell: () => void }
type Own = Omit<Services, 'jobs'>

/** Another runner has the job now, or it was deleted: this one stops and writes nothing more. */
class LeaseLost extends Error {}

const leaseFrom = (tx: WriteTx) => toInstant(tx.nowMs + limits.jobs.leaseMs)
const patch = (tx: WriteTx, { school_id, id }: Job, values: Partial<Job>) =>
  tx.local.update(tx.t.job).set(values).where(matches(tx.t.job, { school_id, id }))

const ended = (tx: WriteTx, status: 'done' | 'failed', failures: JobFailure[]): Partial<Job> => ({
  status,
  failures,
  wanted: null,
  ended_at: tx.now,
  runner: null,
  leased_until: null,
})

/** Takes the next job for a runner; ends a job that was taken too often. Null where nothing waits. */
export const takeJob = ({ store }: Own, runner: string): Promise<Job | null> =>
  store.write(asSystem(), async (tx) => {
    for (;;) {
      const [next] = await nextJob(tx, { now: tx.now })
      if (!next) return null
      if (next.taken < limits.jobs.attempts) {
        const values = { status: 'running' as const, runner, leased_until: leaseFrom(tx), taken: next.taken + 1 }
        await patch(tx, next, values)
        return { ...next, ...values }
      }
      await patch(tx, next, ended(tx, 'failed', [...next.failures, jobFailure(next.id, jobReasons.interrupted)]))
    }
  })

/** A job that this runner still holds; undefined where the lease expired and another took it, or it was deleted. */
async function ownJob(tx: WriteTx, { school_id, id }: Job, runner: string): Promise<Job | undefined> {
  const [job] = await jobById(tx, { school: school_id, id })
  return job?.runner === runner ? job : undefined
}

/** Runs a job until it ends or is interrupted. Never throws: failures are written to the job and the log. */
export async function runJob(services: Own, job: Job, working: Working): Promise<void> {
  const { store, log } = services
  const renewal = setInterval(() => {
    const renewed = store.write(asSystem(), async (tx) => {
      const own = await ownJob(tx, job, working.runner)
      if (own) await patch(tx, own, { leased_until: leaseFrom(tx) })
    })
    renewed.catch((error: unknown) => log.warn({ job: job.id, err: error }, 'the lease of a job could not be renewed'))
  }, limits.jobs.leaseMs / 3).unref()
  try {
    const step: Step = async (write) => {
      await store.write(asSystem(job.created_by), async (tx) => {
        const own = await ownJob(tx, job, working.runner)
        if (!own) throw new LeaseLost()
        const failure = await write(tx)
        const failures = failure ? [...own.failures, failure] : own.failures
        await patch(tx, own, { done: own.done + 1, failures, leased_until: leaseFrom(tx) })
      })
      working.tell()
    }
    const result_url = await working.workByKind[job.kind](services, job, { step, signal: working.signal })
    if (working.signal.aborted) return
    await endJob(services, job, working, (now) => ({ result_url: now.failures.length < now.total ? result_url : null }))
  } catch (error) {
    if (error instanceof LeaseLost || working.signal.aborted) return
    if (!(error instanceof Failure)) log.error({ job: job.id, err: error }, 'a job failed')
    const failure = jobFailure(job.id, reasonOf(error))
    await endJob(services, job, working, (now) => ({ failures: [...now.failures, failure], status: 'failed' })).catch((lost: unknown) =>
      log.error({ job: job.id, err: lost }, 'the end of a job could not be written; it is taken up again'),
    )
  } finally {
    clearInterval(renewal)
  }
}

/** `storage_full` says that nothing was saved, and here the first items were. */
function reasonOf(error: unknown): Reason {
  if (!(error instanceof Failure)) return jobReasons.failed
  return error.code === common.storageFull().code ? jobReasons.storageFull : error
}

const endJob = ({ store }: Own, job: Job, { runner }: Working, outcome: (now: Job) => Partial<Job>): Promise<void> =>
  store.write(asSystem(), async (tx) => {
    const now = await ownJob(tx, job, runner)
    if (!now) return
    const { status = 'done', failures = now.failures, result_url = null } = outcome(now)
    const isEmpty = failures.length >= now.total
    await patch(tx, now, { ...ended(tx, isEmpty || status === 'failed' ? 'failed' : 'done', failures), result_url })
  })

/** Returns a job to the queue, as if it had not been taken. */
export const releaseJob = ({ store }: Own, job: Job, runner: string): Promise<void> =>
  store.write(asSystem(), async (tx) => {
    const now = await ownJob(tx, job, runner)
    if (now?.status === 'running') await patch(tx, now, { status: 'queued', runner: null, leased_until: null, taken: now.taken - 1 })
  })

export const forgetEndedJobs = ({ store, log }: Own): Promise<void> =>
  store
    .write(asSystem(), async (tx) => {
      const old = await jobsEndedBefore(tx, { before: toInstant(tx.nowMs - limits.jobs.retentionMs) })
      for (const { school_id, id } of old) await tx.local.delete(tx.t.job).where(matches(tx.t.job, { school_id, id }))
    })
    .catch((error: unknown) => log.warn({ err: error }, 'old jobs could not be forgotten'))
