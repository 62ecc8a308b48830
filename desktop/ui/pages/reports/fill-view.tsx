import type { ClassReportEntry } from '@markbook/shared/contract/reports'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { Answer } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { figure } from '../../words/format.ts'
import { fullName, listName } from '../results/names.ts'
import { useScale } from '../results/use-scale.ts'
import { BookRow } from './book-row.tsx'
import { bankOf } from './completions.ts'
import { EntryRow } from './entry-row.tsx'
import { FillRows } from './fill-rows.tsx'
import type { ListedBook } from './kept-books.ts'
import { LeavingRows } from './leaving.tsx'
import { NotYet } from './not-yet.tsx'
import styles from './reports.module.css'
import { booksAsked, type OfBooks, useBooks, useEntries } from './use-books.ts'
import { useBooksSearch } from './use-books-search.ts'

type FillProps = { of: OfBooks; chosen: ChosenTerm; owns: boolean }

/** Down the class by keyboard: the class teacher's remarks, or those of one subject. Teachers of subjects see their own. */
export function FillView({ of, chosen, owns }: FillProps) {
  const { t } = useTranslation('reports')
  const { subject: wanted } = useBooksSearch().search
  const entries = useEntries(of)
  const subjects = subjectsIn(entries.data ?? [])
  const subject = subjects.find(({ id }) => id === wanted) ?? (owns ? undefined : subjects[0])
  if (!owns && entries.data?.length === 0) return <NotYet classId={of.classId} />
  return (
    <>
      <LeavingRows />
      <FillChoice subjects={subjects} chosen={subject?.id} owns={owns} />
      <p className={styles['keys']}>{t('fill.keys')}</p>
      {subject ? (
        <Answer of={entries}>{(list) => <SubjectRows key={subject.id} of={of} chosen={chosen} entries={list} subject={subject} />}</Answer>
      ) : owns ? (
        <ClassRows of={of} chosen={chosen} />
      ) : (
        <Answer of={entries}>{() => null}</Answer>
      )}
    </>
  )
}

type SubjectRef = ClassReportEntry['subject']
const subjectsIn = (entries: readonly ClassReportEntry[]): SubjectRef[] => [
  ...new Map(entries.map(({ subject }) => [subject.id, subject])).values(),
]

function FillChoice({ subjects, chosen, owns }: { subjects: readonly SubjectRef[]; chosen: string | undefined; owns: boolean }) {
  const { t } = useTranslation('reports')
  const { change } = useBooksSearch()
  const choose = (subject: string) => change(({ at: _at, subject: _before, ...rest }) => (subject ? { ...rest, subject } : rest))
  return (
    <label className={styles['choice']}>
      <span>{t('fill.what')}</span>
      <select value={chosen ?? ''} onChange={({ target }) => choose(target.value)}>
        {owns && <option value="">{t('fill.classPart')}</option>}
        {subjects.map(({ id, name }) => (
          <option key={id} value={id}>
            {t('fill.subjectPart', { name })}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Terms of the year other than this one: what was written then is offered again. */
const otherTerms = ({ of, chosen }: { of: OfBooks; chosen: ChosenTerm }) => chosen.terms.filter(({ id }) => id !== of.termId)

function ClassRows({ of, chosen }: { of: OfBooks; chosen: ChosenTerm }) {
  const { t } = useTranslation('reports')
  const { at } = useBooksSearch().search
  const books = useBooks(of)
  const before = useQueries({
    queries: otherTerms({ of, chosen }).map(({ id }) => ({
      ...ask('reports', 'list', booksAsked({ ...of, termId: id })),
      staleTime: 600_000,
    })),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  })
  // Of this page itself only what was there when it was opened: a bank that grew with every key would offer half words.
  const first = books.data !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  const banks = useMemo(() => {
    const all = [...(books.data ?? []), ...before]
    const written = (text: (book: ListedBook) => string | null) =>
      bankOf(all.map((book) => ({ text: text(book) ?? '', firstName: book.student.first_name })))
    return { remark: written((book) => book.class_teacher_remark), conduct: written((book) => book.conduct) }
  }, [first, before.length])
  return (
    <Answer of={books} empty={t('books.none')}>
      {(list) => (
        <FillRows label={t('fill.classPart')} at={at} heads={[t('pupil'), t('fill.remark'), t('fill.conduct'), t('fill.attendance'), '']}>
          {list.map((book) => (
            <BookRow
              key={book.id}
              book={book}
              head={<BookHead book={book} />}
              name={fullName(book.student)}
              firstName={book.student.first_name}
              banks={banks}
            />
          ))}
        </FillRows>
      )}
    </Answer>
  )
}

function BookHead({ book }: { book: ListedBook }) {
  const { t } = useTranslation('reports')
  const { position, total_students: total } = book
  return (
    <>
      <Link to="/reports/book/$reportId" params={{ reportId: book.id }} tabIndex={-1}>
        {listName(book.student)}
      </Link>
      <span className={styles['figures']}>
        {figure(book.overall_average)} {position !== null && `· ${t('placed', { position, total })}`}
      </span>
    </>
  )
}

type SubjectProps = { of: OfBooks; chosen: ChosenTerm; entries: readonly ClassReportEntry[]; subject: SubjectRef }

function SubjectRows({ of, chosen, entries, subject }: SubjectProps) {
  const { t } = useTranslation('reports')
  const { at } = useBooksSearch().search
  const scale = useScale()
  const before = useQueries({
    queries: otherTerms({ of, chosen }).map(({ id }) => ({
      ...askWhole('reports', 'entries', booksAsked({ ...of, termId: id })),
      staleTime: 600_000,
    })),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  })
  const own = entries.filter((entry) => entry.subject.id === subject.id)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was there when it was opened, as above.
  const bank = useMemo(
    () =>
      bankOf(
        [...own, ...before.filter((entry) => entry.subject.id === subject.id)].map(({ teacher_remark, student }) => ({
          text: teacher_remark ?? '',
          firstName: student.first_name,
        })),
      ),
    [subject.id, before.length],
  )
  const result = of.type === 'term' ? ('term_composite' as const) : ('year_grade' as const)
  return (
    <Answer of={scale}>
      {({ pass_mark, bands }) => (
        <FillRows label={t('fill.subjectPart', { name: subject.name })} at={at} heads={[t('pupil'), t('fill.letter'), t('fill.remark')]}>
          {own.map((entry) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              result={entry[result]}
              isLocked={entry.status === 'sent_to_ministry'}
              head={<EntryHead entry={entry} result={entry[result]} />}
              name={fullName(entry.student)}
              firstName={entry.student.first_name}
              bank={bank}
              scale={{ passMark: pass_mark, bands }}
            />
          ))}
        </FillRows>
      )}
    </Answer>
  )
}

function EntryHead({ entry, result }: { entry: ClassReportEntry; result: number | null }) {
  const { t } = useTranslation('reports')
  return (
    <>
      <span>{listName(entry.student)}</span>
      <span className={styles['figures']}>
        {t('fill.figures', { coursework: figure(entry.coursework_average), exam: figure(entry.exam_average), result: figure(result) })}
      </span>
    </>
  )
}
