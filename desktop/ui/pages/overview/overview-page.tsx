import type { ClassOverview } from '@markbook/shared/contract/overview'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { askWhole } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Closing } from '../../components/closing.ts'
import { Checkbox, InlineSelect } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Empty, Facts, Loading, Page } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { NoClass } from '../../frame/no-class.tsx'
import { NotCurrentYear } from '../../frame/other-year.tsx'
import { termLabel } from '../../words/term-label.ts'
import { useAsking } from '../reports/approval.tsx'
import { useOutdatedCounts } from '../reports/book-queries.ts'
import type { BooksType } from '../reports/book-search.ts'
import { ViewTabs } from '../results/class-page.tsx'
import { ApproveDialog } from './approve-dialog.tsx'
import { ClassTable } from './class-table.tsx'
import styles from './overview.module.css'
import { overviewViews, useOverviewSearch } from './overview-search.ts'
import type { Period } from './period.ts'
import { RemindAll, useReminders } from './reminders.tsx'
import { type ClassRow, isIncomplete, lacksMarks, subjectRows, totalsOf } from './rows.ts'
import { SubjectTable } from './subject-table.tsx'

/** For administrators: the progress of each class in the term, and whose work is missing. */
export function OverviewPage() {
  const { t } = useTranslation(['overview', 'app', 'home'])
  const { year, term, isLoading } = useChosenTerm()
  const { search } = useOverviewSearch()
  if (!isAdmin(useProfile()))
    return (
      <Page title={t('title')}>
        <Empty>{t('onlyAdmins')}</Empty>
      </Page>
    )
  if (!year || !term) return <Page title={t('title')}>{isLoading ? <Loading /> : <Empty>{t('home:notSetUp.text')}</Empty>}</Page>
  const type: BooksType = year.grading_model === 'year_based' && search.type === 'year_end' ? 'year_end' : 'term'
  return <TermOverview key={`${term.id} ${type}`} period={{ term, year, type }} />
}

function TermOverview({ period }: { period: Period }) {
  const { t } = useTranslation(['overview', 'app', 'reports'])
  const { term, year, type } = period
  const { change } = useOverviewSearch()
  const query = { termId: term.id, reportType: type }
  // Read each time, since everybody else changes it.
  const classes = useQuery({ ...askWhole('overview', 'read', { query }), staleTime: 0 })
  const reminders = useReminders(query)
  const lead = t('lead', { term: termLabel(term.name), year: year.name })
  const actions = (
    <>
      {year.grading_model === 'year_based' && (
        <InlineSelect
          label={t('reports:type.label')}
          value={type}
          onChange={({ target }) =>
            change(({ type: _type, ...rest }) => ({ ...rest, ...(target.value === 'year_end' && { type: target.value }) }))
          }
        >
          <option value="term">{t('reports:type.term')}</option>
          <option value="year_end">{t('reports:type.yearEnd')}</option>
        </InlineSelect>
      )}
      <RemindAll of={query} reminders={reminders} />
    </>
  )
  return (
    <Page wide title={t('title')} lead={lead} actions={actions}>
      <NotCurrentYear yearId={year.id} />
      <Answer of={classes} empty={<NoClass year={year.name} />}>
        {(classes) => <Overview classes={classes} period={period} />}
      </Answer>
    </Page>
  )
}

function Overview({ classes, period }: { classes: readonly ClassOverview[]; period: Period }) {
  const { t } = useTranslation('overview')
  const { search, change } = useOverviewSearch()
  const rows = useRows(classes, period)
  const view = search.view ?? 'classes'
  const subjects = subjectRows(rows, search.class)
  const shown = search.missing ? rows.filter(isIncomplete) : rows
  const shownSubjects = search.missing ? subjects.filter(lacksMarks) : subjects
  const only = rows.find((row) => row.class.id === search.class)
  // In the page's state, since the row may disappear while the dialog shows its result.
  const [approving, setApproving] = useState<string | null>(null)
  return (
    <>
      <Totals rows={rows} />
      <div className={layout['split']}>
        <ViewTabs
          label={t('views.label')}
          views={overviewViews}
          shown={view}
          textOf={(one) => t(`views.${one}`)}
          linkOf={(one) => ({
            to: '/overview',
            search: { type: search.type, missing: search.missing, ...(one === 'subjects' && { view: one }) },
          })}
        />
        <div className={layout['row']}>
          {view === 'subjects' && only && (
            <Button size="small" onClick={() => change(({ class: _class, ...rest }) => rest)}>
              {t('allClasses')}
            </Button>
          )}
          <Checkbox
            label={t('onlyMissing')}
            checked={search.missing === true}
            onChange={({ target }) => change(({ missing: _missing, ...rest }) => ({ ...rest, ...(target.checked && { missing: true }) }))}
          />
        </div>
      </div>
      {view === 'classes' &&
        (shown.length > 0 ? <ClassTable rows={shown} period={period} onApprove={setApproving} /> : <Empty>{t('complete')}</Empty>)}
      {view === 'subjects' &&
        (shownSubjects.length > 0 ? <SubjectTable rows={shownSubjects} period={period} /> : <Empty>{t('complete')}</Empty>)}
      {approving && (
        <Closing value={() => setApproving(null)}>
          <ApproveDialog of={{ classId: approving, termId: period.term.id, type: period.type }} yearId={period.year.id} />
        </Closing>
      )}
    </>
  )
}

/**
 * Rows with the number of outdated report books, which is asked for each class that has some: computing it takes longer than the counts.
 */
function useRows(classes: readonly ClassOverview[], { term, type }: Period): ClassRow[] {
  const open = classes.filter(({ books }) => books.made > books.sent)
  const counts = useOutdatedCounts(open.map((row) => ({ classId: row.class.id, termId: term.id, type })))
  return classes.map((row) => ({ ...row, outdated: counts[open.indexOf(row)] ?? 0 }))
}

/** The open work of the whole school. */
function Totals({ rows }: { rows: readonly ClassRow[] }) {
  const { t } = useTranslation('overview')
  const asks = useAsking().approves_reports === true
  const { classes, complete, marks, marksInSent, books, remarks, to_approve, sent_back, published, sent } = totalsOf(rows)
  return (
    <Facts
      className={styles['totals']}
      of={[
        [t('totals.complete'), <strong key="complete">{t('of', { count: complete, all: classes })}</strong>],
        [
          t('totals.marks'),
          <span key="marks">
            <strong>{marks}</strong>
            {marksInSent > 0 && <div className={layout['note']}>{t('totals.marksSent', { count: marksInSent })}</div>}
          </span>,
        ],
        [t('totals.books'), <strong key="books">{books}</strong>],
        [t('totals.remarks'), <strong key="remarks">{remarks}</strong>],
        ...(asks ? [[t('totals.toApprove'), <strong key="approve">{to_approve}</strong>] as const] : []),
        ...(asks ? [[t('totals.sentBack'), <strong key="sentBack">{sent_back}</strong>] as const] : []),
        [t('totals.out'), <strong key="out">{t('totals.outOf', { published, sent })}</strong>],
      ]}
    />
  )
}
