import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import layout from '../../components/layout.module.css'
import { Badge } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { nameOf } from '../../words/names.ts'
import { useAsking } from '../reports/approval.tsx'
import { Meter } from './meter.tsx'
import styles from './overview.module.css'
import { useOverviewSearch } from './overview-search.ts'
import type { Period } from './period.ts'
import { RemindButton } from './reminders.tsx'
import { type ClassRow, hasAllRemarks, isAllApproved, marksOf, peopleBehind, sorted } from './rows.ts'
import { sortedColumn } from './sorted-head.tsx'

const sorts: Record<string, (row: ClassRow) => number> = {
  marks: (row) => marksOf(row).missing + marksOf(row).unassessed,
  books: ({ students, books, outdated }) => students - books.made + outdated,
  remarks: ({ books }) => books.without_remark,
  approval: ({ books }) => books.to_approve + books.sent_back,
  published: ({ books }) => books.published,
  sent: ({ books }) => books.sent,
}

type Props = { rows: readonly ClassRow[]; period: Period; onApprove: (classId: string) => void }

/** A row for each class, with a column for each step from the marks to the ministry. */
export function ClassTable({ rows, period, onApprove }: Props) {
  const { t } = useTranslation(['overview', 'classes'])
  const { search } = useOverviewSearch()
  const asks = useAsking().approves_reports === true
  const type = period.type === 'year_end' ? period.type : undefined
  const toBooks = ({ class: { id } }: ClassRow, children: ReactNode, view?: 'fill') => (
    <Link to="/reports/$classId" params={{ classId: id }} search={{ type, view }}>
      {children}
    </Link>
  )
  const columns: (Column<ClassRow> | false)[] = [
    sortedColumn('class', t('class'), ({ class: group, class_teacher }) => (
      <>
        <Link to="/classes/$classId" params={{ classId: group.id }}>
          {group.name}
        </Link>
        <div className={layout['note']}>{class_teacher ? nameOf(class_teacher) : t('noClassTeacher')}</div>
      </>
    )),
    sortedColumn('marks', t('marks'), (row) => <MarksCell row={row} />),
    sortedColumn('books', t('booksMade'), (row) =>
      toBooks(
        row,
        <span className={styles['figure']}>
          <Meter count={Math.min(row.books.made, row.students)} all={row.students} />
          {row.outdated > 0 && <Badge tone="warn">{t('outdated', { count: row.outdated })}</Badge>}
        </span>,
      ),
    ),
    sortedColumn('remarks', t('remarksMissing'), (row) =>
      row.books.without_remark > 0
        ? toBooks(row, <Badge tone="warn">{row.books.without_remark}</Badge>, 'fill')
        : hasAllRemarks(row.books)
          ? '✓'
          : '–',
    ),
    asks && sortedColumn('approval', t('toApprove'), (row) => <ApprovalCell row={row} toBooks={toBooks} onApprove={onApprove} />),
    sortedColumn('published', t('published'), (row) => countOf(row.books.published, (count) => toBooks(row, count))),
    sortedColumn('sent', t('sent'), (row) => countOf(row.books.sent, (count) => toBooks(row, count))),
    {
      head: t('remind.column'),
      look: 'hidden',
      cell: (row) => (
        <RemindButton
          of={{ termId: period.term.id, reportType: period.type }}
          people={peopleBehind(row)}
          label={t('remind.ofClass', { class: row.class.name })}
        />
      ),
    },
  ]
  const shown = sorted(rows, search.sort ? sorts[search.sort] : undefined, search.down === true)
  return <Table label={t('views.classes')} columns={columns} rows={shown} keyOf={(row) => row.class.id} />
}

const countOf = (count: number, link: (count: number) => ReactNode) => (count > 0 ? link(count) : '–')

type ApprovalCellProps = Pick<Props, 'onApprove'> & {
  row: ClassRow
  toBooks: (row: ClassRow, children: ReactNode) => ReactNode
}

/** The number of report books that wait for the administrator, and that were sent back to the class teacher. */
function ApprovalCell({ row, toBooks, onApprove }: ApprovalCellProps) {
  const { t } = useTranslation('overview')
  const { to_approve, sent_back } = row.books
  if (to_approve + sent_back === 0) return isAllApproved(row.books) ? '✓' : '–'
  return (
    <span className={layout['wrap']}>
      {to_approve > 0 && toBooks(row, <Badge tone="warn">{to_approve}</Badge>)}
      {to_approve > 0 && (
        <Button size="small" aria-label={t('approveOf', { class: row.class.name })} onClick={() => onApprove(row.class.id)}>
          {t('approve')}
        </Button>
      )}
      {sent_back > 0 && toBooks(row, <Badge>{t('sentBack', { count: sent_back })}</Badge>)}
    </span>
  )
}

function MarksCell({ row }: { row: ClassRow }) {
  const { t } = useTranslation('overview')
  const { search } = useOverviewSearch()
  const { expected, recorded, missing, missingInSent, unassessed } = marksOf(row)
  return (
    <Link
      to="/overview"
      search={{ type: search.type, missing: search.missing, view: 'subjects', class: row.class.id }}
      className={styles['figure']}
    >
      <Meter count={recorded} all={expected} />
      {missing > 0 && <Badge tone="warn">{t('missing', { count: missing })}</Badge>}
      {missingInSent > 0 && <Badge>{t('missingInSent', { count: missingInSent })}</Badge>}
      {unassessed > 0 && <Badge>{t('unassessed', { count: unassessed })}</Badge>}
    </Link>
  )
}
