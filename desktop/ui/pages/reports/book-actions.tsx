import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { fileName, saveFile } from './file-saving.ts'
import { GenerateButton } from './generate-button.tsx'
import { JobProgress } from './job-progress.tsx'
import type { ListedBook } from './kept-books.ts'
import { OpenPoints } from './open-points.tsx'
import { PapersDialog } from './papers-dialog.tsx'
import { PrintDialog } from './print-dialog.tsx'
import styles from './reports.module.css'
import { RunDialog } from './run-dialog.tsx'
import { type Group, Standing } from './standing.tsx'
import { countPapers, isAsNow, type PaperCount } from './standings.ts'
import { booksAsked, type OfBooks } from './use-books.ts'
import { useBooksSearch } from './use-books-search.ts'
import { standingAsked } from './use-standing.ts'

type Props = { of: OfBooks; books: readonly ListedBook[]; group: Group; chosen: ChosenTerm }

export function BookActions({ of, books, group, chosen }: Props) {
  const { t } = useTranslation(['reports', 'app'])
  const {
    search: { job },
    change,
  } = useBooksSearch()
  const [isPrinting, setPrinting] = useState(false)
  const pdfs = useMutation({
    mutationFn: () => client.reportFiles.generatePdfs({ body: booksAsked(of).query }),
    onSuccess: ({ job_id }) => change((before) => ({ ...before, job: job_id }), true),
  })
  const name = (kind: string, ending: string) =>
    `${fileName(group.name, chosen.year?.name ?? '', of.type === 'term' && chosen.term ? t(`app:term.${chosen.term.name}`) : t('type.yearEnd'), kind)}.${ending}`
  const download = async () => saveFile(await client.reportFiles.archive(booksAsked(of)), name(t('title'), 'zip'), 'application/zip')
  const [papers, setPapers] = useState<PaperCount | null>(null)
  const queries = useQueryClient()
  const zip = useMutation({
    mutationFn: async () => {
      const count = countPapers(await queries.fetchQuery(standingAsked(of)))
      if (isAsNow(count)) await download()
      else setPapers(count)
    },
  })
  return (
    <>
      <div className={styles['bar']}>
        <GenerateButton of={of} count={books.length} />
        <PublishAll of={of} books={books} chosen={chosen} />
        <SendAll of={of} books={books} chosen={chosen} />
      </div>
      <div className={styles['bar']}>
        <Standing books={books} />
        <span className={styles['gap']} />
        <Button busy={pdfs.isPending} busyWord={t('pdfs.making')} onClick={() => pdfs.mutate()}>
          {t('pdfs.make')}
        </Button>
        <Button busy={zip.isPending} busyWord={t('papers.fetching')} onClick={() => zip.mutate()}>
          {t('zip')}
        </Button>
        <Button onClick={() => setPrinting(true)}>{t('print.open')}</Button>
      </div>
      <FailureNotice failure={pdfs.error ?? zip.error} />
      {job && <JobProgress jobId={job} books={books} onClose={() => change(({ job: _job, ...rest }) => rest, true)} />}
      {papers && <PapersDialog of={of} papers={papers} onTake={download} onClose={() => setPapers(null)} />}
      {isPrinting && <PrintDialog of={of} name={name(t('title'), 'pdf')} onClose={() => setPrinting(false)} />}
    </>
  )
}

type OfAll = Pick<Props, 'of' | 'books' | 'chosen'>

function PublishAll({ of, books, chosen }: OfAll) {
  const { t } = useTranslation('reports')
  const [isOpen, setOpen] = useState(false)
  const drafts = books.filter(({ status }) => status === 'draft')
  // Not the step to take while nothing is written into any of them.
  const isFilled = drafts.some(({ class_teacher_remark, conduct }) => class_teacher_remark?.trim() || conduct?.trim())
  return (
    <>
      <Button look={isFilled ? 'primary' : 'plain'} disabled={drafts.length === 0} onClick={() => setOpen(true)}>
        {t('publish.all', { count: drafts.length })}
      </Button>
      {isOpen && (
        <RunDialog
          title={t('publish.title')}
          lead={t('publish.text', { count: drafts.length })}
          action={t('publish.all', { count: drafts.length })}
          progress={t('publish.running')}
          finished={(count) => t('publish.done', { count })}
          books={drafts}
          open={<OpenPoints of={of} yearId={chosen.year?.id ?? ''} books={drafts} />}
          act={({ id }) => client.reports.publish({ params: { id } })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

function SendAll({ of, books, chosen }: OfAll) {
  const { t } = useTranslation('reports')
  const [isOpen, setOpen] = useState(false)
  const published = books.filter(({ status }) => status === 'published')
  const drafts = books.filter(({ status }) => status === 'draft').length
  return (
    <>
      <Button look="danger" disabled={published.length === 0} onClick={() => setOpen(true)}>
        {t('send.all', { count: published.length })}
      </Button>
      {isOpen && (
        <RunDialog
          mustCount
          title={t('send.title')}
          lead={
            <>
              <strong>{t('send.forEver')}</strong> {t('send.text', { count: published.length })}{' '}
              {drafts > 0 && t('send.drafts', { count: drafts })}
            </>
          }
          action={t('send.all', { count: published.length })}
          progress={t('send.running')}
          finished={(count) => t('send.done', { count })}
          books={published}
          open={<OpenPoints of={of} yearId={chosen.year?.id ?? ''} books={published} />}
          act={({ id }) => client.reports.sendToMinistry({ params: { id } })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
