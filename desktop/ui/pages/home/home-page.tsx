import type { ClassProgress } from '@markbook/shared/contract/classes'
import { Failure } from '@markbook/shared/failures'
import { useQuery } from '@tanstack/react-query'
import BookOpen from 'lucide-react/icons/book-open'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { isAdmin, isStaff, useProfile } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Icon } from '../../components/icon.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, FailureNotice, Loading, Page } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { fullDay } from '../../words/format.ts'
import { AccountNotices } from '../account/account-notices.tsx'
import { Offers } from '../sign-in/offers.tsx'
import { AuditNotice } from './audit-notice.tsx'
import { AllClasses, OwnMarks, SubjectProgress } from './class-progress.tsx'
import { Decisions, OwnDecisions } from './decisions.tsx'
import { FirstSteps, useFirstSteps, useStepsAgain } from './first-steps.tsx'
import styles from './home.module.css'
import { OutdatedReportsLink, useOutdatedReports } from './outdated-reports.tsx'
import { OwnSets } from './set-progress.tsx'

/** Today: what this person can do now. */
export function HomePage() {
  const { t } = useTranslation('home')
  const profile = useProfile()
  // For a suspended account the server refuses every request; this page says what that means.
  const mine = useQuery(ask('schools', 'mine'))
  const isSuspended = mine.error instanceof Failure && mine.error.code === 'inactive'
  const today = fullDay(new Date())
  const showSteps = useStepsAgain()
  const help = isStaff(profile) && { help: t('help'), helpAction: { word: t('steps.again'), run: showSteps } }
  return (
    <Page title={t('title')} {...help} lead={profile.first_name ? t('lead', { name: profile.first_name, today }) : today}>
      <AccountNotices />
      <Offers />
      {isSuspended && <Plain kind="suspended" />}
      {mine.error && !isSuspended && <FailureNotice failure={mine.error} onRetry={() => void mine.refetch()} />}
      {mine.isLoading && <Loading />}
      {mine.data && (isStaff(profile) ? <StaffToday /> : <Plain kind="member" />)}
    </Page>
  )
}

/** For people who have nothing to enter. */
function Plain({ kind }: { kind: 'member' | 'suspended' }) {
  const { t } = useTranslation('home')
  const { school } = useProfile()
  const name = school?.name ?? ''
  return (
    <Card title={t(`${kind}.title`, { school: name })}>
      <p>{t(`${kind}.text`, { school: name })}</p>
      <p>{t(`${kind}.do`, { school: name })}</p>
      <div>
        <ButtonLink to="/account">{t('toAccount')}</ButtonLink>
      </div>
    </Card>
  )
}

function StaffToday() {
  const { t } = useTranslation('home')
  const profile = useProfile()
  const { year, term, isLoading } = useChosenTerm()
  const first = useFirstSteps()
  if (isLoading || first.isLoading) return <Loading />
  return (
    <>
      {isAdmin(profile) && <AuditNotice />}
      {first.isShown && <FirstSteps {...first} />}
      {isAdmin(profile) ? <Decisions /> : <OwnDecisions />}
      {term && year && <TermToday termId={term.id} yearId={year.id} hasSteps={first.isShown} />}
      {!(term && year) && !isAdmin(profile) && (
        <Card title={t('notSetUp.title')}>
          <p>{t('notSetUp.text')}</p>
        </Card>
      )}
    </>
  )
}

/** `hasSteps`: the first steps are shown above, and say what to do where there is no class. */
function TermToday({ termId, yearId, hasSteps }: { termId: string; yearId: string; hasSteps: boolean }) {
  const profile = useProfile()
  const progress = useQuery({ ...askWhole('classes', 'progress', { query: { termId } }), staleTime: 0 })
  const classes = useQuery(ask('classes', 'list', { query: { academicYearId: yearId } }))
  const ownClasses = (classes.data ?? []).filter(({ isClassTeacher }) => isClassTeacher)
  return (
    <Answer of={progress}>
      {(rows) => (
        <div className={styles['cards']}>
          {rows.some(({ is_own }) => is_own) && <OwnMarks rows={rows.filter(({ is_own }) => is_own)} />}
          <OwnSets termId={termId} />
          {ownClasses.map((group) => (
            <OwnReports key={group.id} group={group} termId={termId} rows={rows} />
          ))}
          {isAdmin(profile) && rows.length > 0 && <AllClasses rows={rows} />}
          {!isAdmin(profile) && !hasSteps && classes.data?.length === 0 && <NoClasses />}
        </div>
      )}
    </Answer>
  )
}

/** Shown to a teacher without a class. */
function NoClasses() {
  const { t } = useTranslation('home')
  const { year } = useChosenTerm()
  return (
    <Card title={t('noClasses.title', { year: year?.name })}>
      <p>{t('noClasses.text')}</p>
      <div>
        <ButtonLink to="/classes">{t('noClasses.open')}</ButtonLink>
      </div>
    </Card>
  )
}

const states = [
  ['draft', undefined],
  ['published', 'info'],
  ['sent_to_ministry', 'good'],
] as const

type OwnReportsProps = { group: { id: string; name: string }; termId: string; rows: readonly ClassProgress[] }

/** The teacher's own class: the states of its report books, and the progress of the marks that they need. */
function OwnReports({ group, termId, rows }: OwnReportsProps) {
  const { t } = useTranslation('home')
  const reports = useQuery(ask('reports', 'list', { query: { studentGroupId: group.id, termId } }))
  const own = rows.filter((row) => row.class.id === group.id)
  const outdated = useOutdatedReports([group.id])
  const open = (
    <ButtonLink to="/reports/$classId" params={{ classId: group.id }} size="small">
      <Icon of={BookOpen} />
      {t('reports.open')}
    </ButtonLink>
  )
  return (
    <Card title={t('reports.title', { class: group.name })} actions={open}>
      <Answer of={reports}>
        {(books) =>
          books.length === 0 ? (
            <p>{t('reports.none')}</p>
          ) : (
            <p className={layout['wrap']}>
              {states.map(([status, tone]) => {
                const count = books.filter((book) => book.status === status).length
                return (
                  count > 0 && (
                    <Badge key={status} {...(tone && { tone })}>
                      {t(`reports.${status}`, { count })}
                    </Badge>
                  )
                )
              })}
            </p>
          )
        }
      </Answer>
      {outdated.map((one) => (
        <p key={one.type} className={layout['row']}>
          <Badge tone="warn">{t('behind.label')}</Badge> <OutdatedReportsLink reports={one} name={group.name} />
        </p>
      ))}
      <ul className={styles['subjects']} aria-label={t('classes.marks', { class: group.name })}>
        {own.map((row) => (
          <SubjectProgress key={row.subject.id} row={row} />
        ))}
      </ul>
    </Card>
  )
}
