import { randomUUID } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import { limits } from '@markbook/shared/limits'
import { concurrencyLimit } from '../../http/concurrency-limit.ts'
import type { Services } from '../../http/services.ts'
import type { Jobs } from './jobs.ts'
import { forgetEndedJobs, releaseJob, runJob, takeJob, type WorkByKind } from './runner.ts'

/** Jobs are looked for only after `checkEveryMs`; queuing a job wakes the runner. */
export function openJobs(services: Omit<Services, 'jobs'>, workByKind: WorkByKind): Jobs {
  const runner = randomUUID()
  const stopping = new AbortController()
  const waiting = new Map<string, Set<() => void>>()
  const listeners = concurrencyLimit({ perUser: limits.jobs.streamsPerUser, all: limits.jobs.streamsTotal })
  let turn: Promise<void> | null = null
  let again = false

  const tell = (jobId: string) => {
    for (const hear of waiting.get(jobId) ?? []) hear()
  }
  const work = async () => {
    do {
      again = false
      for (let job = await takeJob(services, runner); job; job = await takeJob(services, runner)) {
        tell(job.id)
        await runJob(services, job, { runner, workByKind, signal: stopping.signal, tell: () => tell(job?.id ?? '') })
        tell(job.id)
        if (stopping.signal.aborted) return releaseJob(services, job, runner)
      }
    } while (again && !stopping.signal.aborted)
  }
  const wake = () => {
    if (stopping.signal.aborted) return
    again = true
    turn ??= work()
      .catch((error: unknown) => services.log.error({ err: error }, 'jobs stopped; they are looked for again'))
      .finally(() => {
        turn = null
      })
  }
  const timers: NodeJS.Timeout[] = []

  return {
    look: () => {
      timers.push(
        setInterval(wake, limits.jobs.checkEveryMs).unref(),
        setInterval(() => void forgetEndedJobs(services), limits.jobs.sweepEveryMs).unref(),
      )
      wake()
    },
    wake,
    changed: async (jobId, ms, signal) => {
      const ended = new AbortController()
      const hear = () => ended.abort()
      const hearers = waiting.get(jobId) ?? new Set()
      waiting.set(jobId, hearers.add(hear))
      try {
        await after(ms, undefined, { signal: AbortSignal.any([signal, stopping.signal, ended.signal]) }).catch(() => {})
      } finally {
        hearers.delete(hear)
        if (hearers.size === 0) waiting.delete(jobId)
      }
    },
    join: (userId) => listeners.enter(userId) === null,
    leave: (userId) => listeners.leave(userId),
    get isStopping() {
      return stopping.signal.aborted
    },
    stopping: stopping.signal,
    idle: async () => {
      while (turn) await turn
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      stopping.abort()
      await turn
    },
  }
}
