import type { Job } from '@markbook/shared/contract/jobs'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { FailureNotice, Notice, Progress } from '../../components/page.tsx'
import { nameOf } from '../../words/names.ts'
import type { ListedBook } from './book-queries.ts'
import styles from './reports.module.css'

const POLL_MS = 2_000
const isFinished = (job: Job | null) => job?.status === 'done' || job?.status === 'failed'

/** Follows a job by its event stream, or by polling where the stream fails. */
export function useJob(jobId: string): { job: Job | null; failure: unknown } {
  const [streamed, setStreamed] = useState<Job | null>(null)
  const [hasStreamFailed, setHasStreamFailed] = useState(false)
  useEffect(() => {
    setStreamed(null)
    setHasStreamFailed(false)
    const stream = new EventSource(`/api/jobs/${encodeURIComponent(jobId)}/events`)
    stream.onmessage = ({ data }: MessageEvent<string>) => {
      const job = JSON.parse(data) as Job
      setStreamed(job)
      // The server ends the stream there; the browser would open it again and again.
      if (isFinished(job)) stream.close()
    }
    stream.onerror = () => setHasStreamFailed(true)
    return () => stream.close()
  }, [jobId])
  const polled = useQuery({
    ...ask('jobs', 'get', { params: { id: jobId } }),
    enabled: hasStreamFailed && !isFinished(streamed),
    refetchInterval: ({ state }) => (isFinished(state.data ?? null) ? false : POLL_MS),
  })
  const job = isFinished(streamed) || !polled.data ? streamed : polled.data
  return { job, failure: job ? null : polled.error }
}

/** Progress of the PDFs of a class, and the failures. */
export function JobProgress({ jobId, books, onClose }: { jobId: string; books: readonly ListedBook[]; onClose: () => void }) {
  const { t } = useTranslation(['reports', 'app'])
  const queries = useQueryClient()
  const { job, failure } = useJob(jobId)
  const over = isFinished(job)
  useEffect(() => {
    if (over) void refresh(queries, ['reports', 'reportFiles'])
  }, [over, queries])
  if (!job) return <FailureNotice failure={failure} />
  if (!over) return <Progress label={t('pdfs.making')} done={job.done} total={job.total} />
  const prefixOf = (id: string) => {
    const book = books.find((one) => one.id === id)
    return book ? `${nameOf(book.student)}: ` : ''
  }
  const made = job.done - job.failures.length
  return (
    <Notice tone={job.status === 'failed' ? 'bad' : job.failures.length > 0 ? 'warn' : 'good'}>
      <div>
        <p>{t('pdfs.made', { count: Math.max(0, made) })}</p>
        {job.failures.length > 0 && (
          <ul className={styles['plain']}>
            {job.failures.map(({ id, message }) => (
              <li key={`${id} ${message}`}>
                {prefixOf(id)}
                {message}
              </li>
            ))}
          </ul>
        )}
      </div>
      <Button size="small" onClick={onClose}>
        {t('app:action.close')}
      </Button>
    </Notice>
  )
}
