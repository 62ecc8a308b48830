import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Notice, Progress } from '../../components/page.tsx'
import { sentenceOf } from '../../words/failure.ts'
import { enumerated } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { type BookScope, useStanding } from './book-queries.ts'
import styles from './reports.module.css'
import { type RunProgress, runEach } from './run-each.ts'

type Named = { id: string; student: { first_name: string; last_name: string } }

/**
 * Before report books are sent: which of them were changed after their last PDF, and a button that makes these PDFs anew, since no PDF is
 * made of a sent book. `isMaking`: while that runs, nothing may be sent.
 */
export function useOlderPdfs(of: BookScope, books: readonly Named[]): { notice: ReactNode; isMaking: boolean } {
  const { t } = useTranslation('reports')
  const standing = useStanding(of)
  const [run, setRun] = useState<RunProgress<Named> | null>(null)
  const isMaking = run !== null && run.done < run.total
  const olderIds = new Set(standing.data?.flatMap(({ report_id, paper }) => (paper?.is_older ? report_id : [])))
  const older = books.filter(({ id }) => olderIds.has(id))
  const make = async () => {
    await runEach(older, ({ id }) => client.reportFiles.generatePdf({ params: { id }, query: {} }), setRun)
    await refresh(['reports', 'replication'])
  }
  const made = run && !isMaking ? run.total - run.failed.length : 0
  const notice = isMaking ? (
    <Progress label={t('pdfs.making')} done={run.done} total={run.total} />
  ) : (
    <>
      {made > 0 && <Notice tone="good">{t('pdfs.made', { count: made })}</Notice>}
      {run && run.failed.length > 0 && (
        <Notice tone="bad">
          <FailedBooks of={run.failed} />
        </Notice>
      )}
      {older.length > 0 && (
        <Notice tone="warn">
          <div>
            <p>{t('send.olderPdfs', { count: older.length })}</p>
            {books.length > 1 && <p>{enumerated(older.map(({ student }) => nameOf(student)))}</p>}
          </div>
          <Button size="small" onClick={() => void make()}>
            {t('send.makePdfs', { count: older.length })}
          </Button>
        </Notice>
      )}
    </>
  )
  return { notice, isMaking }
}

/** Books for which something failed, each with the reason. */
export function FailedBooks({ of }: { of: RunProgress<Named>['failed'] }) {
  const { t } = useTranslation('app')
  return (
    <ul className={styles['plain']}>
      {of.map(({ item, failure }) => (
        <li key={item.id}>
          {t('label', { label: nameOf(item.student) })} {sentenceOf(failure)}
        </li>
      ))}
    </ul>
  )
}
