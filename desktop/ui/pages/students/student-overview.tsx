import type { StudentOverview } from '@markbook/shared/contract/calculations'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import { Badge, Card, Empty } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { nameOf } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { TermLine } from '../results/charts.tsx'
import { PartialLegend, SignedFigure } from '../results/partial-figures.tsx'
import { type Course, courseOf, type PastTerm, pastTerms } from './course.ts'

type Props = { of: StudentOverview }

/** The averages and the results of each subject in all terms and years, each with a line chart. */
export function Results({ of }: Props) {
  const { t } = useTranslation(['students', 'app'])
  const terms = pastTerms(of)
  const { overall, subjects } = courseOf(terms)
  if (subjects.length === 0) {
    return (
      <Card title={t('results')}>
        <Empty>{t('noResults')}</Empty>
      </Card>
    )
  }
  const termColumn = (past: PastTerm, at: number): Column<Course> => ({
    id: past.id,
    head: `${termLabel(past.name)} ${past.year}`,
    look: 'number',
    cell: ({ results, partial }) => <SignedFigure value={results[at] ?? null} isPartial={partial[at] === true} />,
  })
  return (
    <Card title={t('results')}>
      <Table
        label={t('results')}
        rows={[{ id: 'overall', name: t('overall'), ...overall }, ...subjects]}
        keyOf={({ id }) => id}
        columns={[
          { head: t('subject'), cell: ({ name }) => name },
          ...terms.map(termColumn),
          { head: t('course'), cell: ({ results }) => <TermLine results={results} /> },
        ]}
      />
      {subjects.some(({ partial }) => partial.includes(true)) && <PartialLegend />}
    </Card>
  )
}

export function Classes({ of: { classes } }: Props) {
  const { t } = useTranslation('students')
  if (classes.length === 0) return null
  return (
    <Card title={t('classes')}>
      <Table
        label={t('classes')}
        rows={classes}
        keyOf={({ id }) => id}
        columns={[
          { head: t('year'), cell: ({ academic_year }) => academic_year.name },
          {
            head: t('class'),
            cell: ({ id, name }) => (
              <Link to="/classes/$classId" params={{ classId: id }}>
                {name}
              </Link>
            ),
          },
          { head: t('classTeacher'), cell: ({ class_teacher }) => class_teacher && nameOf(class_teacher) },
        ]}
      />
    </Card>
  )
}

/** The report books with their status, each with a link to its newest PDF. */
export function Books({ of: { books, classes } }: Props) {
  const { t } = useTranslation(['students', 'app', 'reports'])
  if (books.length === 0) return null
  const terms = new Map(
    classes.flatMap(({ academic_year, terms: own }) => own.map(({ term }, at) => [term.id, { ...term, year: academic_year.name, at }])),
  )
  const periodOf = ({ term_id, report_type }: (typeof books)[number]) => {
    const term = terms.get(term_id)
    if (!term) return ''
    return report_type === 'year_end' ? t('yearEnd', { year: term.year }) : `${termLabel(term.name)} ${term.year}`
  }
  const startOf = (book: (typeof books)[number]) => terms.get(book.term_id)?.start_date ?? ''
  const rows = [...books].sort((a, b) => startOf(b).localeCompare(startOf(a)) || a.report_type.localeCompare(b.report_type))
  return (
    <Card title={t('books')}>
      <Table
        label={t('books')}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t('period'),
            cell: (book) => (
              <Link to="/reports/book/$reportId" params={{ reportId: book.id }}>
                {periodOf(book)}
              </Link>
            ),
          },
          {
            head: t('status'),
            cell: ({ status }) => <Badge tone={status === 'draft' ? 'info' : 'good'}>{t(`reports:status.${status}`)}</Badge>,
          },
          {
            head: t('paper'),
            cell: (book) =>
              book.pdf_id && (
                <Link
                  to="/reports/book/$reportId"
                  params={{ reportId: book.id }}
                  search={{ pdf: book.pdf_id }}
                  aria-label={t('paperOf', { period: periodOf(book) })}
                >
                  PDF
                </Link>
              ),
          },
        ]}
      />
    </Card>
  )
}

/** The missing marks of the current year, each with a link to its grid. */
export function Missing({ of: { missing, classes } }: Props) {
  const { t } = useTranslation(['students', 'app'])
  const group = classes.find(({ terms }) => terms.some(({ term }) => term.id === missing[0]?.term_id))
  if (missing.length === 0 || !group) return null
  const nameOfTerm = new Map(group.terms.map(({ term }) => [term.id, term.name]))
  return (
    <Card title={t('missingMarks', { count: missing.length })}>
      <ul className={layout['stack']}>
        {missing.map(({ assessment_id, title, subject_id, subject_name, term_id }) => {
          const term = nameOfTerm.get(term_id)
          return (
            <li key={assessment_id}>
              <Link to="/marks/$classId/$subjectId" params={{ classId: group.id, subjectId: subject_id }}>
                {t('app:label', { label: subject_name })} {title}
              </Link>{' '}
              {term && <span className={layout['note']}>{termLabel(term)}</span>}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
