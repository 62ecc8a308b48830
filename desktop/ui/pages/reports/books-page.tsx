import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { InlineSelect } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Notice, Page } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { NotCurrentYear } from '../../frame/other-year.tsx'
import { moment } from '../../words/format.ts'
import { listedName } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { ChooseClass, type ClassContext, ClassPage, ClassSwitch, type ListedClass, useOwnsClass, ViewTabs } from '../results/class-page.tsx'
import { PartialLegend, SignedFigure } from '../results/partial-figures.tsx'
import { ApprovalBadge, ApprovalNotice } from './approval.tsx'
import { BookActions, statusTones } from './book-actions.tsx'
import { type BookScope, type ListedBook, useBooks, useEntries, usePartialAverage, useStanding } from './book-queries.ts'
import { type BooksType, type BookView, bookViews, useBooksSearch } from './book-search.ts'
import { differsFromSent, isOutdated, pdfStateOf } from './book-standing.ts'
import { FillView } from './fill-view.tsx'
import { CheckView } from './findings.tsx'
import { NoBooks, OutdatedNotice, UnmadeNotice } from './generate-button.tsx'
import styles from './reports.module.css'

const route = getRouteApi('/school/reports/$classId')

export function BooksPage() {
  const { classId } = route.useParams()
  return (
    <ClassPage key={classId} area="reports" classId={classId}>
      {(here) => <ClassBooks {...here} />}
    </ClassPage>
  )
}

function ClassBooks({ chosen, year, term, group, classes }: ClassContext) {
  const { t } = useTranslation(['reports', 'app'])
  const navigate = useNavigate()
  const { search, change } = useBooksSearch()
  const owns = useOwnsClass(group)
  const isYearBased = year.grading_model === 'year_based'
  const type: BooksType = isYearBased && search.type === 'year_end' ? 'year_end' : 'term'
  const view: BookView = owns ? (search.view ?? 'books') : 'fill'
  const of: BookScope = { classId: group.id, termId: term.id, type }
  const choose = (classId: string) =>
    void navigate({ to: '/reports/$classId', params: { classId }, search: { type: search.type, view: search.view } })
  const actions = (
    <>
      {isYearBased && (
        <InlineSelect
          label={t('type.label')}
          value={type}
          onChange={({ target }) =>
            change(({ view: same }) => ({ view: same, ...(target.value === 'year_end' && { type: target.value }) }))
          }
        >
          <option value="term">{t('type.term')}</option>
          <option value="year_end">{t('type.yearEnd')}</option>
        </InlineSelect>
      )}
      <ClassSwitch classes={classes} classId={group.id} onChoose={choose} />
    </>
  )
  const key = `${of.termId} ${of.type}`
  const period = { name: group.name, term: termLabel(term.name), year: year.name }
  const lead = t(type === 'term' ? 'lead.term' : 'lead.yearEnd', { ...period })
  return (
    <Page
      wide
      title={t('titleOf', { name: group.name })}
      help={t('help')}
      lead={owns ? lead : t('lead.subject', { name: group.name })}
      actions={actions}
    >
      <NotCurrentYear yearId={year.id} isWritable={view === 'fill'} to="/reports" />
      {owns && (
        <ViewTabs
          label={t('views.label')}
          views={bookViews}
          shown={view}
          textOf={(one) => t(`views.${one}`)}
          linkOf={(one) => ({
            to: '/reports/$classId',
            params: { classId: group.id },
            search: { type: search.type, job: search.job, ...(one !== 'books' && { view: one }) },
          })}
        />
      )}
      {view === 'books' && <BooksView key={key} of={of} group={group} chosen={chosen} />}
      {view === 'fill' && <FillView key={key} of={of} chosen={chosen} owns={owns} />}
      {view === 'check' && <CheckView key={key} of={of} chosen={chosen} />}
    </Page>
  )
}

export const ReportsPage = () => <ChooseClass area="reports" />

/** The report books of a class with their states, and the actions for all of them. */
function BooksView({ of, group, chosen }: { of: BookScope; group: ListedClass; chosen: ChosenTerm }) {
  const books = useBooks(of)
  return (
    <Answer of={books} empty={<NoBooks of={of} />}>
      {(list) => (
        <>
          <UnmadeNotice of={of} />
          <OutdatedNotice of={of} isBesideButton />
          <SentDifferences of={of} />
          <ApprovalNotice books={list} />
          <BookActions of={of} books={list} group={group} chosen={chosen} />
          <BookTable of={of} books={list} />
        </>
      )}
    </Answer>
  )
}

/** The number of sent report books with other results than those of the present marks: since they were sent, and already then. */
function SentDifferences({ of }: { of: BookScope }) {
  const { t } = useTranslation('reports')
  const differing = useStanding(of).data?.filter(differsFromSent) ?? []
  const before = differing.filter(({ was_behind }) => was_behind).length
  const since = differing.length - before
  return (
    <>
      {since > 0 && <Notice tone="warn">{t('sentNotice.books', { count: since })}</Notice>}
      {before > 0 && <Notice tone="warn">{t('sentNotice.booksBefore', { count: before })}</Notice>}
    </>
  )
}

function BookTable({ of, books }: { of: BookScope; books: readonly ListedBook[] }) {
  const { t } = useTranslation('reports')
  const entries = useEntries(of)
  const standing = useStanding(of)
  const standingByBookId = new Map(standing.data?.map((one) => [one.report_id, one]))
  const wordsByBookId = new Map<string, { written: number; all: number }>()
  for (const { report_book_id, teacher_remark } of entries.data ?? []) {
    const { written, all } = wordsByBookId.get(report_book_id) ?? { written: 0, all: 0 }
    wordsByBookId.set(report_book_id, { written: written + (teacher_remark?.trim() ? 1 : 0), all: all + 1 })
  }
  const isPartial = usePartialAverage(of)
  const columns: Column<ListedBook>[] = [
    {
      head: t('pupil'),
      cell: ({ id, student }) => (
        <Link to="/reports/book/$reportId" params={{ reportId: id }}>
          {listedName(student)}
        </Link>
      ),
    },
    {
      head: t('average'),
      look: 'number',
      cell: (book) => <SignedFigure value={book.overall_average} isPartial={isPartial(book)} />,
    },
    {
      head: t('position'),
      look: 'number',
      cell: ({ position, total_students: total }) => (position === null ? '–' : t('place', { position, total })),
    },
    { head: t('fill.classPart'), cell: (book) => <Written {...partsOf(book)} /> },
    {
      head: t('books.subjectRemarks'),
      cell: ({ id }) => {
        const words = wordsByBookId.get(id)
        return words && <Written {...words} />
      },
    },
    {
      head: t('state'),
      cell: (book) => {
        const own = standingByBookId.get(book.id)
        return (
          <span className={layout['wrap']}>
            <Badge tone={statusTones[book.status]}>{t(`status.${book.status}`)}</Badge>
            <ApprovalBadge book={book} />
            {own && isOutdated(own) && <Badge tone="warn">{t('behind.book')}</Badge>}
            {own && differsFromSent(own) && <Badge tone="warn">{t(own.was_behind ? 'sentNotice.badgeBefore' : 'sentNotice.badge')}</Badge>}
          </span>
        )
      },
    },
    {
      head: t('pdf.column'),
      cell: ({ id }) => {
        const own = standingByBookId.get(id)
        if (!own?.paper) return own && <span className={styles['whole']}>{t('pdf.none')}</span>
        return (
          <span className={layout['wrap']}>
            {moment(own.paper.generated_at)}
            {pdfStateOf(own) === 'older' && <Badge tone="warn">{t('pdf.older')}</Badge>}
          </span>
        )
      },
    },
  ]
  return (
    <>
      <Table label={t('books.label')} columns={columns} rows={books} keyOf={({ id }) => id} />
      {books.some(isPartial) && <PartialLegend />}
    </>
  )
}

/** Which of the three texts of a class teacher are written in a report book. */
const partsOf = ({ class_teacher_remark: remark, conduct, attendance_percentage: typed, attendance }: ListedBook) => ({
  written: [remark?.trim(), conduct?.trim(), (typed ?? attendance?.percentage ?? null) !== null].filter(Boolean).length,
  all: 3,
})

function Written({ written, all }: { written: number; all: number }) {
  const { t } = useTranslation('reports')
  return written === all ? `✓ ${t('books.written')}` : t('books.parts', { written, all })
}
