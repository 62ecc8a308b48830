import { type Job, jobFailures, jobs } from '@markbook/shared/contract/jobs'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onEvents } from '../../http/handler.ts'
import type { Services } from '../../http/services.ts'
import { asSystem } from '../../store/tx.ts'
import type { PolicyContext } from '../policy.ts'
import { jobById } from './jobs.queries.ts'

const shown = ({ id, status, done, total, result_url, failures }: Row<'job'>): Job => ({ id, status, done, total, result_url, failures })
const isOver = ({ status }: Job) => status === 'done' || status === 'failed'

/** A job of the caller's school: 404 where it is absent or foreign, 403 where it is another person's and the caller no administrator. */
async function jobOf({ tx, caller }: PolicyContext, id: string): Promise<Row<'job'>> {
  const [job] = await jobById(tx, { school: caller.school_id, id })
  if (!job) throw common.notFound()
  if (job.created_by !== caller.user_id && caller.role !== 'admin') throw common.forbidden()
  return job
}

type Followed = { job: Row<'job'>; userId: string }

/** The job now and after every change, until it ends or the client disconnects. */
async function* follow({ store, jobs: own }: Services, { job, userId }: Followed, signal: AbortSignal): AsyncGenerator<Job> {
  if (!own.join(userId)) throw jobFailures.tooManyListeners()
  let last = ''
  try {
    for (let row: Row<'job'> | undefined = job; row && !signal.aborted; ) {
      const now = shown(row)
      const text = JSON.stringify(now)
      if (text !== last) yield now
      last = text
      if (isOver(now) || own.isStopping) return
      await own.changed(job.id, limits.jobs.progressCheckEveryMs, signal)
      row = (await store.read(asSystem(userId), (tx) => jobById(tx, { school: job.school_id, id: job.id })))[0]
    }
  } finally {
    own.leave(userId)
  }
}

export const jobHandlers: Handlers<typeof jobs> = {
  get: on(jobs.get, {
    load: (context, { params }) => jobOf(context, params.id),
    run: async (_context, _input, job) => shown(job),
  }),

  events: onEvents(jobs.events, {
    load: async (context, { params }) => ({ job: await jobOf(context, params.id), userId: context.caller.user_id }),
    follow,
  }),
}
