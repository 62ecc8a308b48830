import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { fileName, saveFile } from './file-saving.ts'
import { JobProgress } from './job-progress.tsx'
import type { ListedBook } from './kept-books.ts'
import { PrintDialog } from './print-dialog.tsx'
import styles from './reports.module.css'
import { RunDialog } from './run-dialog.tsx'
import { type Group, Standing } from './standing.tsx'
import { booksAsked, type OfBooks } from './use-books.ts'
import { useBooksSearch } from './use-books-search.ts'

/** Makes the books, or brings them up to date; says before what that does and what it leaves alone. */
export function GenerateButton({ of, count }: { of: OfBooks; count: number }) {
  const { t } = useTranslation('reports')
  const { tell } = useToasts()
  const [isAsking, setAsking] = useState(false)
  const generate = useSave('reports', 'generate')
  const confirm = async () => {
    const { generated, skipped_locked: skipped } = await generate.mutateAsync({ body: booksAsked(of).query })
    tell(
      [t(count === 0 ? 'generate.made' : 'generate.done', { count: generated }), skipped > 0 && t('generate.skipped', { count: skipped })]
        .filter(Boolean)
        .join(' '),
    )
  }
  const word = count === 0 ? 'first' : 'again'
  return (
    <>
      <Button look={count === 0 ? 'primary' : 'plain'} onClick={() => setAsking(true)}>
        {t(`generate.${word}`)}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t(`generate.${word}`)}
          text={t(`generate.${word}Text`)}
          action={t(`generate.${word}`)}
          danger={false}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

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
  const zip = useMutation({
    mutationFn: () => client.reportFiles.archive(booksAsked(of)),
    onSuccess: (bytes) => saveFile(bytes, name(t('title'), 'zip'), 'application/zip'),
  })
  return (
    <>
      <div className={styles['bar']}>
        <GenerateButton of={of} count={books.length} />
        <PublishAll books={books} />
        <SendAll books={books} />
      </div>
      <div className={styles['bar']}>
        <Standing books={books} />
        <span className={styles['gap']} />
        <Button busy={pdfs.isPending} busyWord={t('pdfs.making')} onClick={() => pdfs.mutate()}>
          {t('pdfs.make')}
        </Button>
        <Button busy={zip.isPending} onClick={() => zip.mutate()}>
          {t('zip')}
        </Button>
        <Button onClick={() => setPrinting(true)}>{t('print.open')}</Button>
      </div>
      <FailureNotice failure={pdfs.error ?? zip.error} />
      {job && <JobProgress jobId={job} books={books} onClose={() => change(({ job: _job, ...rest }) => rest, true)} />}
      {isPrinting && <PrintDialog of={of} name={name(t('title'), 'pdf')} onClose={() => setPrinting(false)} />}
    </>
  )
}

function PublishAll({ books }: { books: readonly ListedBook[] }) {
  const { t } = useTranslation('reports')
  const [isOpen, setOpen] = useState(false)
  const drafts = books.filter(({ status }) => status === 'draft')
  return (
    <>
      <Button look={drafts.length > 0 ? 'primary' : 'plain'} disabled={drafts.length === 0} onClick={() => setOpen(true)}>
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
          act={({ id }) => client.reports.publish({ params: { id } })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

function SendAll({ books }: { books: readonly ListedBook[] }) {
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
          act={({ id }) => client.reports.sendToMinistry({ params: { id } })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
