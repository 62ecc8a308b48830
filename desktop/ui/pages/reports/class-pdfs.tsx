import type { Job } from '@markbook/shared/contract/jobs'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, queryClient, refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CloseButton, Dialog, InfoDialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { FailureNotice, Notice, Progress } from '../../components/page.tsx'
import { sentenceOf } from '../../words/failure.ts'
import { nameOf } from '../../words/names.ts'
import { type BookScope, booksRequest, type ListedBook } from './book-queries.ts'
import type { PdfCount } from './book-standing.ts'
import styles from './reports.module.css'

const POLL_MS = 2_000
const isFinished = (job: Job | null | undefined) => job?.status === 'done' || job?.status === 'failed'

/** Follows a job by its event stream, or by polling where the stream fails. */
function useJob(jobId: string): { job: Job | null; failure: unknown } {
  const [hasStreamFailed, setHasStreamFailed] = useState(false)
  const polled = useQuery({
    ...ask('jobs', 'get', { params: { id: jobId } }),
    enabled: ({ state }) => hasStreamFailed && !isFinished(state.data),
    refetchInterval: POLL_MS,
  })
  useEffect(() => {
    setHasStreamFailed(false)
    const stream = new EventSource(`/api/jobs/${encodeURIComponent(jobId)}/events`)
    stream.onmessage = ({ data }: MessageEvent<string>) => {
      const job = JSON.parse(data) as Job
      queryClient.setQueryData(ask('jobs', 'get', { params: { id: jobId } }).queryKey, job)
      // The server ends the stream of a finished job; the browser would open it again and again.
      if (isFinished(job)) stream.close()
    }
    stream.onerror = () => setHasStreamFailed(true)
    return () => stream.close()
  }, [jobId])
  return { job: polled.data ?? null, failure: polled.data ? null : polled.error }
}

/** The progress of the PDFs of a class, with the failures. */
export function JobProgress({ jobId, books, onClose }: { jobId: string; books: readonly ListedBook[]; onClose: () => void }) {
  const { t } = useTranslation(['reports', 'app'])
  const { job, failure } = useJob(jobId)
  const over = isFinished(job)
  useEffect(() => {
    if (over) void refresh(['reports', 'reportFiles'])
  }, [over])
  if (!job) return <FailureNotice failure={failure} />
  if (!over) return <Progress label={t('pdfs.making')} done={job.done} total={job.total} />
  // The job itself may be among its failures, and is no PDF.
  const made = job.done - job.failures.filter(({ id }) => id !== job.id).length
  return (
    <Notice tone={job.status === 'failed' ? 'bad' : job.failures.length > 0 ? 'warn' : 'good'}>
      <div>
        <p>{t('pdfs.made', { count: made })}</p>
        <JobFailures job={job} books={books} />
      </div>
      <Button size="small" onClick={onClose}>
        {t('app:action.close')}
      </Button>
    </Notice>
  )
}

/** Why books have no new PDF, or why the job stopped. */
function JobFailures({ job, books }: { job: Job; books: readonly ListedBook[] }) {
  const { t } = useTranslation('app')
  if (job.failures.length === 0) return null
  const prefixOf = (id: string) => {
    const book = books.find((one) => one.id === id)
    return book ? `${t('label', { label: nameOf(book.student) })} ` : ''
  }
  return (
    <ul className={styles['plain']}>
      {job.failures.map((failure) => (
        <li key={`${failure.id} ${failure.message}`}>
          {prefixOf(failure.id)}
          {sentenceOf(failure)}
        </li>
      ))}
    </ul>
  )
}

type Props = { of: BookScope; books: readonly ListedBook[]; count: PdfCount; download: () => Promise<unknown>; onClose: () => void }

/** Where PDFs of a class are outdated or missing: make them first, or download as they are. */
export function OutdatedPdfsDialog({ of, books, count, download, onClose }: Props) {
  const { t } = useTranslation(['reports', 'app'])
  const [job, setJob] = useState<string | null>(null)
  const downloading = useMutation({ mutationFn: download, onSuccess: onClose })
  const remake = useMutation({
    mutationFn: async () => {
      if (count.behind > 0) await client.reports.generate({ body: booksRequest(of).query })
      return client.reportFiles.generatePdfs({ body: booksRequest(of).query })
    },
    onSuccess: ({ job_id }) => setJob(job_id),
    onSettled: () => refresh(['reports', 'history']),
  })
  const isAny = count.current + count.older + count.sentOlder > 0
  const { older, none, behind, sentOlder, sentNone, all } = count
  const canRemake = older + none > 0
  const facts: readonly (string | false)[] = [
    older > 0 && t('papers.older', { count: older, all }),
    behind > 0 && t('papers.behind', { count: behind }),
    none > 0 && t('papers.none', { count: none }),
    sentOlder > 0 && t('papers.sentOlder', { count: sentOlder }),
    sentNone > 0 && t('papers.sentNone', { count: sentNone }),
  ]
  if (job) return <RegenerateDialog jobId={job} books={books} download={download} onClose={onClose} />
  return (
    <Dialog title={t('papers.title')} onClose={onClose}>
      <Notice tone="warn">
        <ul className={styles['plain']}>{facts.map((fact): ReactNode => fact && <li key={fact}>{fact}</li>)}</ul>
      </Notice>
      <FailureNotice failure={remake.error ?? downloading.error} />
      <Actions>
        <CloseButton />
        {isAny && (
          <Button
            look={canRemake ? 'plain' : 'primary'}
            busy={downloading.isPending}
            busyWord={t('papers.fetching')}
            onClick={() => downloading.mutate()}
          >
            {t('papers.asTheyAre')}
          </Button>
        )}
        {canRemake && (
          <Button look="primary" busy={remake.isPending} busyWord={t('pdfs.making')} onClick={() => remake.mutate()}>
            {t('papers.remake')}
          </Button>
        )}
      </Actions>
    </Dialog>
  )
}

type RegenerateProps = Pick<Props, 'books' | 'download' | 'onClose'> & { jobId: string }

/** Shows the progress of the PDFs, and downloads them when all are made. */
function RegenerateDialog({ jobId, books, download, onClose }: RegenerateProps) {
  const { t } = useTranslation(['reports', 'app'])
  const { job, failure } = useJob(jobId)
  const downloading = useMutation({ mutationFn: download, onSuccess: onClose })
  const { mutate } = downloading
  const isDone = job?.status === 'done'
  const hasFailed = job?.status === 'failed'
  useEffect(() => {
    if (!isDone) return
    void refresh(['reports', 'reportFiles'])
    mutate()
  }, [isDone, mutate])
  return (
    <InfoDialog title={t('papers.title')} onClose={onClose}>
      {isDone && <p role="status">{t('papers.fetching')}</p>}
      {!isDone && !hasFailed && <Progress label={t('pdfs.making')} done={job?.done ?? 0} total={job?.total ?? 0} />}
      <FailureNotice failure={failure ?? downloading.error} />
      {hasFailed && (
        <Notice tone="bad">
          <div>
            <p>{t('papers.notMade')}</p>
            <JobFailures job={job} books={books} />
          </div>
        </Notice>
      )}
    </InfoDialog>
  )
}
