import { isSentBack, lacksApproval, waitsForApproval } from '@markbook/shared/domain/report-moves'
import { useMutation } from '@tanstack/react-query'
import { useContext, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { queryClient, refresh } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button, type ButtonLook } from '../../components/button.tsx'
import { Closing } from '../../components/closing.ts'
import { Dialog, DialogButton } from '../../components/dialog.tsx'
import { Actions, Form, SaveActions, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Badge, FailureNotice, Notice, Progress } from '../../components/page.tsx'
import { fileName, saveFile } from '../../components/save-file.ts'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { Menu, MenuItem } from '../../frame/menu.tsx'
import { termLabel } from '../../words/term-label.ts'
import type { ListedClass } from '../results/class-page.tsx'
import { useAsking } from './approval.tsx'
import { PrintDialog } from './book-pdfs.tsx'
import { type BookScope, booksRequest, type ListedBook, standingQuery } from './book-queries.ts'
import { useBooksSearch } from './book-search.ts'
import { areAllCurrent, countPdfs, type PdfCount } from './book-standing.ts'
import { JobProgress, OutdatedPdfsDialog } from './class-pdfs.tsx'
import { OpenFindings } from './findings.tsx'
import { useFirstField } from './first-field.ts'
import { GenerateButton, useIsOutdated } from './generate-button.tsx'
import { FailedBooks, useOlderPdfs } from './older-pdfs.tsx'
import styles from './reports.module.css'
import { type RunProgress, runEach } from './run-each.ts'
import { SentNowhere } from './sent-nowhere.tsx'
import { useShownStanding } from './shown-standing.tsx'
import { useSavedTexts } from './use-autosave.tsx'

type Props = { of: BookScope; books: readonly ListedBook[]; group: ListedClass; chosen: ChosenTerm }

/** The actions for the report books of a class: the next step first, rare ones in a menu. */
export function BookActions({ of, books, group, chosen }: Props) {
  const { t } = useTranslation(['reports', 'app'])
  const {
    search: { job },
    change,
  } = useBooksSearch()
  const savedTexts = useSavedTexts()
  const pdfs = useMutation({
    mutationFn: async () => {
      await savedTexts(books)
      return client.reportFiles.generatePdfs({ body: booksRequest(of).query })
    },
    onSuccess: ({ job_id }) => change((before) => ({ ...before, job: job_id }), true),
  })
  const name = (kind: string, ending: string) =>
    `${fileName(group.name, chosen.year?.name ?? '', of.type === 'term' && chosen.term ? termLabel(chosen.term.name) : t('type.yearEnd'), kind)}.${ending}`
  const download = async () => saveFile(await client.reportFiles.archive(booksRequest(of)), name(t('title'), 'zip'), 'application/zip')
  const [pdfCount, setPdfCount] = useState<PdfCount | null>(null)
  const [opened, setOpened] = useState<StatusMove | null>(null)
  const moves = useMoves(books)
  const begin = useMutation({
    mutationFn: ({ books }: StatusMove) => savedTexts(books),
    // What is possible once the texts are saved: an approval may have ended with them.
    onSuccess: (_, { action }) => setOpened(moves.find((move) => move.action === action) ?? null),
  })
  const zip = useMutation({
    mutationFn: async () => {
      await savedTexts(books)
      const count = countPdfs(await queryClient.fetchQuery(standingQuery(of)))
      if (areAllCurrent(count)) await download()
      else setPdfCount(count)
    },
  })
  const [next, ...others] = moves
  const isOutdated = useIsOutdated(of)
  return (
    <>
      <div className={layout['row']}>
        {next && (
          <Button
            look={isOutdated && next.look === 'primary' ? 'plain' : next.look}
            busy={begin.isPending}
            busyWord={t('app:state.saving')}
            onClick={() => begin.mutate(next)}
          >
            {t(`${next.action}.all`, { count: next.books.length })}
          </Button>
        )}
        <GenerateButton of={of} count={books.length} />
        <DialogButton dialog={<PrintDialog of={of} name={name(t('title'), 'pdf')} />}>{t('print.open')}</DialogButton>
        <Menu button={{ size: 'normal', busy: pdfs.isPending || zip.isPending, children: t('more') }}>
          {others.map((move) => (
            <MenuItem key={move.action} onChoose={() => begin.mutate(move)}>
              {t(`${move.action}.all`, { count: move.books.length })}
            </MenuItem>
          ))}
          <MenuItem onChoose={() => pdfs.mutate()}>{t('pdfs.make')}</MenuItem>
          <MenuItem onChoose={() => zip.mutate()}>{t('zip')}</MenuItem>
        </Menu>
        <span className={styles['gap']} />
        <p className={layout['wrap']}>
          {statuses.map((status) => {
            const count = books.filter((book) => book.status === status).length
            return (
              count > 0 && (
                <Badge key={status} tone={statusTones[status]}>
                  {t(`standing.${status}`, { count })}
                </Badge>
              )
            )
          })}
        </p>
      </div>
      {opened && (
        <Closing value={() => setOpened(null)}>
          <RunDialog of={of} yearId={chosen.year?.id ?? ''} move={opened} />
        </Closing>
      )}
      <FailureNotice failure={begin.error ?? pdfs.error ?? zip.error} />
      {job && <JobProgress jobId={job} books={books} onClose={() => change(({ job: _job, ...rest }) => rest, true)} />}
      {pdfCount && <OutdatedPdfsDialog of={of} books={books} count={pdfCount} download={download} onClose={() => setPdfCount(null)} />}
    </>
  )
}

/** A change of status for several report books. `drafts`, `unapproved`, `sentBack`: how many are left out because they are that. */
export type StatusMove = {
  action: 'approve' | 'publish' | 'send'
  look: ButtonLook['look']
  books: readonly ListedBook[]
  drafts: number
  unapproved: number
  sentBack: number
}

/** Approves the report books that are ready. One that was sent back and not changed since is left out; it must be read on its page. */
export const approvalOf = (asking: ReturnType<typeof useAsking>, books: readonly ListedBook[]): StatusMove => ({
  action: 'approve',
  look: 'primary',
  books: books.filter((book) => waitsForApproval(asking, book)),
  drafts: 0,
  unapproved: 0,
  sentBack: books.filter((book) => isSentBack(asking, book)).length,
})

/** The changes of status that are possible for these report books, the next one first. */
function useMoves(books: readonly ListedBook[]): StatusMove[] {
  const asking = useAsking()
  const mayApprove = isAdmin(useProfile())
  const drafts = books.filter(({ status }) => status === 'draft')
  const publishable = drafts.filter((book) => !lacksApproval(asking, book))
  const published = books.filter(({ status }) => status === 'published')
  const sendable = published.filter((book) => !lacksApproval(asking, book))
  // Without any text publishing is offered, but not as the primary action.
  const isFilled = publishable.some(({ class_teacher_remark, conduct }) => class_teacher_remark?.trim() || conduct?.trim())
  const moves: StatusMove[] = [
    approvalOf(asking, mayApprove ? books : []),
    {
      action: 'publish',
      look: isFilled ? 'primary' : 'plain',
      books: publishable,
      drafts: 0,
      unapproved: drafts.length - publishable.length,
      sentBack: 0,
    },
    { action: 'send', look: 'danger', books: sendable, drafts: drafts.length, unapproved: published.length - sendable.length, sentBack: 0 },
  ]
  return moves.filter((move) => move.books.length > 0)
}

const statuses = ['draft', 'published', 'sent_to_ministry'] as const
export const statusTones = { draft: 'info', published: 'good', sent_to_ministry: undefined } as const

/** `standingHash`: what the person was shown of the report book. */
const requests = {
  approve: (id: string) => client.reports.approve({ params: { id }, body: { isApproved: true } }),
  publish: (id: string, standingHash?: string) => client.reports.publish({ params: { id }, query: { standingHash } }),
  send: (id: string, standingHash?: string) => client.reports.sendToMinistry({ params: { id }, query: { standingHash } }),
}

/**
 * Changes the status of several report books, one by one: asks first, shows the progress, and lists the failures. Where one is not as it
 * was shown any more, nothing is done. For a change that cannot be undone the user must type the number of report books.
 */
export function RunDialog({ of, yearId, move }: { of: BookScope; yearId: string; move: StatusMove }) {
  const { t } = useTranslation(['reports', 'app'])
  const around = useContext(Closing)
  // The list changes while the action runs; these are the report books that were confirmed.
  const [{ action, books: confirmed, drafts, unapproved, sentBack }] = useState(move)
  const { form, first } = useFirstField()
  const [run, setRun] = useState<RunProgress<ListedBook> | null>(null)
  const [typed, setTyped] = useState('')
  const isOver = run !== null && run.done === run.total
  const done = run ? run.total - run.failed.length : 0
  const mustCount = action === 'send'
  const shown = useShownStanding(of, confirmed)
  const olderPdfs = useOlderPdfs(of, action === 'send' ? confirmed : [])
  const savedTexts = useSavedTexts()
  const start = useMutation({
    mutationFn: async () => {
      await savedTexts(confirmed)
      if (!(await shown.isAsShown())) return setTyped('')
      await runEach(confirmed, ({ id }) => requests[action](id, shown.hashOf(id)), setRun)
      await refresh(['reports', 'history', 'overview'])
    },
  })
  const isAllowed = shown.isReady && !olderPdfs.isMaking && (!mustCount || typed.trim() === String(confirmed.length))
  const close = () => {
    if (run !== null && !isOver) return
    around?.()
    // The button that opened the dialog is disabled now, and cannot take the focus.
    if (isOver) setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
  }
  const text = t(`${action}.text`, { count: confirmed.length })
  const staying =
    (unapproved > 0 && t('approval.staying', { count: unapproved })) || (sentBack > 0 && t('sendBack.staying', { count: sentBack }))
  const lead = mustCount ? (
    <>
      <strong>{t('send.forEver')}</strong> {text} {drafts > 0 && t('send.drafts', { count: drafts })} {staying}
    </>
  ) : (
    <>
      {text} {staying}
    </>
  )
  return (
    <Dialog title={t(isOver ? 'run.over' : `${action}.title`)} lead={run ? undefined : lead} first={first} onClose={close}>
      {run ? (
        <>
          {!isOver && <Progress label={t(`${action}.running`)} done={run.done} total={run.total} />}
          {isOver && done > 0 && <Notice tone="good">{t(`${action}.done`, { count: done })}</Notice>}
          {isOver && run.failed.length > 0 && (
            <Notice tone="bad">
              <div>
                <p>{t('run.undone', { count: run.failed.length })}</p>
                <FailedBooks of={run.failed} />
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
        <Form onSend={() => isAllowed && start.mutate()}>
          <div ref={form} className={layout['spaced']}>
            <FailureNotice failure={start.error} />
            {shown.notice}
            {action === 'send' && <SentNowhere />}
            <OpenFindings of={of} yearId={yearId} books={confirmed} />
            {olderPdfs.notice}
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
              action={t(`${action}.all`, { count: confirmed.length })}
              busy={start.isPending}
              busyWord={t(`${action}.running`)}
              disabled={!isAllowed || confirmed.length === 0}
            />
          </div>
        </Form>
      )}
    </Dialog>
  )
}
