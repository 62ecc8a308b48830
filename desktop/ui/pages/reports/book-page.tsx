import type { ReportDetail } from '@markbook/shared/contract/reports'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Answer, Badge, Card, Notice, Page } from '../../components/page.tsx'
import { figure } from '../../words/format.ts'
import { fullName } from '../results/names.ts'
import { useScale } from '../results/use-scale.ts'
import { BookPapers } from './book-papers.tsx'
import { BookRow } from './book-row.tsx'
import { BookSteps } from './book-steps.tsx'
import { bankOf } from './completions.ts'
import { EntryRow } from './entry-row.tsx'
import { FillRows } from './fill-rows.tsx'
import { LeavingRows } from './leaving.tsx'
import styles from './reports.module.css'
import { tones } from './standing.tsx'
import { isBehind, paperOf } from './standings.ts'
import { useBooks } from './use-books.ts'
import { useStanding } from './use-standing.ts'

const route = getRouteApi('/school/reports/book/$reportId')

/** One pupil's book: what is in it, what is written into it, its paper, and its way to the ministry. */
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
  const name = fullName(book.student)
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
    <Page wide title={t('bookOf', { name })} lead={lead} actions={<Neighbours book={book} />}>
      <LeavingRows />
      <div className={styles['bar']}>
        <Badge tone={tones[book.status]}>{t(`status.${book.status}`)}</Badge>
        <span>
          {t('average')}: <strong>{figure(book.overall_average)}</strong>
        </span>
        {book.position !== null && (
          <span>
            {t('placeInClass')}: <strong>{t('place', { position: book.position, total: book.total_students })}</strong>
          </span>
        )}
        <span className={styles['gap']} />
        <BookSteps book={book} />
      </div>
      <BehindHere book={book} />
      <div className={styles['two']}>
        <div className={styles['stack']}>
          <ClassPart book={book} />
          <SubjectPart book={book} />
        </div>
        <BookPapers book={book} />
      </div>
    </Page>
  )
}

/** Marks were changed after this book was made; «Bring up to date» stands above it. */
function BehindHere({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const standing = useStanding({ classId: book.student_group_id, termId: book.term_id, type: book.report_type })
  const own = standing.data?.find(({ report_id }) => report_id === book.id)
  if (!own) return null
  if (isBehind(own)) return <Notice tone="warn">{t('behind.one')}</Notice>
  return paperOf(own) === 'older' && book.status !== 'sent_to_ministry' ? <Notice tone="warn">{t('behind.paper')}</Notice> : null
}

/** To the pupil before and after, and back to all. */
function Neighbours({ book }: { book: ReportDetail }) {
  const { t } = useTranslation('reports')
  const books = useBooks({ classId: book.student_group_id, termId: book.term_id, type: book.report_type })
  const at = books.data?.findIndex(({ id }) => id === book.id) ?? -1
  const [before, after] = at < 0 ? [] : [books.data?.[at - 1], books.data?.[at + 1]]
  return (
    <>
      {before && (
        <Link to="/reports/book/$reportId" params={{ reportId: before.id }} className={styles['way']}>
          ← {fullName(before.student)}
        </Link>
      )}
      {after && (
        <Link to="/reports/book/$reportId" params={{ reportId: after.id }} className={styles['way']}>
          {fullName(after.student)} →
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
  const books = useBooks({ classId: book.student_group_id, termId: book.term_id, type: book.report_type })
  const banks = useMemo(() => {
    const others = (books.data ?? []).filter(({ id }) => id !== book.id)
    return {
      remark: bankOf(others.map((one) => ({ text: one.class_teacher_remark ?? '', firstName: one.student.first_name }))),
      conduct: bankOf(others.map((one) => ({ text: one.conduct ?? '', firstName: one.student.first_name }))),
    }
  }, [books.data, book.id])
  return (
    <Card title={t('fill.classPart')}>
      <FillRows label={t('fill.classPart')} heads={[t('pupil'), t('fill.remark'), t('fill.conduct'), t('fill.attendance'), '']}>
        <BookRow book={book} head={null} name={fullName(book.student)} firstName={book.student.first_name} banks={banks} />
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
          <FillRows label={t('subjects')} heads={[t('subject'), t('fill.letter'), t('fill.remark')]}>
            {book.entries.map((entry) => {
              const result = isTerm ? entry.term_composite : entry.year_grade
              return (
                <EntryRow
                  key={entry.id}
                  entry={entry}
                  result={result}
                  isLocked={book.status === 'sent_to_ministry'}
                  head={
                    <>
                      <span>{entry.subject.name}</span>
                      <span className={styles['figures']}>
                        {t('fill.figures', {
                          coursework: figure(entry.coursework_average),
                          exam: figure(entry.exam_average),
                          result: figure(result),
                        })}
                      </span>
                    </>
                  }
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
