import type { Job } from '@markbook/shared/contract/jobs'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { FailureNotice, Notice, Progress } from '../../components/page.tsx'
import { fullName } from '../results/names.ts'
import type { ListedBook } from './kept-books.ts'
import styles from './reports.module.css'

const ASK_AGAIN_MS = 2_000
const isOver = (job: Job | null) => job?.status === 'done' || job?.status === 'failed'

/** A job as it goes on: the server tells; where its stream cannot be held, it is asked every two seconds. */
export function useJob(jobId: string): { job: Job | null; failure: unknown } {
  const [heard, setHeard] = useState<Job | null>(null)
  const [isDeaf, setDeaf] = useState(false)
  useEffect(() => {
    setHeard(null)
    setDeaf(false)
    const stream = new EventSource(`/api/jobs/${encodeURIComponent(jobId)}/events`)
    stream.onmessage = ({ data }: MessageEvent<string>) => {
      const job = JSON.parse(data) as Job
      setHeard(job)
      // The server ends the stream there; the browser would open it again and again.
      if (isOver(job)) stream.close()
    }
    stream.onerror = () => setDeaf(true)
    return () => stream.close()
  }, [jobId])
  const asked = useQuery({
    ...ask('jobs', 'get', { params: { id: jobId } }),
    enabled: isDeaf && !isOver(heard),
    refetchInterval: ({ state }) => (isOver(state.data ?? null) ? false : ASK_AGAIN_MS),
  })
  const job = isOver(heard) || !asked.data ? heard : asked.data
  return { job, failure: job ? null : asked.error }
}

/** How far the PDFs of a class are, and whose could not be made. */
export function JobProgress({ jobId, books, onClose }: { jobId: string; books: readonly ListedBook[]; onClose: () => void }) {
  const { t } = useTranslation(['reports', 'app'])
  const queries = useQueryClient()
  const { job, failure } = useJob(jobId)
  const over = isOver(job)
  useEffect(() => {
    if (over) void refresh(queries, ['reports', 'reportFiles'])
  }, [over, queries])
  if (!job) return <FailureNotice failure={failure} />
  if (!over) return <Progress label={t('pdfs.making')} done={job.done} total={job.total} />
  const nameOf = (id: string) => {
    const book = books.find((one) => one.id === id)
    return book ? `${fullName(book.student)}: ` : ''
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
                {nameOf(id)}
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
