import type { ClassTerm, ClassYear } from '@markbook/shared/contract/calculations'
import { isPartialResult } from '@markbook/shared/domain/partial'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole, refresh } from '../../api/queries.ts'
import layout from '../../components/layout.module.css'
import { Badge, Card, Empty, FailureNotice, Loading, Notice } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { enumerated, figure } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { unassessedIn } from '../home/progress.ts'
import { subjectOf } from '../results/comparison.ts'
import { type BookScope, type ListedBook, useBooks, useEntries, useStanding } from './book-queries.ts'
import { isOutdated } from './book-standing.ts'
import { byAssessment, type Finding, findingKinds, findingsOf, findingsOfBooks, type LiveResult } from './checks.ts'
import { GenerateButton, NoBooks } from './generate-button.tsx'
import styles from './reports.module.css'

type Props = { of: BookScope; yearId: string; books: readonly Pick<ListedBook, 'student'>[] }

/** The findings about these report books before a change of status: the number of each kind, and a link to the check. */
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

/**
 * Everything to look at before the report books of a class are published (docs/design/reports.md); `findings` is null while anything loads.
 */
function useFindings(of: BookScope, yearId: string) {
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
    const live = (isTerm ? term.data : year.data)?.students.map(liveResult)
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
  const areSent = books.data?.every(({ status }) => status === 'sent_to_ministry') === true
  return { findings, books: books.data?.length, areSent, error: failed?.error }
}

type Calculated = ClassTerm['students'][number] | ClassYear['students'][number]

const liveResult = ({ student, subjects }: Calculated): LiveResult => ({
  student,
  subjects: subjects.map((subject) => ({
    subject: subjectOf(subject),
    result: 'year_grade' in subject ? subject.year_grade : subject.term_composite,
    is_partial: subject.is_partial || isPartialResult(subject),
    under_review: subject.under_review === true,
    ...('term_composite' in subject && { coursework_average: subject.coursework_average, exam_average: subject.exam_average }),
  })),
})

/** The check before publishing: each finding with a link to where it can be corrected. */
export function CheckView({ of, chosen }: { of: BookScope; chosen: ChosenTerm }) {
  const { t } = useTranslation('reports')
  const { findings, books, areSent, error } = useFindings(of, chosen.year?.id ?? '')
  if (error) return <FailureNotice failure={error} onRetry={() => void refresh(['reports', 'calculations', 'classes'])} />
  if (!findings || books === undefined) return <Loading />
  if (books === 0)
    return (
      <Empty>
        <NoBooks of={of} />
      </Empty>
    )
  if (findings.length === 0) return areSent ? <Notice>{t('check.sent')}</Notice> : <Notice tone="good">{t('check.clean')}</Notice>
  const isStale = findings.some(({ kind }) => kind === 'out_of_date' || kind === 'no_book')
  return (
    <>
      <Notice tone="warn">
        <span>{t('check.found', { count: findings.length })}</span>
        {isStale && <GenerateButton of={of} count={books} />}
      </Notice>
      <div className={styles['findings']}>
        {findingKinds.map((kind) => {
          const own = findings.filter((finding) => finding.kind === kind)
          if (own.length === 0) return null
          return kind === 'missing_mark' ? (
            <MissingMarks key={kind} of={of} findings={own} />
          ) : (
            <FindingCard key={kind} of={of} findings={own} kind={kind} />
          )
        })}
      </div>
    </>
  )
}

/** The number of findings of a kind that are listed; the others are collapsed. */
const MAX_OPEN = 8

function FindingCard({ of, kind, findings }: { of: BookScope; kind: Finding['kind']; findings: readonly Finding[] }) {
  const { t } = useTranslation('reports')
  const [first, rest] = [findings.slice(0, MAX_OPEN), findings.slice(MAX_OPEN)]
  return (
    <Card title={t(`check.${kind}.title`)} actions={<Badge tone="warn">{findings.length}</Badge>}>
      <p className={layout['soft']}>{t(`check.${kind}.why`)}</p>
      <FindingList of={of} findings={first} />
      {rest.length > 0 && (
        <details>
          <summary>{t('check.more', { count: rest.length })}</summary>
          <FindingList of={of} findings={rest} />
        </details>
      )}
    </Card>
  )
}

/** The missing marks by assessment: their number, and the pupils when expanded. */
function MissingMarks({ of, findings }: { of: BookScope; findings: readonly Finding[] }) {
  const { t } = useTranslation('reports')
  return (
    <Card title={t('check.missing_mark.title')} actions={<Badge tone="warn">{findings.length}</Badge>}>
      <p className={layout['soft']}>{t('check.missing_mark.why')}</p>
      <ul className={styles['finds']}>
        {byAssessment(findings).map(({ subject, title, findings: own }) => (
          <li key={`${subject.id} ${title}`}>
            <details>
              <summary>
                {t('check.marksOf', { title, subject: subject.name })} <Badge>{t('check.pupils', { count: own.length })}</Badge>
              </summary>
              <p>{enumerated(own.flatMap(({ student }) => (student ? [nameOf(student)] : [])))}</p>
            </details>
            <RepairLink of={of} finding={{ kind: 'missing_mark', subject, title }} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

const FindingList = ({ of, findings }: { of: BookScope; findings: readonly Finding[] }) => (
  <ul className={styles['finds']}>
    {findings.map((finding) => (
      <li key={`${finding.student?.id} ${finding.subject?.id} ${finding.title}`}>
        <span>
          <FindingText finding={finding} />
        </span>
        <RepairLink of={of} finding={finding} />
      </li>
    ))}
  </ul>
)

function FindingText({ finding: { kind, student, subject, found, usual } }: { finding: Finding }) {
  const { t } = useTranslation('reports')
  const name = student ? nameOf(student) : ''
  if (kind === 'subject_outlier')
    return t('check.subject_outlier.text', { subject: subject?.name, found: figure(found ?? null), usual: figure(usual ?? null) })
  if (kind === 'pupil_outlier' || kind === 'exam_outlier')
    return t(`check.${kind}.text`, { name, subject: subject?.name, found: figure(found ?? null), usual: figure(usual ?? null) })
  if (!student) return subject?.name ?? ''
  return subject ? t('check.subjectOf', { name, subject: subject.name }) : name
}

const ofMarks = ['missing_mark', 'under_review', 'partial', 'exam_outlier', 'pupil_outlier', 'subject_outlier']

/** The link to where a finding can be corrected: the marks, or the row of the form. */
function RepairLink({ of: { classId, type }, finding: { kind, student, subject, title, bookId } }: { of: BookScope; finding: Finding }) {
  const { t } = useTranslation(['reports', 'app'])
  const about = [student && nameOf(student), title, subject?.name].filter(Boolean).join(', ')
  const label = (word: 'assess' | 'working' | 'marks' | 'write') => ({
    'aria-label': `${t('app:label', { label: t(`check.${word}`) })} ${about}`,
    children: t(`check.${word}`),
  })
  if (kind === 'no_assessment') return <Link to="/assessments" search={{ subject: subject?.id }} {...label('assess')} />
  if (ofMarks.includes(kind) && subject)
    return (
      <span className={styles['links']}>
        {student && type === 'term' && kind !== 'missing_mark' && (
          <Link
            to="/results/$classId/students/$studentId"
            params={{ classId, studentId: student.id }}
            search={{ explain: subject.id }}
            {...label('working')}
          />
        )}
        <Link to="/marks/$classId/$subjectId" params={{ classId, subjectId: subject.id }} {...label('marks')} />
      </span>
    )
  if (kind === 'no_book' || kind === 'out_of_date') return null
  const row = { ...(subject && { subject: subject.id }), at: bookId }
  const search = { type: type === 'year_end' ? type : undefined, view: 'fill' as const, ...row }
  return <Link to="/reports/$classId" params={{ classId }} search={search} {...label('write')} />
}
