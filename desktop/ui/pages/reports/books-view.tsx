import type { ReportStanding } from '@markbook/shared/contract/reports'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import { Answer, Badge } from '../../components/page.tsx'
import { type Column, figureColumn, Table } from '../../components/table.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { moment } from '../../words/format.ts'
import { listedName } from '../../words/names.ts'
import { BookActions, type ClassRef, statusTones } from './book-actions.tsx'
import { type BookScope, type ListedBook, useBooks, useEntries, useStanding } from './book-queries.ts'
import { isOutdated, pdfStateOf } from './book-standing.ts'
import { NoBooks, OutdatedNotice } from './generate-button.tsx'

/** The books of a class with the state of each, and what can be done with all of them. */
export function BooksView({ of, group, chosen }: { of: BookScope; group: ClassRef; chosen: ChosenTerm }) {
  const books = useBooks(of)
  return (
    <Answer of={books}>
      {(list) =>
        list.length === 0 ? (
          <NoBooks of={of} />
        ) : (
          <>
            <OutdatedNotice of={of} isBesideButton />
            <BookActions of={of} books={list} group={group} chosen={chosen} />
            <BookTable of={of} books={list} />
          </>
        )
      }
    </Answer>
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
  const columns: Column<ListedBook>[] = [
    {
      head: t('pupil'),
      cell: ({ id, student }) => (
        <Link to="/reports/book/$reportId" params={{ reportId: id }}>
          {listedName(student)}
        </Link>
      ),
    },
    figureColumn(t('average'), (book) => book.overall_average),
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
    { head: t('state'), cell: (book) => <BookState book={book} standing={standingByBookId.get(book.id)} /> },
    {
      head: t('pdf.column'),
      cell: ({ id }) => {
        const own = standingByBookId.get(id)
        return own && <PdfState standing={own} />
      },
    },
  ]
  return <Table label={t('books.label')} columns={columns} rows={books} keyOf={({ id }) => id} />
}

/** What the class teacher has written into a book, of three parts. */
const partsOf = ({ class_teacher_remark: remark, conduct, attendance_percentage: attendance }: ListedBook) => ({
  written: [remark?.trim(), conduct?.trim(), attendance !== null].filter(Boolean).length,
  all: 3,
})

function Written({ written, all }: { written: number; all: number }) {
  const { t } = useTranslation('reports')
  return written === all ? `✓ ${t('books.written')}` : t('books.parts', { written, all })
}

function BookState({ book, standing }: { book: ListedBook; standing: ReportStanding | undefined }) {
  const { t } = useTranslation('reports')
  return (
    <span className={layout['wrap']}>
      <Badge tone={statusTones[book.status]}>{t(`status.${book.status}`)}</Badge>
      {standing && isOutdated(standing) && <Badge tone="warn">{t('behind.book')}</Badge>}
    </span>
  )
}

function PdfState({ standing }: { standing: ReportStanding }) {
  const { t } = useTranslation('reports')
  if (!standing.paper) return t('pdf.none')
  return (
    <span className={layout['wrap']}>
      {moment(standing.paper.generated_at)}
      {pdfStateOf(standing) === 'older' && <Badge tone="warn">{t('pdf.older')}</Badge>}
    </span>
  )
}
