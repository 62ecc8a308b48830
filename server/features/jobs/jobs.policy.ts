import { jobFailures } from '@markbook/shared/contract/jobs'
import { limits } from '@markbook/shared/limits'
import type { JobFailure, JobInput } from '@markbook/shared/tables/jobs'
import type { Row } from '@markbook/shared/tables/tables'
import type { SchoolCaller } from '../../http/caller.ts'
import type { Services } from '../../http/services.ts'
import { lockedNode } from '../../store/node.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { jobThatMakes, openJobs } from './jobs.queries.ts'

/** A step of a job: what it writes in one transaction with the job's progress, and what could not be done. Throws where the job is lost. */
export type Step = (write: (tx: WriteTx) => Promise<JobFailure | null>) => Promise<void>
/** Does the steps of a job that are still ahead, until `signal`; answers where the result is read. */
export type JobWork = (services: Omit<Services, 'jobs'>, job: Row<'job'>, working: { step: Step; signal: AbortSignal }) => Promise<string>

const RETRY_SECONDS = '60'

/**
 * Puts a job into the queue and answers its id; that of the job that makes the same already, where there is one. Whoever calls holds
 * the class, so two equal calls come one after the other. Throws 429 `jobs.too_many`.
 */
export async function startJob({ tx, caller }: { tx: WriteTx; caller: SchoolCaller }, input: JobInput): Promise<string> {
  const school = caller.school_id
  const wanted = [input.student_group_id, input.term_id, input.report_type, input.paper, ...(input.language ? [input.language] : [])].join(
    ' ',
  )
  const [same] = await jobThatMakes(tx, { school, wanted })
  if (same) return same.id
  // A person sees the jobs of their own school; how many there are of all is for the service to count.
  await tx.actAs(asSystem(caller.user_id))
  await lockedNode(tx, {})
  if ((await openJobs(tx, school)) >= limits.jobs.perSchool || (await openJobs(tx)) >= limits.jobs.inAll)
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
