import type { ReportDetail } from '@markbook/shared/contract/reports'
import { isSentBack, lacksApproval } from '@markbook/shared/domain/report-moves'
import { Failure } from '@markbook/shared/failures'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, refresh, save, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Checkbox, Form, SaveActions } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, FailureNotice, Notice, Page } from '../../components/page.tsx'
import { tell, tellFailure } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'
import { NotCurrentYear } from '../../frame/other-year.tsx'
import { figure } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { NeighbourLinks, useScale } from '../results/class-page.tsx'
import { FigureSign, PartialLegend } from '../results/partial-figures.tsx'
import { ApprovalBadge, SendBackDialog, SentBackNotice, useAsking } from './approval.tsx'
import { statusTones } from './book-actions.tsx'
import { BookPdfs } from './book-pdfs.tsx'
import { scopeOf, useBooks, useStanding } from './book-queries.ts'
import { differsFromSent, isOutdated, pdfStateOf } from './book-standing.ts'
import { BookRow, EntryRow, FillRows, writtenIn } from './fill-rows.tsx'
import { OpenFindings } from './findings.tsx'
import { useFirstField } from './first-field.ts'
import { useOlderPdfs } from './older-pdfs.tsx'
import styles from './reports.module.css'
import { SentNowhere } from './sent-nowhere.tsx'
import { useShownStanding } from './shown-standing.tsx'
import { LeaveWarning, useSavedTexts } from './use-autosave.tsx'

const route = getRouteApi('/school/reports/book/$reportId')

/** `/reports/book/:id`: the results, the texts, the PDFs and the status of one report book. */
export function BookPage() {
  const { t } = useTranslation('reports')
  const { reportId } = route.useParams()
  const book = useQuery(ask('reports', 'get', { params: { id: reportId } }))
  if (!book.data)
    return (
      <Page title={t('book')}>
        <Answer of={book}>{() => null}</Answer>
      </Page>
    )
  return <Book key={reportId} book={book.data} />
}

function Book({ book }: { book: ReportDetail }) {
  const { t } = useTranslation(['reports', 'classes', 'app'])
  const name = nameOf(book.student)
  const isYearEnd = book.report_type === 'year_end'
  const term = useQuery(ask('terms', 'get', { params: { id: book.term_id } }))
  const group = useQuery(ask('classes', 'get', { params: { classId: book.student_group_id } }))
  const years = useQuery(ask('academicYears', 'list'))
  const books = useBooks(scopeOf(book))
  const written = writtenIn(books.data ?? [])
  const year = years.data?.find(({ id }) => id === term.data?.academic_year_id)?.name
  const termName = term.data && termLabel(term.data.name)
  const period = termName && year ? t(isYearEnd ? 'periodYearEnd' : 'periodTerm', { term: termName, year }) : undefined
  const lead = period && group.data ? t('bookLead', { class: t('classes:class', { name: group.data.name }), period }) : (period ?? ' ')
  const hasPartial = book.entries.some(({ is_partial }) => is_partial)
  const actions = (
    <>
      <NeighbourLinks
        pupils={books.data?.map(({ id, student }) => ({ ...student, id })) ?? []}
        id={book.id}
        linkOf={(reportId) => ({ to: '/reports/book/$reportId', params: { reportId }, className: styles['way'] })}
      />
      <Link
        to="/reports/$classId"
        params={{ classId: book.student_group_id }}
        search={isYearEnd ? { type: 'year_end' } : {}}
        className={styles['way']}
      >
        {t('books.all')}
      </Link>
    </>
  )
  return (
    <Page wide title={t('bookOf', { name })} lead={lead} actions={actions}>
      <LeaveWarning />
      <NotCurrentYear yearId={book.academic_year_id} isWritable={book.status !== 'sent_to_ministry'} to="/reports" />
      <div className={layout['row']}>
        <Badge tone={statusTones[book.status]}>{t(`status.${book.status}`)}</Badge>
        <ApprovalBadge book={book} />
        <span>
          {t('app:label', { label: t('average') })} <strong>{figure(book.overall_average)}</strong>
          {hasPartial && book.overall_average !== null && <FigureSign of="partial" />}
        </span>
        {book.position !== null && (
          <span>
            {t('app:label', { label: t('placeInClass') })}{' '}
            <strong>{t('place', { position: book.position, total: book.total_students })}</strong>
          </span>
        )}
        <span className={styles['gap']} />
        <BookStatusActions book={book} />
      </div>
      <SentBackNotice book={book} />
      {hasPartial && <PartialLegend />}
      <OutdatedNotices book={book} />
      <div className={styles['two']}>
        <div className={layout['spaced']}>
          <Card title={t('fill.classPart')}>
            <FillRows kind="book" label={t('fill.classPart')}>
              <BookRow book={book} head={null} name={name} firstName={book.student.first_name} written={written} />
            </FillRows>
          </Card>
          <SubjectPart book={book} />
        </div>
        <BookPdfs book={book} />
      </div>
    </Page>
  )
}

/** Says that marks have changed since the report book was made, or the report book since its last PDF. */
function OutdatedNotices({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const standing = useStanding(scopeOf(book))
  const own = standing.data?.find(({ report_id }) => report_id === book.id)
  if (!own) return null
  if (isOutdated(own)) return <Notice tone="warn">{t('behind.one')}</Notice>
  return (
    <>
      {differsFromSent(own) && (
        <Notice tone="warn">
          <span>{t(own.was_behind ? 'sentNotice.bookBefore' : 'sentNotice.book')}</span>
          <Link to="/results/$classId/students/$studentId" params={{ classId: book.student_group_id, studentId: book.student_id }}>
            {t('sentNotice.now')}
          </Link>
        </Notice>
      )}
      {pdfStateOf(own) === 'older' && (
        <Notice tone="warn">{book.status === 'sent_to_ministry' ? t('behind.sentPaper') : t('behind.paper')}</Notice>
      )}
    </>
  )
}

const nothing: readonly never[] = []

function SubjectPart({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const scale = useScale(book.academic_year_id)
  return (
    <Card title={t('subjects')}>
      <Answer of={scale}>
        {({ pass_mark, bands }) => (
          <FillRows kind="entry" label={t('subjects')} head={t('subject')}>
            {book.entries.map((entry) => (
              <EntryRow
                key={entry.id}
                entry={entry}
                of={scopeOf(book)}
                yearId={book.academic_year_id}
                readsBooks
                result={book.report_type === 'term' ? entry.term_composite : entry.year_grade}
                isPartial={entry.is_partial === true}
                isLocked={book.status === 'sent_to_ministry'}
                title={entry.subject.name}
                name={entry.subject.name}
                firstName={book.student.first_name}
                written={nothing}
                scale={{ passMark: pass_mark, bands }}
              />
            ))}
          </FillRows>
        )}
      </Answer>
    </Card>
  )
}

/** The actions for one report book by its status: calculate again, approve or send back, publish, send. */
function BookStatusActions({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const navigate = useNavigate()
  const regenerate = useSave('reports', 'regenerate')
  const approve = useSave('reports', 'approve', ['overview'])
  const asking = useAsking()
  const mayApprove = isAdmin(useProfile()) && asking.approves_reports === true
  // In state, because the status changes before the dialog closes.
  const [asked, setAsked] = useState<'publish' | 'send' | null>(null)
  const next = book.status === 'draft' ? 'publish' : 'send'
  const params = { id: book.id }
  const lacks = lacksApproval(asking, book)
  const [isSending, setSending] = useState(false)
  const [reason, setReason] = useState('')
  const standing = useStanding(scopeOf(book))
  const isBehind = standing.data?.some((one) => one.report_id === book.id && isOutdated(one)) === true
  const savedTexts = useSavedTexts()
  // Another person may have changed the status meanwhile.
  const onError = (failure: unknown) => {
    tellFailure(failure)
    void refresh(['reports'])
  }
  /** A new average changes the positions in other report books, which are not calculated again. */
  const onRegenerated = ({ overall_average, position }: Pick<ReportDetail, 'overall_average' | 'position'>) => {
    const isSame = overall_average === book.overall_average && position === book.position
    if (isSame) return tell(t('generate.one'))
    const type = book.report_type === 'year_end' ? book.report_type : undefined
    const openCheck = () =>
      void navigate({ to: '/reports/$classId', params: { classId: book.student_group_id }, search: { type, view: 'check' } })
    return tell(t('generate.others'), { label: t('generate.toOthers'), onPress: openCheck })
  }
  if (book.status === 'sent_to_ministry') return <span>{t('send.sent')}</span>
  return (
    <>
      <Button
        look={isBehind ? 'primary' : 'plain'}
        busy={regenerate.isPending}
        busyWord={t('generate.running')}
        onClick={() => regenerate.mutate({ params }, { onSuccess: onRegenerated, onError })}
      >
        {t('generate.again')}
      </Button>
      {mayApprove && (
        <Button
          look={lacks && !isBehind && !isSentBack(asking, book) ? 'primary' : 'plain'}
          busy={approve.isPending}
          onClick={() =>
            approve.mutate(
              {
                params,
                body: lacks
                  ? { isApproved: true, contentHash: book.content_hash }
                  : { isApproved: false, expectedAt: book.approved_at ?? undefined },
              },
              { onError },
            )
          }
        >
          {t(lacks ? 'approve.one' : 'approve.back')}
        </Button>
      )}
      {mayApprove && <Button onClick={() => setSending(true)}>{t('sendBack.one')}</Button>}
      {!lacks && (
        <Button
          look={next === 'send' ? 'danger' : isBehind ? 'plain' : 'primary'}
          onClick={() => void savedTexts([book]).then(() => setAsked(next), tellFailure)}
        >
          {t(`${next}.one`)}
        </Button>
      )}
      {isSending && <SendBackDialog book={book} typed={reason} onTry={setReason} onClose={() => setSending(false)} />}
      {asked && <StatusDialog action={asked} book={book} onClose={() => setAsked(null)} />}
    </>
  )
}

type StatusDialogProps = { action: 'publish' | 'send'; book: ReportDetail; onClose: () => void }

/** Publishes a report book; sends it after a confirmation. */
function StatusDialog({ action, book, onClose }: StatusDialogProps) {
  const { t } = useTranslation('reports')
  const isSending = action === 'send'
  const of = scopeOf(book)
  const shown = useShownStanding(of, [book])
  const olderPdfs = useOlderPdfs(of, isSending ? [book] : [])
  const [isSure, setSure] = useState(!isSending)
  const isReady = shown.isReady && !olderPdfs.isMaking && isSure
  const form = useForm({
    initial: {},
    isValid: () => isReady,
    save: async () => {
      if (!(await shown.isAsShown())) {
        setSure(!isSending)
        throw new Failure(409, 'reports.changed_since', 'This report was changed since you looked at it. Please read it again.')
      }
      const query = { standingHash: shown.hashOf(book.id) }
      await save('reports', isSending ? 'sendToMinistry' : 'publish', { params: { id: book.id }, query }).catch((failure) => {
        void refresh(['reports'])
        throw failure
      })
      return t(`${action}.done`, { count: 1 })
    },
    onSaved: () => {
      onClose()
      if (isSending) setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus())
    },
  })
  const { form: fields, first } = useFirstField()
  return (
    <Dialog
      title={t(`${action}.titleOne`, { name: nameOf(book.student) })}
      lead={t(isSending ? 'send.forEver' : 'publish.textOne')}
      first={first}
      onClose={onClose}
    >
      <Form onSend={form.send}>
        <div ref={fields} className={layout['spaced']}>
          {shown.notice ?? <FailureNotice failure={form.failure} />}
          {isSending && <SentNowhere />}
          <OpenFindings of={of} yearId={book.academic_year_id} books={[book]} />
          {olderPdfs.notice}
          {isSending && <Checkbox label={t('send.sure')} checked={isSure} onChange={({ target }) => setSure(target.checked)} />}
          <SaveActions
            danger={isSending}
            action={t(`${action}.one`)}
            busy={form.busy}
            busyWord={t(`${action}.running`)}
            disabled={!isReady}
          />
        </div>
      </Form>
    </Dialog>
  )
}
