import type { ClassProgress } from '@markbook/shared/contract/classes'
import { Failure } from '@markbook/shared/failures'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { isAdmin, isStaff, useProfile } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, FailureNotice, Loading, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { fullDay } from '../../words/format.ts'
import { AccountNotices } from '../account/account-notices.tsx'
import { standingQuery } from '../reports/book-queries.ts'
import { isOutdated } from '../reports/book-standing.ts'
import { Offers } from '../sign-in/offers.tsx'
import { AuditNotice } from './audit-notice.tsx'
import { Decisions, OwnDecisions } from './decisions.tsx'
import { FirstSteps } from './first-steps.tsx'
import { byClass, type ClassTotal, missingOf, rowsMissingMarks, unassessedIn } from './progress.ts'

/** What this person can do now. */
export function HomePage() {
  const { t } = useTranslation('home')
  const profile = useProfile()
  // The server refuses every request of a suspended account; this page says what that means.
  const mine = useQuery(ask('schools', 'mine'))
  const isSuspended = mine.error instanceof Failure && mine.error.code === 'inactive'
  const today = fullDay(new Date())
  return (
    <Page title={t('title')} lead={profile.first_name ? t('lead', { name: profile.first_name, today }) : today}>
      <AccountNotices />
      <Offers />
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
  const { t } = useTranslation('home')
  const profile = useProfile()
  const { year, term, isLoading } = useChosenTerm()
  if (isLoading) return <Loading />
  return (
    <>
      {isAdmin(profile) && <AuditNotice />}
      {isAdmin(profile) && <FirstSteps />}
      {isAdmin(profile) ? <Decisions /> : <OwnDecisions />}
      {term && year && <TermToday termId={term.id} yearId={year.id} />}
      {!(term && year) && !isAdmin(profile) && (
        <Card title={t('notSetUp.title')}>
          <p>{t('notSetUp.text')}</p>
        </Card>
      )}
    </>
  )
}

function TermToday({ termId, yearId }: { termId: string; yearId: string }) {
  const profile = useProfile()
  const progress = useQuery({ ...askWhole('classes', 'progress', { query: { termId } }), staleTime: 0 })
  const classes = useQuery(ask('classes', 'list', { query: { academicYearId: yearId } }))
  const ownClasses = (classes.data ?? []).filter(({ isClassTeacher }) => isClassTeacher)
  return (
    <Answer of={progress}>
      {(rows) => (
        <>
          {rows.some(({ is_own }) => is_own) && <OwnMarks rows={rows.filter(({ is_own }) => is_own)} />}
          {ownClasses.map((group) => (
            <OwnReports key={group.id} group={group} termId={termId} rows={rows} />
          ))}
          {isAdmin(profile) && rows.length > 0 && <AllClasses rows={rows} />}
          {!isAdmin(profile) && classes.data?.length === 0 && <NoClasses />}
        </>
      )}
    </Answer>
  )
}

/** How many marks are entered and how many are missing. */
function MarksState({ row }: { row: Pick<ClassProgress, 'assessments' | 'expected' | 'recorded'> }) {
  const { t } = useTranslation('home')
  const missing = missingOf(row)
  if (row.assessments === 0) return <Badge>{t('marks.noAssessments')}</Badge>
  if (missing === 0) return <Badge tone="good">{t('marks.complete', { count: row.recorded })}</Badge>
  return (
    <span className={layout['row']}>
      <Badge tone="warn">{t('marks.missing', { count: missing })}</Badge>
      <span>{t('marks.of', { recorded: row.recorded, expected: row.expected })}</span>
    </span>
  )
}

/** The own subjects, each with a link to its marks. */
function OwnMarks({ rows }: { rows: readonly ClassProgress[] }) {
  const { t } = useTranslation(['home', 'app'])
  const { term } = useChosenTerm()
  const title = t('marks.title', { term: term && t(`app:term.${term.name}`) })
  return (
    <Card title={title}>
      <ul className={layout['ruled']}>
        {rows.map((row) => {
          const what = t('marks.what', { class: row.class.name, subject: row.subject.name })
          return (
            <li key={`${row.class.id} ${row.subject.id}`} className={layout['split']}>
              <span className={layout['row']}>
                <strong>{what}</strong>
                <MarksState row={row} />
              </span>
              <ButtonLink
                to="/marks/$classId/$subjectId"
                params={{ classId: row.class.id, subjectId: row.subject.id }}
                look={missingOf(row) > 0 ? 'primary' : 'plain'}
                size="small"
                aria-label={t('marks.enterFor', { what })}
              >
                {t('marks.enter')}
              </ButtonLink>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** For a teacher without a class. */
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
  ['draft', 'warn'],
  ['published', 'info'],
  ['sent_to_ministry', 'good'],
] as const

type OwnReportsProps = { group: { id: string; name: string }; termId: string; rows: readonly ClassProgress[] }

/** The own class: the states of its report books, and the marks that they wait for. */
function OwnReports({ group, termId, rows }: OwnReportsProps) {
  const { t } = useTranslation('home')
  const reports = useQuery(ask('reports', 'list', { query: { studentGroupId: group.id, termId } }))
  const missing = rowsMissingMarks(rows, group.id)
  const unassessed = unassessedIn(rows, group.id)
  const outdated = useOutdatedReports([group.id])
  const open = (
    <ButtonLink to="/reports/$classId" params={{ classId: group.id }} size="small">
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
                    <Badge key={status} tone={tone}>
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
      {unassessed.length > 0 && (
        <p>
          {t('reports.unassessed')} {unassessed.map((row) => row.subject.name).join(', ')}
        </p>
      )}
      {missing.length > 0 && (
        <p>
          {t('reports.lacking')}{' '}
          {missing.map((row) => t('reports.lackingOne', { subject: row.subject.name, count: missingOf(row) })).join(', ')}
        </p>
      )}
    </Card>
  )
}

/** Every class of the term: missing marks, subjects without an assessment, and books that are older than the marks. */
function AllClasses({ rows }: { rows: readonly ClassProgress[] }) {
  const { t } = useTranslation('home')
  const totals = byClass(rows)
  const outdated = useOutdatedReports(totals.map((total) => total.class.id))
  return (
    <Card title={t('classes.title')}>
      <Table
        label={t('classes.table')}
        rows={totals}
        keyOf={(total) => total.class.id}
        columns={[
          {
            head: t('classes.class'),
            cell: (total) => (
              <Link to="/classes/$classId" params={{ classId: total.class.id }}>
                {total.class.name}
              </Link>
            ),
          },
          { head: t('classes.recorded'), look: 'number', cell: ({ recorded, expected }) => t('marks.of', { recorded, expected }) },
          { head: t('classes.state'), cell: (total) => <ClassState total={total} /> },
          outdated.length > 0 && {
            head: t('classes.books'),
            cell: (total) =>
              outdated
                .filter(({ classId }) => classId === total.class.id)
                .map((one) => (
                  <div key={one.type}>
                    <OutdatedReportsLink reports={one} name={total.class.name} />
                  </div>
                )),
          },
        ]}
      />
    </Card>
  )
}

function ClassState({ total: { expected, missing, unassessed } }: { total: ClassTotal }) {
  const { t } = useTranslation('home')
  if (expected === 0) return <Badge tone="warn">{t('marks.noAssessments')}</Badge>
  return (
    <span className={layout['row']}>
      {missing === 0 && unassessed.length === 0 && <Badge tone="good">{t('classes.complete')}</Badge>}
      {missing > 0 && <Badge tone="warn">{t('marks.missing', { count: missing })}</Badge>}
      {unassessed.length > 0 && (
        <Badge tone="warn">
          {t('classes.unassessed', { count: unassessed.length, subjects: unassessed.map(({ name }) => name).join(', ') })}
        </Badge>
      )}
    </span>
  )
}

type OutdatedReports = { classId: string; type: 'term' | 'year_end'; count: number }

/** How many books of a class are older than the marks, with a link to them. */
function OutdatedReportsLink({ reports: { classId, type, count }, name }: { reports: OutdatedReports; name: string }) {
  const { t } = useTranslation('home')
  return (
    <Link
      to="/reports/$classId"
      params={{ classId }}
      search={{ ...(type === 'year_end' && { type }) }}
      aria-label={`${name}: ${t(`behind.${type}`, { count })}`}
    >
      {t(`behind.${type}`, { count })}
    </Link>
  )
}

/** The books of these classes that are older than their marks; what is not loaded yet is left out. */
function useOutdatedReports(classIds: readonly string[]): OutdatedReports[] {
  const { year, term } = useChosenTerm()
  const types = year?.grading_model === 'year_based' ? (['term', 'year_end'] as const) : (['term'] as const)
  const scopes = term ? classIds.flatMap((classId) => types.map((type) => ({ classId, termId: term.id, type }))) : []
  const standings = useQueries({ queries: scopes.map((of) => standingQuery(of)) })
  return scopes.flatMap(({ classId, type }, at) => {
    const count = standings[at]?.data?.filter(isOutdated).length ?? 0
    return count > 0 ? [{ classId, type, count }] : []
  })
}
