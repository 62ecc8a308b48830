import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { FailureNotice, Loading, Notice } from '../../components/page.tsx'
import { unassessedIn } from '../home/progress.ts'
import { type BookScope, type ListedBook, useBooks, useEntries, useStanding } from './book-queries.ts'
import { isOutdated } from './book-standing.ts'
import { type Finding, findingKinds, findingsOf, findingsOfBooks, type LiveResult } from './checks.ts'
import styles from './reports.module.css'

type Props = { of: BookScope; yearId: string; books: readonly Pick<ListedBook, 'student'>[] }

/** The findings about these books before they change status: the count of each kind, and a link to the check. */
export function OpenFindings({ of, yearId, books }: Props) {
  const { t } = useTranslation('reports')
  const { findings, error } = useFindings(of, yearId)
  if (error) return <FailureNotice failure={error} />
  if (!findings) return <Loading />
  const own = findingsOfBooks(findings, books)
  if (own.length === 0) return <Notice tone="good">{t(books.length === 1 ? 'open.nothingInOne' : 'open.nothing')}</Notice>
  const counts = findingKinds.map((kind) => [kind, own.filter((finding) => finding.kind === kind).length] as const)
  return (
    <Notice tone="warn">
      <div>
        <p>
          <strong>{t(books.length === 1 ? 'open.foundInOne' : 'open.found', { count: own.length })}</strong>
        </p>
        <ul className={styles['plain']}>
          {counts.map(
            ([kind, count]) =>
              count > 0 && (
                <li key={kind} className={kind === 'out_of_date' ? styles['grave'] : undefined}>
                  {kind === 'out_of_date' ? t('open.behind', { count }) : t('open.of', { what: t(`check.${kind}.title`), count })}
                </li>
              ),
          )}
        </ul>
        <Link
          to="/reports/$classId"
          params={{ classId: of.classId }}
          search={{ ...(of.type === 'year_end' && { type: of.type }), view: 'check' }}
        >
          {t('open.toCheck')}
        </Link>
      </div>
    </Notice>
  )
}

/** Everything to look at before the books of a class are published (docs/design/reports.md); `findings` is null while anything loads. */
export function useFindings(of: BookScope, yearId: string) {
  const isTerm = of.type === 'term'
  const ofTerm = { studentGroupId: of.classId, termId: of.termId }
  const books = useBooks(of)
  const entries = useEntries(of)
  const standing = useStanding(of)
  const missing = useQuery({ ...askWhole('calculations', 'missingMarks', { query: ofTerm }), staleTime: 0 })
  const progress = useQuery({ ...askWhole('classes', 'progress', { query: { termId: of.termId } }), staleTime: 0 })
  const term = useQuery({ ...ask('calculations', 'classTerm', { query: ofTerm }), enabled: isTerm })
  const year = useQuery({
    ...ask('calculations', 'classYear', { query: { studentGroupId: of.classId, academicYearId: yearId } }),
    enabled: !isTerm && yearId !== '',
  })
  const findings = useMemo((): readonly Finding[] | null => {
    const live = isTerm
      ? term.data && liveResults(term.data.students, (subject) => subject.term_composite)
      : year.data && liveResults(year.data.students, (subject) => subject.year_grade)
    if (!books.data || !entries.data || !standing.data || !missing.data || !progress.data || !live) return null
    return findingsOf({
      books: books.data,
      entries: entries.data,
      live,
      missing: missing.data.map((mark) => ({ subject: subjectOf(mark), title: mark.title, students: mark.students })),
      behind: new Set(standing.data.filter(isOutdated).map(({ report_id }) => report_id)),
      unassessed: unassessedIn(progress.data, of.classId).map(({ subject: { id, name, code } }) => ({ id, name, code })),
      result: isTerm ? 'term_composite' : 'year_grade',
    })
  }, [books.data, entries.data, standing.data, missing.data, progress.data, term.data, year.data, isTerm, of.classId])
  const failed = [books, entries, standing, missing, term, year, progress].find(({ error }) => error)
  return { findings, books: books.data?.length, error: failed?.error }
}

type Named = { subject_id: string; subject_name: string; subject_code: string }
const subjectOf = ({ subject_id: id, subject_name: name, subject_code: code }: Named) => ({ id, name, code })

type Calculated<S> = {
  student: LiveResult['student']
  subjects: readonly (S & Named & { is_partial: boolean; under_review?: true | undefined })[]
}

function liveResults<S>(students: readonly Calculated<S>[], resultOf: (subject: S) => number | null): LiveResult[] {
  return students.map(({ student, subjects }) => ({
    student,
    subjects: subjects.map((subject) => ({
      subject: subjectOf(subject),
      result: resultOf(subject),
      is_partial: subject.is_partial,
      under_review: subject.under_review === true,
    })),
  }))
}
