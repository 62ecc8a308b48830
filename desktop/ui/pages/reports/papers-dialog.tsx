import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { FailureNotice, Notice, Progress } from '../../components/page.tsx'
import { useJob } from './job-progress.tsx'
import styles from './reports.module.css'
import type { PaperCount } from './standings.ts'
import { booksAsked, type OfBooks } from './use-books.ts'

type Props = { of: OfBooks; papers: PaperCount; onTake: () => Promise<unknown>; onClose: () => void }

/** The papers of a class are not all of now: they are made anew first, or taken as they are, on purpose. */
export function PapersDialog({ of, papers, onTake, onClose }: Props) {
  const { t } = useTranslation(['reports', 'app'])
  const queries = useQueryClient()
  const [job, setJob] = useState<string | null>(null)
  const take = useMutation({ mutationFn: onTake, onSuccess: onClose })
  const remake = useMutation({
    mutationFn: async () => {
      if (papers.behind > 0) await client.reports.generate({ body: booksAsked(of).query })
      return client.reportFiles.generatePdfs({ body: booksAsked(of).query })
    },
    onSuccess: ({ job_id }) => setJob(job_id),
    onSettled: () => refresh(queries, ['reports', 'history']),
  })
  const isAny = papers.current + papers.older + papers.sentOlder > 0
  const canRemake = papers.older + papers.none > 0
  if (job) return <Remaking jobId={job} onTake={onTake} onClose={onClose} />
  return (
    <Dialog open title={t('papers.title')} onClose={onClose}>
      <PaperFacts papers={papers} />
      <FailureNotice failure={remake.error ?? take.error} />
      <Actions>
        <Button onClick={onClose}>{t('app:action.cancel')}</Button>
        {isAny && (
          <Button
            look={canRemake ? 'plain' : 'primary'}
            busy={take.isPending}
            busyWord={t('papers.fetching')}
            onClick={() => take.mutate()}
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

function PaperFacts({ papers }: { papers: PaperCount }) {
  const { t } = useTranslation('reports')
  const { older, none, behind, sentOlder, sentNone, all } = papers
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

/** Follows the making, and hands the papers out once it is over. */
function Remaking({ jobId, onTake, onClose }: { jobId: string; onTake: () => Promise<unknown>; onClose: () => void }) {
  const { t } = useTranslation(['reports', 'app'])
  const queries = useQueryClient()
  const { job, failure } = useJob(jobId)
  const take = useMutation({ mutationFn: onTake, onSuccess: onClose })
  const { mutate } = take
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
      <FailureNotice failure={failure ?? take.error} />
      {job?.status === 'failed' && <Notice tone="bad">{t('papers.notMade')}</Notice>}
      <Actions>
        <Button onClick={onClose}>{t('app:action.close')}</Button>
      </Actions>
    </Dialog>
  )
}
