import { Failure } from '@markbook/shared/failures'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { isAdmin, isStaff, useProfile } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Answer, Card, FailureNotice, Loading, Page } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { fullDay } from '../../words/format.ts'
import { AllClasses } from './all-classes.tsx'
import { FirstSteps } from './first-steps.tsx'
import { NoClasses, OwnMarks } from './own-marks.tsx'
import { OwnReports } from './own-reports.tsx'
import { Decisions, OwnDecisions } from './school-today.tsx'

/** What this person can do now. */
export function HomePage() {
  const { t } = useTranslation('home')
  const profile = useProfile()
  // Every page of the school is refused to a suspended account; this one says what that means.
  const mine = useQuery(ask('schools', 'mine'))
  const isSuspended = mine.error instanceof Failure && mine.error.code === 'inactive'
  const today = fullDay(new Date())
  return (
    <Page title={t('title')} lead={profile.first_name ? t('lead', { name: profile.first_name, today }) : today}>
      {isSuspended && <Plain kind="suspended" />}
      {mine.error && !isSuspended && <FailureNotice failure={mine.error} onRetry={() => void mine.refetch()} />}
      {mine.isLoading && <Loading />}
      {mine.data && (isStaff(profile) ? <StaffToday /> : <Plain kind="member" />)}
    </Page>
  )
}

/** For those who have nothing to enter here. */
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
  const profile = useProfile()
  const { year, term, isLoading } = useChosenTerm()
  if (isLoading) return <Loading />
  return (
    <>
      {isAdmin(profile) && <FirstSteps />}
      {isAdmin(profile) ? <Decisions /> : <OwnDecisions />}
      {term && year ? <TermToday termId={term.id} yearId={year.id} /> : !isAdmin(profile) && <NotSetUp />}
    </>
  )
}

function NotSetUp() {
  const { t } = useTranslation('home')
  return (
    <Card title={t('notSetUp.title')}>
      <p>{t('notSetUp.text')}</p>
    </Card>
  )
}

function TermToday({ termId, yearId }: { termId: string; yearId: string }) {
  const profile = useProfile()
  const progress = useQuery({ ...askWhole('classes', 'progress', { query: { termId } }), staleTime: 0 })
  const classes = useQuery(ask('classes', 'list', { query: { academicYearId: yearId } }))
  const led = (classes.data ?? []).filter(({ isClassTeacher }) => isClassTeacher)
  return (
    <Answer of={progress}>
      {(rows) => (
        <>
          {rows.some(({ is_own }) => is_own) && <OwnMarks rows={rows.filter(({ is_own }) => is_own)} />}
          {led.map((group) => (
            <OwnReports key={group.id} group={group} termId={termId} rows={rows} />
          ))}
          {isAdmin(profile) && rows.length > 0 && <AllClasses rows={rows} />}
          {!isAdmin(profile) && classes.data?.length === 0 && <NoClasses />}
        </>
      )}
    </Answer>
  )
}
