import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { FailureNotice, Notice, Progress } from '../../components/page.tsx'
import { type BookScope, booksRequest } from './book-queries.ts'
import type { PdfCount } from './book-standing.ts'
import { useJob } from './job-progress.tsx'
import styles from './reports.module.css'

type Props = { of: BookScope; count: PdfCount; download: () => Promise<unknown>; onClose: () => void }

/** Some PDFs of a class are old or missing: they are made first, or downloaded as they are. */
export function OutdatedPdfsDialog({ of, count, download, onClose }: Props) {
  const { t } = useTranslation(['reports', 'app'])
  const queries = useQueryClient()
  const [job, setJob] = useState<string | null>(null)
  const downloading = useMutation({ mutationFn: download, onSuccess: onClose })
  const remake = useMutation({
    mutationFn: async () => {
      if (count.behind > 0) await client.reports.generate({ body: booksRequest(of).query })
      return client.reportFiles.generatePdfs({ body: booksRequest(of).query })
    },
    onSuccess: ({ job_id }) => setJob(job_id),
    onSettled: () => refresh(queries, ['reports', 'history']),
  })
  const isAny = count.current + count.older + count.sentOlder > 0
  const canRemake = count.older + count.none > 0
  if (job) return <RegenerateDialog jobId={job} download={download} onClose={onClose} />
  return (
    <Dialog open title={t('papers.title')} onClose={onClose}>
      <PdfCounts count={count} />
      <FailureNotice failure={remake.error ?? downloading.error} />
      <Actions>
        <Button onClick={onClose}>{t('app:action.cancel')}</Button>
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

function PdfCounts({ count: { older, none, behind, sentOlder, sentNone, all } }: { count: PdfCount }) {
  const { t } = useTranslation('reports')
  const facts: readonly (string | false)[] = [
    older > 0 && t('papers.older', { count: older, all }),
    behind > 0 && t('papers.behind', { count: behind }),
    none > 0 && t('papers.none', { count: none }),
    sentOlder > 0 && t('papers.sentOlder', { count: sentOlder }),
    sentNone > 0 && t('papers.sentNone', { count: sentNone }),
  ]
  return (
    <Notice tone="warn">
      <ul className={styles['plain']}>{facts.map((fact): ReactNode => fact && <li key={fact}>{fact}</li>)}</ul>
    </Notice>
  )
}

/** Shows the progress of the PDFs, and downloads them at the end. */
function RegenerateDialog({ jobId, download, onClose }: { jobId: string; download: () => Promise<unknown>; onClose: () => void }) {
  const { t } = useTranslation(['reports', 'app'])
  const queries = useQueryClient()
  const { job, failure } = useJob(jobId)
  const downloading = useMutation({ mutationFn: download, onSuccess: onClose })
  const { mutate } = downloading
  const isDone = job?.status === 'done'
  useEffect(() => {
    if (!isDone) return
    void refresh(queries, ['reports', 'reportFiles'])
    mutate()
  }, [isDone, queries, mutate])
  return (
    <Dialog open title={t('papers.title')} onClose={onClose}>
      {isDone ? (
        <p role="status">{t('papers.fetching')}</p>
      ) : (
        <Progress label={t('pdfs.making')} done={job?.done ?? 0} total={job?.total ?? 0} />
      )}
      <FailureNotice failure={failure ?? downloading.error} />
      {job?.status === 'failed' && <Notice tone="bad">{t('papers.notMade')}</Notice>}
      <Actions>
        <Button onClick={onClose}>{t('app:action.close')}</Button>
      </Actions>
    </Dialog>
  )
}
