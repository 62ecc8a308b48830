import type { ClassProgress } from '@markbook/shared/contract/classes'
import { Link } from '@tanstack/react-router'
import ArrowRight from 'lucide-react/icons/arrow-right'
import PencilLine from 'lucide-react/icons/pencil-line'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../components/button-link.tsx'
import { Icon } from '../../components/icon.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Card, ProgressBar } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { percent } from '../../words/format.ts'
import { termLabel } from '../../words/term-label.ts'
import styles from './home.module.css'
import { type OutdatedReports, OutdatedReportsLink, useOutdatedReports } from './outdated-reports.tsx'
import { byClass, type ClassTotal, type Counted, missingOf, shareOf } from './progress.ts'

/** The teacher's subjects by class, each with a link to its marks. */
export function OwnMarks({ rows }: { rows: readonly ClassProgress[] }) {
  const { t } = useTranslation(['home', 'app'])
  const { term } = useChosenTerm()
  return (
    <MarksCard
      title={t('marks.title', { term: term && termLabel(term.name) })}
      rows={rows}
      inside={(total) =>
        total.rows.length > 1 && (
          <ul className={layout['ruled']}>
            {total.rows.map((row) => (
              <OwnSubject key={row.subject.id} row={row} />
            ))}
          </ul>
        )
      }
    />
  )
}

/** Every class of the term: missing marks, subjects without an assessment, and report books older than the marks. */
export function AllClasses({ rows }: { rows: readonly ClassProgress[] }) {
  const { t } = useTranslation('home')
  const outdated = useOutdatedReports(byClass(rows).map((total) => total.class.id))
  return (
    <MarksCard
      title={t('classes.title')}
      rows={rows}
      inside={(total) => <Gaps total={total} outdated={outdated.filter(({ classId }) => classId === total.class.id)} />}
    />
  )
}

type MarksCardProps = { title: string; rows: readonly ClassProgress[]; inside: (total: ClassTotal) => ReactNode }

/** The progress of these marks: in all, the first grid with missing marks, and each class. */
function MarksCard({ title, rows, inside }: MarksCardProps) {
  const { t } = useTranslation('home')
  const totals = byClass(rows)
  const recorded = totals.reduce((sum, total) => sum + total.recorded, 0)
  const expected = totals.reduce((sum, total) => sum + total.expected, 0)
  return (
    <Card title={title} className={totals.length > 1 ? styles['whole'] : undefined} actions={<NextGrid rows={rows} />}>
      {totals.length > 1 && expected > 0 && (
        <div className={styles['sum']}>
          <ProgressBar label={title} done={recorded} total={expected} />
          <span className={layout['soft']}>{t('marks.of', { recorded, expected, count: expected })}</span>
        </div>
      )}
      <ul className={styles['classes']} aria-label={t('classes.table')}>
        {totals.map((total) => (
          <li key={total.class.id} className={styles['class']}>
            <ClassHead total={total} />
            {inside(total)}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** A link to the first grid with missing marks. */
function NextGrid({ rows }: { rows: readonly ClassProgress[] }) {
  const { t } = useTranslation('home')
  const next = rows.find((row) => missingOf(row) > 0)
  if (!next) return null
  return (
    <ButtonLink to="/marks/$classId/$subjectId" params={{ classId: next.class.id, subjectId: next.subject.id }} look="primary" size="small">
      {t('marks.next', { what: t('marks.what', { class: next.class.name, subject: next.subject.name }) })}
      <Icon of={ArrowRight} />
    </ButtonLink>
  )
}

/** The only line of a class in which the teacher has one subject. */
function ClassHead({ total }: { total: ClassTotal }) {
  const { t } = useTranslation('home')
  const { recorded, expected } = total
  const [own, ...more] = total.rows
  const only = own?.is_own && more.length === 0 ? own : undefined
  return (
    <div className={styles['classHead']}>
      <Ring share={shareOf(total)} />
      <div>
        <h3>
          {only ? (
            t('marks.what', { class: only.class.name, subject: only.subject.name })
          ) : (
            <Link to="/classes/$classId" params={{ classId: total.class.id }}>
              {total.class.name}
            </Link>
          )}
        </h3>
        {expected > 0 && <span className={layout['note']}>{t('marks.of', { recorded, expected, count: expected })}</span>}
      </div>
      <div className={styles['state']}>
        <ClassState total={total} />
        {only && <EnterLink row={only} />}
      </div>
    </div>
  )
}

const RADIUS = 20
const AROUND = 2 * Math.PI * RADIUS

/** The share of entered marks as a ring; the words beside it have the numbers. */
function Ring({ share }: { share: number | null }) {
  return (
    <svg className={styles['ring']} viewBox="0 0 48 48" width={48} height={48} aria-hidden="true">
      <circle cx={24} cy={24} r={RADIUS} />
      {share !== null && share > 0 && (
        <circle className={styles['done']} cx={24} cy={24} r={RADIUS} strokeDasharray={`${(AROUND * share) / 100} ${AROUND}`} />
      )}
      {share === 100 ? (
        <path d="m16 24.5 5.5 5.5 11-12" />
      ) : (
        <text x={24} y={28} textAnchor="middle">
          {share === null ? '–' : percent(share)}
        </text>
      )}
    </svg>
  )
}

function ClassState({ total: { is_sent, expected, missing, unassessed } }: { total: ClassTotal }) {
  const { t } = useTranslation('home')
  if (is_sent) return <Badge>{t('classes.sent')}</Badge>
  if (expected === 0) return <Badge tone="warn">{t('marks.noAssessments')}</Badge>
  if (missing > 0) return <Badge tone="warn">{t('marks.missing', { count: missing })}</Badge>
  return unassessed.length === 0 && <Badge tone="good">{t('classes.complete')}</Badge>
}

/** The subjects with missing marks, each with a link to its grid; subjects without an assessment; and report books older than the marks. */
function Gaps({ total, outdated }: { total: ClassTotal; outdated: readonly OutdatedReports[] }) {
  const { t } = useTranslation('home')
  const gaps = total.rows.filter((row) => missingOf(row) > 0)
  const { unassessed } = total
  return (
    <>
      {gaps.length > 0 && (
        <p className={styles['gaps']}>
          {gaps.map((row) => (
            <Link
              key={row.subject.id}
              to="/marks/$classId/$subjectId"
              params={{ classId: row.class.id, subjectId: row.subject.id }}
              aria-label={t('marks.enterFor', { what: t('marks.what', { class: row.class.name, subject: row.subject.name }) })}
            >
              {t('reports.lackingOne', { subject: row.subject.name, count: missingOf(row) })}
            </Link>
          ))}
        </p>
      )}
      {total.expected > 0 && unassessed.length > 0 && (
        <p className={layout['note']}>
          {t('classes.unassessed', { count: unassessed.length, subjects: unassessed.map(({ name }) => name).join(', ') })}
        </p>
      )}
      {outdated.map((one) => (
        <OutdatedReportsLink key={one.type} reports={one} name={total.class.name} />
      ))}
    </>
  )
}

function EnterLink({ row }: { row: ClassProgress }) {
  const { t } = useTranslation('home')
  return (
    <ButtonLink
      to="/marks/$classId/$subjectId"
      params={{ classId: row.class.id, subjectId: row.subject.id }}
      size="small"
      aria-label={t('marks.enterFor', { what: t('marks.what', { class: row.class.name, subject: row.subject.name }) })}
    >
      <Icon of={PencilLine} />
      {t('marks.enter')}
    </ButtonLink>
  )
}

/** A subject of the teacher, in a class where they have several. */
const OwnSubject = ({ row }: { row: ClassProgress }) => (
  <li className={styles['subject']}>
    <strong>{row.subject.name}</strong>
    <EnterLink row={row} />
    <SubjectState row={row} />
  </li>
)

/** A subject of the teacher's own class, whoever teaches it, with a link to its marks. */
export const SubjectProgress = ({ row }: { row: ClassProgress }) => (
  <li className={styles['subject']}>
    <Link to="/marks/$classId/$subjectId" params={{ classId: row.class.id, subjectId: row.subject.id }}>
      {row.subject.name}
    </Link>
    <SubjectState row={row} />
  </li>
)

function SubjectState({ row }: { row: ClassProgress }) {
  const { t } = useTranslation('home')
  if (row.assessments === 0) return <span className={layout['note']}>{t('marks.noAssessments')}</span>
  return <MarksEntered name={t('marks.what', { class: row.class.name, subject: row.subject.name })} of={row} />
}

/** How many of the expected marks are entered, and how many are missing. */
export function MarksEntered({ name, of }: { name: string; of: Counted }) {
  const { t } = useTranslation('home')
  const { recorded, expected } = of
  const missing = missingOf(of)
  return (
    <>
      <ProgressBar label={name} done={recorded} total={expected} />
      <span className={layout['note']}>
        {recorded >= expected
          ? t('marks.complete', { count: recorded })
          : [t('marks.of', { recorded, expected, count: expected }), missing > 0 && t('marks.missing', { count: missing })]
              .filter(Boolean)
              .join(', ')}
      </span>
    </>
  )
}
