import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useContext, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { queryClient, refresh } from '../../api/queries.ts'
import { Button, type ButtonLook } from '../../components/button.tsx'
import { Closing } from '../../components/closing.ts'
import { Dialog, DialogButton } from '../../components/dialog.tsx'
import { Actions, Form, SaveActions, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Badge, FailureNotice, Notice, Progress } from '../../components/page.tsx'
import { fileName, saveFile } from '../../components/save-file.ts'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { sentenceOf } from '../../words/failure.ts'
import { nameOf } from '../../words/names.ts'
import type { ListedClass } from '../results/class-page.tsx'
import { PrintDialog } from './book-pdfs.tsx'
import { type BookScope, booksRequest, type ListedBook, standingQuery } from './book-queries.ts'
import { useBooksSearch } from './book-search.ts'
import { areAllCurrent, countPdfs, type PdfCount } from './book-standing.ts'
import { JobProgress, OutdatedPdfsDialog } from './class-pdfs.tsx'
import { OpenFindings } from './findings.tsx'
import { GenerateButton } from './generate-button.tsx'
import styles from './reports.module.css'
import { type RunProgress, runEach } from './run-each.ts'

type Props = { of: BookScope; books: readonly ListedBook[]; group: ListedClass; chosen: ChosenTerm }

export function BookActions({ of, books, group, chosen }: Props) {
  const { t } = useTranslation(['reports', 'app'])
  const {
    search: { job },
    change,
  } = useBooksSearch()
  const pdfs = useMutation({
    mutationFn: () => client.reportFiles.generatePdfs({ body: booksRequest(of).query }),
    onSuccess: ({ job_id }) => change((before) => ({ ...before, job: job_id }), true),
  })
  const name = (kind: string, ending: string) =>
    `${fileName(group.name, chosen.year?.name ?? '', of.type === 'term' && chosen.term ? t(`app:term.${chosen.term.name}`) : t('type.yearEnd'), kind)}.${ending}`
  const download = async () => saveFile(await client.reportFiles.archive(booksRequest(of)), name(t('title'), 'zip'), 'application/zip')
  const [pdfCount, setPdfCount] = useState<PdfCount | null>(null)
  const drafts = books.filter(({ status }) => status === 'draft')
  const published = books.filter(({ status }) => status === 'published')
  // Not the primary action while all drafts are empty.
  const isFilled = drafts.some(({ class_teacher_remark, conduct }) => class_teacher_remark?.trim() || conduct?.trim())
  const zip = useMutation({
    mutationFn: async () => {
      const count = countPdfs(await queryClient.fetchQuery(standingQuery(of)))
      if (areAllCurrent(count)) await download()
      else setPdfCount(count)
    },
  })
  return (
    <>
      <div className={layout['row']}>
        <GenerateButton of={of} count={books.length} />
        <RunAll
          action="publish"
          look={isFilled ? 'primary' : 'plain'}
          lead={t('publish.text', { count: drafts.length })}
          books={drafts}
          of={of}
          chosen={chosen}
        />
        <RunAll
          action="send"
          look="danger"
          lead={
            <>
              <strong>{t('send.forEver')}</strong> {t('send.text', { count: published.length })}{' '}
              {drafts.length > 0 && t('send.drafts', { count: drafts.length })}
            </>
          }
          books={published}
          of={of}
          chosen={chosen}
        />
      </div>
      <div className={layout['row']}>
        <p className={layout['wrap']}>
          {statuses.map((status) => {
            const count = books.filter((book) => book.status === status).length
            return (
              <Badge key={status} tone={count > 0 ? statusTones[status] : undefined}>
                {t(`standing.${status}`, { count })}
              </Badge>
            )
          })}
        </p>
        <span className={styles['gap']} />
        <Button busy={pdfs.isPending} busyWord={t('pdfs.making')} onClick={() => pdfs.mutate()}>
          {t('pdfs.make')}
        </Button>
        <Button busy={zip.isPending} busyWord={t('papers.fetching')} onClick={() => zip.mutate()}>
          {t('zip')}
        </Button>
        <DialogButton dialog={<PrintDialog of={of} name={name(t('title'), 'pdf')} />}>{t('print.open')}</DialogButton>
      </div>
      <FailureNotice failure={pdfs.error ?? zip.error} />
      {job && <JobProgress jobId={job} books={books} onClose={() => change(({ job: _job, ...rest }) => rest, true)} />}
      {pdfCount && <OutdatedPdfsDialog of={of} count={pdfCount} download={download} onClose={() => setPdfCount(null)} />}
    </>
  )
}

type RunProps = Pick<Props, 'of' | 'books' | 'chosen'> & { action: 'publish' | 'send'; lead: ReactNode }

/** A button that changes the status of these books, after a dialog with their findings. */
function RunAll({ look, ...run }: RunProps & Pick<ButtonLook, 'look'>) {
  const { t } = useTranslation('reports')
  return (
    <DialogButton look={look} disabled={run.books.length === 0} dialog={<RunDialog {...run} />}>
      {t(`${run.action}.all`, { count: run.books.length })}
    </DialogButton>
  )
}

const statuses = ['draft', 'published', 'sent_to_ministry'] as const
export const statusTones = { draft: 'info', published: 'good', sent_to_ministry: undefined } as const

/**
 * Changes the status of many books, one by one: asks first, shows the progress, and lists the failures. What cannot be undone asks for the
 * number of books.
 */
function RunDialog({ of, books, chosen, action, lead }: RunProps) {
  const { t } = useTranslation(['reports', 'app'])
  const around = useContext(Closing)
  // The list changes while the action runs; these are the books that were confirmed.
  const [confirmed] = useState(books)
  const [run, setRun] = useState<RunProgress<ListedBook> | null>(null)
  const [typed, setTyped] = useState('')
  const isOver = run !== null && run.done === run.total
  const done = run ? run.total - run.failed.length : 0
  const mustCount = action === 'send'
  const isAllowed = !mustCount || typed.trim() === String(confirmed.length)
  const start = async () => {
    const { publish, sendToMinistry } = client.reports
    await runEach(confirmed, ({ id }) => (mustCount ? sendToMinistry : publish)({ params: { id } }), setRun)
    await refresh(['reports', 'history'])
  }
  const close = () => {
    if (run !== null && !isOver) return
    around?.()
    // The button that opened the dialog is disabled now and takes no focus.
    if (isOver) setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
  }
  return (
    <Dialog title={t(isOver ? 'run.over' : `${action}.title`)} lead={run ? undefined : lead} onClose={close}>
      {run ? (
        <>
          <Progress label={t(`${action}.running`)} done={run.done} total={run.total} />
          {isOver && done > 0 && <Notice tone="good">{t(`${action}.done`, { count: done })}</Notice>}
          {isOver && run.failed.length > 0 && (
            <Notice tone="bad">
              <div>
                <p>{t('run.undone', { count: run.failed.length })}</p>
                <ul className={styles['plain']}>
                  {run.failed.map(({ item, failure }) => (
                    <li key={item.id}>
                      {nameOf(item.student)}: {sentenceOf(failure)}
                    </li>
                  ))}
                </ul>
              </div>
            </Notice>
          )}
          <Actions>
            <Button look="primary" disabled={!isOver} onClick={close}>
              {t('app:action.close')}
            </Button>
          </Actions>
        </>
      ) : (
        <Form onSend={() => isAllowed && void start()}>
          <OpenFindings of={of} yearId={chosen.year?.id ?? ''} books={books} />
          {mustCount && (
            <TextField
              label={t('send.count', { count: confirmed.length })}
              inputMode="numeric"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
          <SaveActions
            danger={mustCount}
            action={t(`${action}.all`, { count: books.length })}
            disabled={!isAllowed || confirmed.length === 0}
          />
        </Form>
      )}
    </Dialog>
  )
}
