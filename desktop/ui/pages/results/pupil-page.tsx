import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import layout from '../../components/layout.module.css'
import { Answer, Page } from '../../components/page.tsx'
import { nameOf } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { type ClassContext, ClassPage, NeighbourLinks } from './class-page.tsx'
import { ExplainPanel, OVERALL, panelOf } from './explained.ts'
import { PupilTerm, PupilYear } from './pupil-results.tsx'
import { PupilTabs } from './pupil-tabs.tsx'
import styles from './results.module.css'
import { type PupilSearch, panelStep, usePanelClosing } from './results-search.ts'

const route = getRouteApi('/school/results/$classId/students/$studentId')

/** The results of one pupil in the term or the year. */
export function PupilPage() {
  const { classId } = route.useParams()
  return (
    <ClassPage area="results" classId={classId}>
      {(here) => <Pupil {...here} />}
    </ClassPage>
  )
}

function Pupil({ chosen, year, term }: ClassContext) {
  const { t } = useTranslation(['results', 'app'])
  const { classId, studentId } = route.useParams()
  const search: PupilSearch = route.useSearch()
  const navigate = useNavigate()
  const pupils = useQuery(ask('classes', 'students', { params: { id: classId } }))
  const pupil = pupils.data?.find(({ id }) => id === studentId)
  const name = pupil ? nameOf(pupil) : ''
  const linkOf = (id: string, view = 'term') => ({
    to: '/results/$classId/students/$studentId' as const,
    params: { classId, studentId: id },
    search: (view === 'year' ? { view } : {}) as PupilSearch,
  })
  const kept: PupilSearch = search.view ? { view: search.view } : {}
  const close = usePanelClosing(() => void navigate({ ...linkOf(studentId), search: kept, replace: true, resetScroll: false }))
  const explain = (subject: string | null) => {
    if (subject === null) return close()
    const step = panelStep(search.explain !== undefined)
    void navigate({ ...linkOf(studentId), search: { ...kept, explain: subject }, ...step, resetScroll: false })
  }
  const period = search.view === 'year' ? year.name : `${termLabel(term.name)} ${year.name}`
  return (
    <Page
      title={name || t('pupil')}
      lead={t('lead.pupil', { period })}
      actions={
        <div className={`${layout['toolbar']} ${styles['screen']}`}>
          <NeighbourLinks pupils={pupils.data ?? []} id={studentId} linkOf={(id) => linkOf(id, search.view)} />
          <Link to="/results/$classId" params={{ classId }} search={{ view: search.view }}>
            {t('wholeClass')}
          </Link>
        </div>
      }
    >
      <PupilTabs shown={search.view ?? 'term'} studentId={studentId} classId={classId} />
      <Answer of={pupils}>
        {() =>
          search.view === 'year' ? (
            <PupilYear
              studentId={studentId}
              yearId={year.id}
              terms={chosen.terms}
              name={name}
              explained={search.explain}
              onExplain={explain}
            />
          ) : (
            <PupilTerm studentId={studentId} term={term} name={name} explained={search.explain} onExplain={explain} />
          )
        }
      </Answer>
      {search.explain && search.explain !== OVERALL && search.view !== 'year' && (
        <ExplainPanel
          studentId={studentId}
          term={term}
          subjectId={search.explain}
          name={name}
          panel={panelOf(studentId, search.explain, close)}
        />
      )}
    </Page>
  )
}
