import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { Badge, Card, Empty, FailureNotice, Loading, Notice } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { figure } from '../../words/format.ts'
import { fullName } from '../results/names.ts'
import { GenerateButton } from './book-actions.tsx'
import { type Checked, type Finding, findingKinds, findingsOf } from './checks.ts'
import { liveOfTerm, liveOfYear } from './live.ts'
import { RepairLink } from './repair-link.tsx'
import styles from './reports.module.css'
import { type OfBooks, useBooks, useEntries } from './use-books.ts'

/** What is computed now: of the term, or of the year where year-end books are looked at. */
function useLive(of: OfBooks, chosen: ChosenTerm) {
  const ofTerm = { studentGroupId: of.classId, termId: of.termId }
  const term = useQuery({ ...ask('calculations', 'classTerm', { query: ofTerm }), enabled: of.type === 'term' })
  const year = useQuery({
    ...ask('calculations', 'classYear', { query: { studentGroupId: of.classId, academicYearId: chosen.year?.id ?? '' } }),
    enabled: of.type === 'year_end',
  })
  const live = of.type === 'term' ? term.data && liveOfTerm(term.data) : year.data && liveOfYear(year.data)
  return { live, error: term.error ?? year.error }
}

/** The check before publishing: what is missing, what rests on too little, what looks wrong; each with the way to where it is repaired. */
export function CheckView({ of, chosen }: { of: OfBooks; chosen: ChosenTerm }) {
  const { t } = useTranslation('reports')
  const books = useBooks(of)
  const entries = useEntries(of)
  const missing = useQuery(askWhole('calculations', 'missingMarks', { query: { studentGroupId: of.classId, termId: of.termId } }))
  const { live, error } = useLive(of, chosen)
  const failure = books.error ?? entries.error ?? missing.error ?? error
  const isHere = books.data && entries.data && missing.data && live
  const findings = useMemo(() => {
    if (!books.data || !entries.data || !missing.data || !live) return []
    const marks = missing.data.map(({ subject_id: id, subject_name: name, subject_code: code, title, students }) => ({
      subject: { id, name, code },
      title,
      students,
    }))
    const result: Checked['result'] = of.type === 'term' ? 'term_composite' : 'year_grade'
    return findingsOf({ books: books.data, entries: entries.data, live, missing: marks, result })
  }, [books.data, entries.data, missing.data, live, of.type])
  if (failure) return <FailureNotice failure={failure} onRetry={() => void books.refetch()} />
  if (!isHere) return <Loading />
  if (books.data?.length === 0)
    return (
      <Empty>
        <p>{t('books.none')}</p>
        <GenerateButton of={of} count={0} />
      </Empty>
    )
  return <Findings of={of} findings={findings} count={books.data?.length ?? 0} />
}

function Findings({ of, findings, count }: { of: OfBooks; findings: readonly Finding[]; count: number }) {
  const { t } = useTranslation('reports')
  if (findings.length === 0) return <Notice tone="good">{t('check.clean')}</Notice>
  const isStale = findings.some(({ kind }) => kind === 'out_of_date' || kind === 'no_book')
  return (
    <>
      <Notice tone="warn">
        <span>{t('check.found', { count: findings.length })}</span>
        {isStale && <GenerateButton of={of} count={count} />}
      </Notice>
      <div className={styles['findings']}>
        {findingKinds.map((kind) => {
          const own = findings.filter((finding) => finding.kind === kind)
          return own.length > 0 && <FindingCard key={kind} of={of} findings={own} kind={kind} />
        })}
      </div>
    </>
  )
}

/** So many are read one by one; the rest is a number until somebody wants it. */
const READ = 8

function FindingCard({ of, kind, findings }: { of: OfBooks; kind: Finding['kind']; findings: readonly Finding[] }) {
  const { t } = useTranslation('reports')
  const [first, rest] = [findings.slice(0, READ), findings.slice(READ)]
  return (
    <Card title={t(`check.${kind}.title`)} actions={<Badge tone="warn">{findings.length}</Badge>}>
      <p className={styles['why']}>{t(`check.${kind}.why`)}</p>
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

const FindingList = ({ of, findings }: { of: OfBooks; findings: readonly Finding[] }) => (
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

function FindingText({ finding: { kind, student, subject, title, found, usual } }: { finding: Finding }) {
  const { t } = useTranslation('reports')
  const name = student ? fullName(student) : ''
  if (kind === 'subject_outlier')
    return t('check.subject_outlier.text', { subject: subject?.name, found: figure(found ?? null), usual: figure(usual ?? null) })
  if (kind === 'pupil_outlier' || kind === 'exam_outlier')
    return t(`check.${kind}.text`, { name, subject: subject?.name, found: figure(found ?? null), usual: figure(usual ?? null) })
  if (title) return t('check.markOf', { name, subject: subject?.name, title })
  return subject ? t('check.subjectOf', { name, subject: subject.name }) : name
}
