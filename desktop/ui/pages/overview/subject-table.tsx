import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { enumerated } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { Meter } from './meter.tsx'
import styles from './overview.module.css'
import { useOverviewSearch } from './overview-search.ts'
import type { Period } from './period.ts'
import { RemindButton } from './reminders.tsx'
import { lacksMarks, type SubjectRow, sorted } from './rows.ts'
import { sortedColumn } from './sorted-head.tsx'

const sorts: Record<string, (row: SubjectRow) => number> = {
  marks: (row) => (lacksMarks(row) ? row.expected - row.recorded + (row.assessments === 0 ? 1 : 0) : 0),
  remarks: ({ entries, remarks }) => entries - remarks,
}

/** A row for each subject of each class, with its teachers. */
export function SubjectTable({ rows, period: { term, type } }: { rows: readonly SubjectRow[]; period: Period }) {
  const { t } = useTranslation('overview')
  const { search } = useOverviewSearch()
  const shown = sorted(rows, search.sort ? sorts[search.sort] : undefined, search.down === true)
  return (
    <Table
      label={t('views.subjects')}
      rows={shown}
      keyOf={(row) => `${row.class.id} ${row.subject.id}`}
      columns={[
        sortedColumn<SubjectRow>('class', t('class'), (row) => row.class.name),
        { head: t('subject'), cell: ({ subject }) => subject.name },
        {
          head: t('teacher'),
          cell: ({ teachers }) => (teachers.length > 0 ? enumerated(teachers.map(nameOf)) : t('noTeacher')),
        },
        sortedColumn<SubjectRow>('marks', t('marks'), (row) => {
          const {
            class: { id: classId },
            subject: { id: subjectId },
            assessments,
            expected,
            recorded,
          } = row
          return assessments === 0 ? (
            <Link to="/assessments" search={{ subject: subjectId }}>
              <Badge>{t('noAssessment')}</Badge>
            </Link>
          ) : (
            <Link to="/marks/$classId/$subjectId" params={{ classId, subjectId }} className={styles['figure']}>
              <Meter count={recorded} all={expected} />
              {lacksMarks(row) && <Badge tone="warn">{t('missing', { count: expected - recorded })}</Badge>}
            </Link>
          )
        }),
        sortedColumn<SubjectRow>('remarks', t('subjectRemarks'), ({ class: { id: classId }, subject, entries, remarks }) =>
          entries === 0 ? (
            '–'
          ) : (
            <Link
              to="/reports/$classId"
              params={{ classId }}
              search={{ type: type === 'year_end' ? type : undefined, view: 'fill', subject: subject.id }}
            >
              {t('of', { count: remarks, all: entries })}
            </Link>
          ),
        ),
        {
          head: t('remind.column'),
          look: 'hidden',
          cell: (row) => (
            <RemindButton
              of={{ termId: term.id, reportType: type }}
              people={lacksMarks(row) ? (row.teachers.length > 0 ? row.teachers : row.class_teacher ? [row.class_teacher] : []) : []}
              label={t('remind.ofSubject', { class: row.class.name, subject: row.subject.name })}
            />
          ),
        },
      ]}
    />
  )
}
