import { jobFailures } from '@markbook/shared/contract/jobs'
import { limits } from '@markbook/shared/limits'
import type { JobFailure, JobInput } from '@markbook/shared/tables/jobs'
import type { Row } from '@markbook/shared/tables/tables'
import type { SchoolCaller } from '../../http/caller.ts'
import type { Services } from '../../http/services.ts'
import { lockedNode } from '../../store/node.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { jobThatMakes, openJobs } from './jobs.queries.ts'

/** Why an item, or the job itself, failed: a failure, or one of `jobReasons`. */
export type Reason = { code: string; message: string }
export const jobFailure = (id: string, { code, message }: Reason): JobFailure => ({ id, message, code })

/**
 * One step of a job: `write` writes in one transaction with the job's progress, and returns the failure of the step, if any. Throws where
 * another runner has taken the job.
 */
export type Step = (write: (tx: WriteTx) => Promise<JobFailure | null>) => Promise<void>
/** Runs the remaining steps of a job, until `signal`; returns the URL of the result. */
export type JobWork = (services: Omit<Services, 'jobs'>, job: Row<'job'>, working: { step: Step; signal: AbortSignal }) => Promise<string>

const RETRY_SECONDS = '60'

/**
 * Queues a job and returns its id, or that of an open job that makes the same. The caller has locked the class, so concurrent equal calls
 * run one after the other. Throws 429 `jobs.too_many`.
 */
export async function startJob({ tx, caller }: { tx: WriteTx; caller: SchoolCaller }, input: JobInput): Promise<string> {
  const school = caller.school_id
  const wanted = [input.student_group_id, input.term_id, input.report_type, input.paper, ...(input.language ? [input.language] : [])].join(
    ' ',
  )
  const [same] = await jobThatMakes(tx, { school, wanted })
  if (same) return same.id
  // A person sees only the jobs of their own school; only the service can count all.
  await tx.actAs(asSystem(caller.user_id))
  await lockedNode(tx, {})
  if ((await openJobs(tx, school)) >= limits.jobs.perSchool || (await openJobs(tx)) >= limits.jobs.total)
    throw jobFailures.tooMany({ headers: { 'retry-after': RETRY_SECONDS } })
  const id = tx.newId()
  await tx.local.insert(tx.t.job).values({
    id,
    school_id: school,
    kind: 'report_pdfs',
    status: 'queued',
    wanted,
    input,
    done: 0,
    total: input.reports.length,
    result_url: null,
    failures: [],
    created_by: caller.user_id,
    created_at: tx.now,
    ended_at: null,
    runner: null,
    leased_until: null,
    taken: 0,
  })
  return id
}
