import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { refresh } from '../../api/queries.ts'
import layout from '../../components/layout.module.css'
import { Badge, Card, FailureNotice, Loading, Notice } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { figure } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import type { BookScope } from './book-queries.ts'
import { type Finding, findingKinds } from './checks.ts'
import { useFindings } from './findings.tsx'
import { GenerateButton, NoBooks } from './generate-button.tsx'
import styles from './reports.module.css'

/** The check before publishing: each finding with a link to where it is repaired. */
export function CheckView({ of, chosen }: { of: BookScope; chosen: ChosenTerm }) {
  const { findings, books, error } = useFindings(of, chosen.year?.id ?? '')
  if (error) return <FailureNotice failure={error} onRetry={() => void refresh(['reports', 'calculations', 'classes'])} />
  if (!findings || books === undefined) return <Loading />
  if (books === 0) return <NoBooks of={of} />
  return <Findings of={of} findings={findings} count={books} />
}

function Findings({ of, findings, count }: { of: BookScope; findings: readonly Finding[]; count: number }) {
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

/** Findings of a kind that are listed at once; the rest is folded. */
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

function FindingText({ finding: { kind, student, subject, title, found, usual } }: { finding: Finding }) {
  const { t } = useTranslation('reports')
  const name = student ? nameOf(student) : ''
  if (kind === 'subject_outlier')
    return t('check.subject_outlier.text', { subject: subject?.name, found: figure(found ?? null), usual: figure(usual ?? null) })
  if (kind === 'pupil_outlier' || kind === 'exam_outlier')
    return t(`check.${kind}.text`, { name, subject: subject?.name, found: figure(found ?? null), usual: figure(usual ?? null) })
  if (title) return t('check.markOf', { name, subject: subject?.name, title })
  if (!student) return subject?.name ?? ''
  return subject ? t('check.subjectOf', { name, subject: subject.name }) : name
}

const ofMarks = ['missing_mark', 'under_review', 'partial', 'exam_outlier', 'pupil_outlier', 'subject_outlier']

/** The link to where a finding is repaired: the marks, or the row of the form. */
function RepairLink({ of: { classId, type }, finding: { kind, student, subject, bookId } }: { of: BookScope; finding: Finding }) {
  const { t } = useTranslation('reports')
  const about = [student && nameOf(student), subject?.name].filter(Boolean).join(', ')
  const label = (word: 'assess' | 'working' | 'marks' | 'write') => ({
    'aria-label': `${t(`check.${word}`)}: ${about}`,
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
  const row = { ...(kind === 'no_subject_remark' && { subject: subject?.id }), at: bookId }
  const search = { type: type === 'year_end' ? type : undefined, view: 'fill' as const, ...row }
  return <Link to="/reports/$classId" params={{ classId }} search={search} {...label('write')} />
}
