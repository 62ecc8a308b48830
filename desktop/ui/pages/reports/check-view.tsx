import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { refresh } from '../../api/queries.ts'
import { Badge, Card, Empty, FailureNotice, Loading, Notice } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { figure } from '../../words/format.ts'
import { fullName } from '../results/names.ts'
import { type Finding, findingKinds } from './checks.ts'
import { GenerateButton } from './generate-button.tsx'
import { RepairLink } from './repair-link.tsx'
import styles from './reports.module.css'
import type { OfBooks } from './use-books.ts'
import { useFindings } from './use-findings.ts'

/** The check before publishing: what is missing, what rests on too little, what looks wrong; each with the way to where it is repaired. */
export function CheckView({ of, chosen }: { of: OfBooks; chosen: ChosenTerm }) {
  const { t } = useTranslation('reports')
  const queries = useQueryClient()
  const { findings, books, error } = useFindings(of, chosen.year?.id ?? '')
  if (error) return <FailureNotice failure={error} onRetry={() => void refresh(queries, ['reports', 'calculations', 'classes'])} />
  if (!findings || books === undefined) return <Loading />
  if (books === 0)
    return (
      <Empty>
        <p>{t('books.none')}</p>
        <GenerateButton of={of} count={0} />
      </Empty>
    )
  return <Findings of={of} findings={findings} count={books} />
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
  if (!student) return subject?.name ?? ''
  return subject ? t('check.subjectOf', { name, subject: subject.name }) : name
}
