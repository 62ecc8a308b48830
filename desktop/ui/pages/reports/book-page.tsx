import type { ReportDetail } from '@markbook/shared/contract/reports'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, Notice, Page } from '../../components/page.tsx'
import { figure } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { useScale } from '../results/use-scale.ts'
import { statusTones } from './book-actions.tsx'
import { BookPdfs } from './book-pdfs.tsx'
import { scopeOf, useBooks, useStanding } from './book-queries.ts'
import { BookRow, banksOf } from './book-row.tsx'
import { isOutdated, pdfStateOf } from './book-standing.ts'
import { BookStatusActions } from './book-status-actions.tsx'
import { EntryRow } from './entry-row.tsx'
import { FillRows } from './fill-rows.tsx'
import { LeaveWarning } from './leave-warning.tsx'
import styles from './reports.module.css'

const route = getRouteApi('/school/reports/book/$reportId')

/** `/reports/book/:id`: the results, the texts and the PDFs of one book, and its status. */
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
  const term = useQuery(ask('terms', 'get', { params: { id: book.term_id } }))
  const group = useQuery(ask('classes', 'get', { params: { classId: book.student_group_id } }))
  const years = useQuery(ask('academicYears', 'list'))
  const year = years.data?.find(({ id }) => id === term.data?.academic_year_id)?.name
  const period =
    term.data && year
      ? book.report_type === 'year_end'
        ? t('periodYearEnd', { year })
        : t('periodTerm', { term: t(`app:term.${term.data.name}`), year })
      : undefined
  const lead = period && group.data ? t('bookLead', { class: t('classes:class', { name: group.data.name }), period }) : (period ?? ' ')
  return (
    <Page wide title={t('bookOf', { name })} lead={lead} actions={<NeighbourLinks book={book} />}>
      <LeaveWarning />
      <div className={layout['row']}>
        <Badge tone={statusTones[book.status]}>{t(`status.${book.status}`)}</Badge>
        <span>
          {t('average')}: <strong>{figure(book.overall_average)}</strong>
        </span>
        {book.position !== null && (
          <span>
            {t('placeInClass')}: <strong>{t('place', { position: book.position, total: book.total_students })}</strong>
          </span>
        )}
        <span className={styles['gap']} />
        <BookStatusActions book={book} />
      </div>
      <OutdatedNotices book={book} />
      <div className={styles['two']}>
        <div className={styles['stack']}>
          <ClassPart book={book} />
          <SubjectPart book={book} />
        </div>
        <BookPdfs book={book} />
      </div>
    </Page>
  )
}

/** Says that marks have changed since the book or its PDF was made. */
function OutdatedNotices({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const standing = useStanding(scopeOf(book))
  const own = standing.data?.find(({ report_id }) => report_id === book.id)
  if (!own) return null
  if (isOutdated(own)) return <Notice tone="warn">{t('behind.one')}</Notice>
  return pdfStateOf(own) === 'older' && book.status !== 'sent_to_ministry' ? <Notice tone="warn">{t('behind.paper')}</Notice> : null
}

/** Links to the books before and after, and to all books. */
function NeighbourLinks({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const books = useBooks(scopeOf(book))
  const at = books.data?.findIndex(({ id }) => id === book.id) ?? -1
  const [before, after] = at < 0 ? [] : [books.data?.[at - 1], books.data?.[at + 1]]
  return (
    <>
      {before && (
        <Link to="/reports/book/$reportId" params={{ reportId: before.id }} className={styles['way']}>
          ← {nameOf(before.student)}
        </Link>
      )}
      {after && (
        <Link to="/reports/book/$reportId" params={{ reportId: after.id }} className={styles['way']}>
          {nameOf(after.student)} →
        </Link>
      )}
      <Link
        to="/reports/$classId"
        params={{ classId: book.student_group_id }}
        search={book.report_type === 'year_end' ? { type: 'year_end' } : {}}
        className={styles['way']}
      >
        {t('books.all')}
      </Link>
    </>
  )
}

function ClassPart({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const books = useBooks(scopeOf(book))
  const banks = useMemo(() => banksOf((books.data ?? []).filter(({ id }) => id !== book.id)), [books.data, book.id])
  return (
    <Card title={t('fill.classPart')}>
      <FillRows kind="book" label={t('fill.classPart')}>
        <BookRow book={book} head={null} name={nameOf(book.student)} firstName={book.student.first_name} banks={banks} />
      </FillRows>
    </Card>
  )
}

const noBank: readonly string[] = []

function SubjectPart({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const scale = useScale()
  const isTerm = book.report_type === 'term'
  return (
    <Card title={t('subjects')}>
      <Answer of={scale}>
        {({ pass_mark, bands }) => (
          <FillRows kind="entry" label={t('subjects')} head={t('subject')}>
            {book.entries.map((entry) => {
              const result = isTerm ? entry.term_composite : entry.year_grade
              return (
                <EntryRow
                  key={entry.id}
                  entry={entry}
                  result={result}
                  isLocked={book.status === 'sent_to_ministry'}
                  title={entry.subject.name}
                  name={entry.subject.name}
                  firstName={book.student.first_name}
                  bank={noBank}
                  scale={{ passMark: pass_mark, bands }}
                />
              )
            })}
          </FillRows>
        )}
      </Answer>
    </Card>
  )
}
