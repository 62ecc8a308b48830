import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Answer, Empty, Page } from '../../components/page.tsx'
import type { ChosenTerm } from '../../frame/chosen-term.ts'
import { ChartsView } from './charts-view.tsx'
import { ClassSwitch, type ListedClass, OfClass, useOwnsClass } from './class-choice.tsx'
import { CompareView } from './compare-view.tsx'
import { Downloads } from './downloads.tsx'
import { ExplainDialog } from './explain-dialog.tsx'
import { fullName } from './names.ts'
import { OVERALL, OverallDialog } from './overall-dialog.tsx'
import { PupilList } from './pupil-list.tsx'
import { resultViews } from './searches.ts'
import { SummaryView } from './summary-view.tsx'
import { TermTable } from './term-table.tsx'
import { useResultsSearch } from './use-results-search.ts'
import { useScale } from './use-scale.ts'
import { ViewTabs } from './view-tabs.tsx'
import { YearTable } from './year-table.tsx'

const route = getRouteApi('/school/results/$classId')

/** The results of a class; for whoever teaches only subjects in it, the way to each pupil's. */
export function ClassResultsPage() {
  const { t } = useTranslation('results')
  const { classId } = route.useParams()
  return (
    <OfClass key={classId} area="results" classId={classId} title={t('title')}>
      {(here) => <ClassResults {...here} />}
    </OfClass>
  )
}

type Here = { chosen: ChosenTerm; group: ListedClass; classes: readonly ListedClass[] }

function ClassResults({ chosen, group, classes }: Here) {
  const { t } = useTranslation(['results', 'app'])
  const navigate = useNavigate()
  const { search } = useResultsSearch()
  const owns = useOwnsClass(group)
  const { term, year } = chosen
  if (!term || !year) return null
  const choose = (classId: string) => void navigate({ to: '/results/$classId', params: { classId }, search: { view: search.view } })
  const period = search.view === 'year' ? year.name : `${t(`app:term.${term.name}`)} ${year.name}`
  return (
    <Page
      wide
      title={t('titleOf', { name: group.name })}
      lead={owns ? t('lead.class', { period }) : t('lead.subject')}
      actions={<ClassSwitch classes={classes} classId={group.id} onChoose={choose} />}
    >
      {owns ? <Views group={group} chosen={chosen} term={term} yearId={year.id} /> : <PupilList classId={group.id} />}
    </Page>
  )
}

type ViewsProps = { group: ListedClass; chosen: ChosenTerm; term: Term; yearId: string }

function Views({ group, chosen, term, yearId }: ViewsProps) {
  const { t } = useTranslation(['results', 'app'])
  const { search } = useResultsSearch()
  const view = search.view ?? 'term'
  const isYear = view === 'year'
  const period = isYear ? [] : [t(`app:term.${term.name}`)]
  const canPrint = view === 'term' || view === 'summary' || (isYear && chosen.year?.grading_model === 'year_based')
  return (
    <>
      <ViewTabs label={t('views.label')}>
        {resultViews.map((one) => (
          <Link
            key={one}
            to="/results/$classId"
            params={{ classId: group.id }}
            search={one === 'term' ? {} : { view: one }}
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={one === view ? 'page' : undefined}
          >
            {t(`views.${one}`)}
          </Link>
        ))}
      </ViewTabs>
      {canPrint && (
        <Downloads
          classId={group.id}
          termId={term.id}
          reportType={isYear ? 'year_end' : 'term'}
          name={[group.name, chosen.year?.name ?? '', ...period]}
        />
      )}
      {view === 'year' ? (
        <OfYear group={group} yearId={yearId} terms={chosen.terms} />
      ) : view === 'summary' ? (
        <OfSummary group={group} term={term} />
      ) : (
        <OfTerm key={term.id} group={group} term={term} terms={chosen.terms} view={view} />
      )}
    </>
  )
}

function OfYear({ group, yearId, terms }: { group: ListedClass; yearId: string; terms: readonly Term[] }) {
  const scale = useScale()
  const result = useQuery(ask('calculations', 'classYear', { query: { academicYearId: yearId, studentGroupId: group.id } }))
  return (
    <Answer of={result}>
      {(found) => <Answer of={scale}>{(bands) => <YearTable result={found} scale={bands} terms={terms} />}</Answer>}
    </Answer>
  )
}

function OfSummary({ group, term }: { group: ListedClass; term: Term }) {
  const summary = useQuery(ask('calculations', 'classSummary', { query: { termId: term.id, studentGroupId: group.id } }))
  return <Answer of={summary}>{(found) => <SummaryView summary={found} />}</Answer>
}

type OfTermProps = { group: ListedClass; term: Term; terms: readonly Term[]; view: 'term' | 'charts' | 'compare' }

function OfTerm({ group, term, terms, view }: OfTermProps) {
  const { t } = useTranslation('results')
  const { search, change } = useResultsSearch()
  const scale = useScale()
  const result = useQuery(ask('calculations', 'classTerm', { query: { termId: term.id, studentGroupId: group.id } }))
  const explained = result.data?.students.find(({ student_id }) => student_id === search.pupil)
  const close = () => change(({ pupil: _pupil, explain: _explain, ...rest }) => rest, true)
  return (
    <Answer of={result}>
      {(found) => (
        <Answer of={scale}>
          {(bands) =>
            found.students.length === 0 ? (
              <Empty>{t('noPupils')}</Empty>
            ) : (
              <>
                {view === 'term' && <TermTable result={found} scale={bands} />}
                {view === 'charts' && <ChartsView result={found} scale={bands} />}
                {view === 'compare' && <CompareView classId={group.id} term={term} terms={terms} result={found} />}
                {explained && search.explain === OVERALL && (
                  <OverallDialog name={fullName(explained.student)} student={explained} onClose={close} />
                )}
                {explained && search.explain && search.explain !== OVERALL && (
                  <ExplainDialog
                    studentId={explained.student_id}
                    termId={term.id}
                    subjectId={search.explain}
                    name={fullName(explained.student)}
                    onClose={close}
                  />
                )}
              </>
            )
          }
        </Answer>
      )}
    </Answer>
  )
}
