import type { ClassReportEntry } from '@markbook/shared/contract/reports'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { InlineSelect, Options } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Empty } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { figure } from '../../words/format.ts'
import { listedName, nameOf } from '../../words/names.ts'
import { useScale } from '../results/class-page.tsx'
import { FigureSign } from '../results/partial-figures.tsx'
import { SentBackReason } from './approval.tsx'
import { type BookScope, booksRequest, useBooks, useEntries, usePartialAverage } from './book-queries.ts'
import { useBooksSearch } from './book-search.ts'
import { BookRow, EntryRow, FillRows, writtenIn } from './fill-rows.tsx'
import { NoBooks } from './generate-button.tsx'
import styles from './reports.module.css'
import { LeaveWarning } from './use-autosave.tsx'

type FillProps = { of: BookScope; chosen: ChosenTerm; owns: boolean }

/** The form of a class: the class teacher's texts, or those of one subject. Subject teachers see their own subjects. */
export function FillView({ of, chosen, owns }: FillProps) {
  const { t } = useTranslation('reports')
  const { search, change } = useBooksSearch()
  const entries = useEntries(of)
  const subjects = subjectsIn(entries.data ?? [])
  const subject = subjects.find(({ id }) => id === search.subject) ?? (owns ? undefined : subjects[0])
  const choose = (id: string) => change(({ at: _at, subject: _before, ...rest }) => (id ? { ...rest, subject: id } : rest))
  if (!owns && entries.data?.length === 0) return <NoBooksYet classId={of.classId} />
  return (
    <>
      <LeaveWarning />
      <InlineSelect label={t('fill.what')} value={subject?.id ?? ''} onChange={({ target }) => choose(target.value)}>
        {owns && <option value="">{t('fill.classPart')}</option>}
        <Options of={subjects.map(({ id, name }) => ({ id, name: t('fill.subjectPart', { name }) }))} />
      </InlineSelect>
      <p className={layout['note']}>
        {t('fill.saves')} <span className={layout['ofKeyboard']}>{t('fill.keys')}</span>
      </p>
      {subject ? (
        <Answer of={entries}>
          {(list) => <SubjectRows key={subject.id} of={of} chosen={chosen} owns={owns} entries={list} subject={subject} />}
        </Answer>
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

/** The other terms of the year, whose remarks are suggested too. */
const otherTerms = ({ of, chosen }: { of: BookScope; chosen: ChosenTerm }) => chosen.terms.filter(({ id }) => id !== of.termId)

function ClassRows({ of, chosen }: { of: BookScope; chosen: ChosenTerm }) {
  const { t } = useTranslation('reports')
  const { at } = useBooksSearch().search
  const books = useBooks(of)
  const isPartial = usePartialAverage(of)
  const earlier = useQueries({
    queries: otherTerms({ of, chosen }).map(({ id }) => ({
      ...ask('reports', 'list', booksRequest({ ...of, termId: id })),
      staleTime: 600_000,
    })),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  })
  const written = useMemo(() => writtenIn([...(books.data ?? []), ...earlier]), [books.data, earlier])
  return (
    <Answer of={books} empty={<NoBooks of={of} />}>
      {(list) => (
        <FillRows kind="book" label={t('fill.classPart')} at={at}>
          {list.map((book) => (
            <BookRow
              key={book.id}
              book={book}
              head={
                <>
                  <Link to="/reports/book/$reportId" params={{ reportId: book.id }} tabIndex={-1}>
                    {listedName(book.student)}
                  </Link>
                  <span className={`${layout['note']} ${styles['figures']}`}>
                    {figure(book.overall_average)}
                    {isPartial(book) && <FigureSign of="partial" />}{' '}
                    {book.position !== null && `· ${t('placed', { position: book.position, total: book.total_students })}`}
                  </span>
                </>
              }
              notice={<SentBackReason book={book} />}
              name={nameOf(book.student)}
              firstName={book.student.first_name}
              written={written}
            />
          ))}
        </FillRows>
      )}
    </Answer>
  )
}

type SubjectProps = FillProps & { entries: readonly ClassReportEntry[]; subject: SubjectRef }

function SubjectRows({ of, chosen, owns, entries, subject }: SubjectProps) {
  const { t } = useTranslation('reports')
  const { at } = useBooksSearch().search
  const scale = useScale(chosen.year?.id ?? '')
  const earlier = useQueries({
    queries: otherTerms({ of, chosen }).map(({ id }) => ({
      ...askWhole('reports', 'entries', booksRequest({ ...of, termId: id })),
      staleTime: 600_000,
    })),
    combine: (answers) => answers.flatMap(({ data }) => data ?? []),
  })
  const books = useBooks(of, owns)
  const bookById = new Map(books.data?.map((book) => [book.id, book]))
  const own = entries.filter((entry) => entry.subject.id === subject.id)
  const written = useMemo(
    () =>
      [...entries, ...earlier]
        .filter((entry) => entry.subject.id === subject.id)
        .map(({ id, teacher_remark, student }) => ({ text: teacher_remark ?? '', firstName: student.first_name, rowId: id })),
    [entries, earlier, subject.id],
  )
  const result = of.type === 'term' ? ('term_composite' as const) : ('year_grade' as const)
  return (
    <Answer of={scale}>
      {({ pass_mark, bands }) => (
        <FillRows kind="entry" label={t('fill.subjectPart', { name: subject.name })} at={at}>
          {own.map((entry) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              of={of}
              yearId={chosen.year?.id ?? ''}
              readsBooks={owns}
              result={entry[result]}
              isPartial={entry.is_partial === true}
              isLocked={entry.status === 'sent_to_ministry'}
              title={listedName(entry.student)}
              notice={<SentBackReason book={bookById.get(entry.report_book_id)} />}
              name={nameOf(entry.student)}
              firstName={entry.student.first_name}
              written={written}
              scale={{ passMark: pass_mark, bands }}
            />
          ))}
        </FillRows>
      )}
    </Answer>
  )
}

/** For a subject teacher before the report books are made: who makes them, and what comes then. */
function NoBooksYet({ classId }: { classId: string }) {
  const { t } = useTranslation('reports')
  const { id } = useProfile()
  const teachers = useQuery(ask('classes', 'teachers', { params: { classId } }))
  const group = useQuery(ask('classes', 'get', { params: { classId } }))
  const own = teachers.data?.find(({ teacherId }) => teacherId === id)?.subjects ?? []
  const head = teachers.data?.find(({ isClassTeacher }) => isClassTeacher)
  const [first] = own
  if (!first) return <Empty>{t('fill.noneYours')}</Empty>
  return (
    <Empty>
      <p>
        {t('fill.notMade', { class: group.data?.name ?? '' })}{' '}
        {head ? t('fill.madeBy', { name: nameOf({ first_name: head.firstName, last_name: head.lastName }) }) : t('fill.madeByHead')}{' '}
        {t('fill.thenYours', { count: own.length, subjects: own.map(({ name }) => name).join(', ') })}
      </p>
      <ButtonLink to="/marks/$classId/$subjectId" params={{ classId, subjectId: first.id }}>
        {t('fill.toMarks')}
      </ButtonLink>
    </Empty>
  )
}
