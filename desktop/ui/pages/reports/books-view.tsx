import type { ReportStanding } from '@markbook/shared/contract/reports'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Answer, Badge, Empty, numberCell, Table } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { figure, moment } from '../../words/format.ts'
import { listName } from '../results/names.ts'
import { BehindNotice } from './behind-notice.tsx'
import { BookActions } from './book-actions.tsx'
import { GenerateButton } from './generate-button.tsx'
import type { ListedBook } from './kept-books.ts'
import styles from './reports.module.css'
import { type Group, tones } from './standing.tsx'
import { isBehind, paperOf } from './standings.ts'
import { type OfBooks, useBooks, useEntries } from './use-books.ts'
import { useStanding } from './use-standing.ts'

/** The books of a class with the state of each, and what can be done with all of them. */
export function BooksView({ of, group, chosen }: { of: OfBooks; group: Group; chosen: ChosenTerm }) {
  const { t } = useTranslation('reports')
  const books = useBooks(of)
  return (
    <Answer of={books}>
      {(list) =>
        list.length === 0 ? (
          <Empty>
            <p>{t('books.none')}</p>
            <GenerateButton of={of} count={0} />
          </Empty>
        ) : (
          <>
            <BehindNotice of={of} isBesideButton />
            <BookActions of={of} books={list} group={group} chosen={chosen} />
            <BookTable of={of} books={list} />
          </>
        )
      }
    </Answer>
  )
}

function BookTable({ of, books }: { of: OfBooks; books: readonly ListedBook[] }) {
  const { t } = useTranslation('reports')
  const entries = useEntries(of)
  const standing = useStanding(of)
  const standingByBookId = new Map(standing.data?.map((one) => [one.report_id, one]))
  const wordsByBookId = new Map<string, { written: number; all: number }>()
  for (const { report_book_id, teacher_remark } of entries.data ?? []) {
    const { written, all } = wordsByBookId.get(report_book_id) ?? { written: 0, all: 0 }
    wordsByBookId.set(report_book_id, { written: written + (teacher_remark?.trim() ? 1 : 0), all: all + 1 })
  }
  return (
    <Table label={t('books.label')}>
      <thead>
        <tr>
          <th scope="col">{t('pupil')}</th>
          <th scope="col" className={numberCell}>
            {t('average')}
          </th>
          <th scope="col" className={numberCell}>
            {t('position')}
          </th>
          <th scope="col">{t('fill.classPart')}</th>
          <th scope="col">{t('books.subjectRemarks')}</th>
          <th scope="col">{t('state')}</th>
          <th scope="col">{t('pdf.column')}</th>
        </tr>
      </thead>
      <tbody>
        {books.map((book) => (
          <BookLine key={book.id} book={book} words={wordsByBookId.get(book.id)} standing={standingByBookId.get(book.id)} />
        ))}
      </tbody>
    </Table>
  )
}

type LineProps = { book: ListedBook; words: { written: number; all: number } | undefined; standing: ReportStanding | undefined }

function BookLine({ book, words, standing }: LineProps) {
  const { t } = useTranslation('reports')
  const { class_teacher_remark: remark, conduct, attendance_percentage: attendance } = book
  const parts = [remark?.trim(), conduct?.trim(), attendance !== null].filter(Boolean).length
  return (
    <tr>
      <th scope="row">
        <Link to="/reports/book/$reportId" params={{ reportId: book.id }}>
          {listName(book.student)}
        </Link>
      </th>
      <td className={numberCell}>{figure(book.overall_average)}</td>
      <td className={numberCell}>{book.position === null ? '–' : t('place', { position: book.position, total: book.total_students })}</td>
      <td>{parts === 3 ? `✓ ${t('books.written')}` : t('books.parts', { written: parts, all: 3 })}</td>
      <td>{words && (words.written === words.all ? `✓ ${t('books.written')}` : t('books.parts', words))}</td>
      <td>
        <span className={styles['standing']}>
          <Badge tone={tones[book.status]}>{t(`status.${book.status}`)}</Badge>
          {standing && isBehind(standing) && <Badge tone="warn">{t('behind.book')}</Badge>}
        </span>
      </td>
      <td>{standing && <PdfState standing={standing} />}</td>
    </tr>
  )
}

function PdfState({ standing }: { standing: ReportStanding }) {
  const { t } = useTranslation('reports')
  if (!standing.paper) return t('pdf.none')
  return (
    <span className={styles['standing']}>
      {moment(standing.paper.generated_at)}
      {paperOf(standing) === 'older' && <Badge tone="warn">{t('pdf.older')}</Badge>}
    </span>
  )
}
