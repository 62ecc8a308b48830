import type { ClassTerm } from '@markbook/shared/contract/calculations'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import type { Term } from '@markbook/shared/contract/terms'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import ChevronDown from 'lucide-react/icons/chevron-down'
import Download from 'lucide-react/icons/download'
import FileSpreadsheet from 'lucide-react/icons/file-spreadsheet'
import FileText from 'lucide-react/icons/file-text'
import Printer from 'lucide-react/icons/printer'
import Table from 'lucide-react/icons/table'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { Icon } from '../../components/icon.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Card, Empty, FailureNotice, Page } from '../../components/page.tsx'
import { fileName, saveFile } from '../../components/save-file.ts'
import { Menu, MenuItem, MenuRule } from '../../frame/menu.tsx'
import { listedName, nameOf } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { Histogram, SpreadChart } from './charts.tsx'
import {
  ChooseClass,
  type ClassContext,
  ClassPage,
  ClassSwitch,
  type ListedClass,
  useOwnsClass,
  useScale,
  ViewTabs,
} from './class-page.tsx'
import { SubjectChoice, TermTable, YearTable } from './class-tables.tsx'
import { CompareView } from './compare-view.tsx'
import { subjectsOf } from './comparison.ts'
import { distributionOf, spreadOf } from './distribution.ts'
import { ExplainPanel, OVERALL, OverallPanel, panelOf } from './explained.ts'
import styles from './results.module.css'
import { resultViews, useResultsSearch } from './results-search.ts'
import { SummaryView } from './summary-view.tsx'

const route = getRouteApi('/school/results/$classId')

/** `/results/:class`: the results of a class; a list of its pupils for subject teachers. */
export function ClassResultsPage() {
  const { classId } = route.useParams()
  return (
    <ClassPage key={classId} area="results" classId={classId}>
      {(here) => <ClassResults {...here} />}
    </ClassPage>
  )
}

function ClassResults(here: ClassContext) {
  const { year, term, group, classes } = here
  const { t } = useTranslation(['results', 'app'])
  const navigate = useNavigate()
  const { search } = useResultsSearch()
  const owns = useOwnsClass(group)
  const choose = (classId: string) => void navigate({ to: '/results/$classId', params: { classId }, search: { view: search.view } })
  const period = search.view === 'year' ? year.name : `${termLabel(term.name)} ${year.name}`
  return (
    <Page
      wide
      title={t('titleOf', { name: group.name })}
      help={t('help')}
      lead={owns ? t('lead.class', { period }) : t('lead.subject')}
      actions={<ClassSwitch classes={classes} classId={group.id} onChoose={choose} />}
    >
      {owns ? <Views {...here} /> : <PupilList classId={group.id} />}
    </Page>
  )
}

function Views({ group, chosen, year, term }: ClassContext) {
  const { t } = useTranslation(['results', 'app'])
  const { search } = useResultsSearch()
  const view = search.view ?? 'term'
  const isYear = view === 'year'
  const period = isYear ? [] : [termLabel(term.name)]
  const canPrint = view === 'term' || view === 'summary' || (isYear && year.grading_model === 'year_based')
  return (
    <>
      <div className={styles['views']}>
        <ViewTabs
          label={t('views.label')}
          views={resultViews}
          shown={view}
          textOf={(one) => t(`views.${one}`)}
          linkOf={(one) => ({ to: '/results/$classId', params: { classId: group.id }, search: one === 'term' ? {} : { view: one } })}
        />
        {canPrint && (
          <Downloads
            classId={group.id}
            termId={term.id}
            reportType={isYear ? 'year_end' : 'term'}
            name={[group.name, year.name, ...period]}
          />
        )}
      </div>
      {isYear ? (
        <YearView group={group} yearId={year.id} terms={chosen.terms} />
      ) : view === 'summary' ? (
        <SummaryView classId={group.id} termId={term.id} />
      ) : (
        <TermViews key={term.id} group={group} term={term} terms={chosen.terms} view={view} />
      )}
    </>
  )
}

function YearView({ group, yearId, terms }: { group: ListedClass; yearId: string; terms: readonly Term[] }) {
  const scale = useScale(yearId)
  const result = useQuery(ask('calculations', 'classYear', { query: { academicYearId: yearId, studentGroupId: group.id } }))
  return (
    <Answer of={result}>
      {(found) => <Answer of={scale}>{(bands) => <YearTable result={found} scale={bands} terms={terms} />}</Answer>}
    </Answer>
  )
}

type TermViewsProps = { group: ListedClass; term: Term; terms: readonly Term[]; view: 'term' | 'charts' | 'compare' }

function TermViews({ group, term, terms, view }: TermViewsProps) {
  const { t } = useTranslation('results')
  const { search, close } = useResultsSearch()
  const scale = useScale(term.academic_year_id)
  const result = useQuery(ask('calculations', 'classTerm', { query: { termId: term.id, studentGroupId: group.id } }))
  const explained = result.data?.students.find(({ student_id }) => student_id === search.pupil)
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
                  <OverallPanel
                    name={nameOf(explained.student)}
                    student={explained}
                    panel={panelOf(explained.student_id, OVERALL, close)}
                  />
                )}
                {explained && search.explain && search.explain !== OVERALL && (
                  <ExplainPanel
                    studentId={explained.student_id}
                    term={term}
                    subjectId={search.explain}
                    name={nameOf(explained.student)}
                    panel={panelOf(explained.student_id, search.explain, close)}
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

/** The pupils of a class, with links to their results. */
function PupilList({ classId }: { classId: string }) {
  const { t } = useTranslation('results')
  const pupils = useQuery(ask('classes', 'students', { params: { id: classId } }))
  return (
    <Answer of={pupils} empty={t('noPupils')}>
      {(list) => (
        <ul className={styles['classes']} aria-label={t('pupils')}>
          {list.map((pupil) => (
            <li key={pupil.id}>
              <Link
                to="/results/$classId/students/$studentId"
                params={{ classId, studentId: pupil.id }}
                className={`${layout['box']} ${styles['class']}`}
              >
                {listedName(pupil)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Answer>
  )
}

export const ResultsPage = () => <ChooseClass area="results" />

const types = {
  pdf: 'application/pdf',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv',
} as const
type FileType = keyof typeof types

type Props = { classId: string; termId: string; reportType: 'term' | 'year_end'; name: readonly string[] }

const typeIcons = { pdf: FileText, xlsx: FileSpreadsheet, csv: Table } as const

/** Downloads the broadsheet of the class, or prints this page. */
function Downloads({ classId, termId, reportType, name }: Props) {
  const { t } = useTranslation(['results', 'app'])
  const make = useMutation({
    mutationFn: async (fileType: FileType) => {
      const of = { studentGroupId: classId, termId, reportType, fileType }
      await client.reportFiles.generateClassFile({ body: of })
      return client.reportFiles.downloadClassFile({ query: of })
    },
    onSuccess: (bytes, fileType) => saveFile(bytes, `${fileName(...name, t('download.name'))}.${fileType}`, types[fileType]),
  })
  const words = (
    <>
      <Icon of={Download} />
      {t('download.label')}
      <Icon of={ChevronDown} />
    </>
  )
  const isPdf = make.variables === 'pdf'
  return (
    <div className={styles['screen']}>
      <Menu button={{ busy: make.isPending, ...(isPdf && { busyWord: t('app:state.makingPdf') }), children: words }}>
        {(Object.keys(types) as FileType[]).map((type) => (
          <MenuItem key={type} icon={typeIcons[type]} onChoose={() => make.mutate(type)}>
            {t(`download.${type}`)}
          </MenuItem>
        ))}
        <MenuRule />
        <MenuItem icon={Printer} onChoose={() => window.print()}>
          {t('download.page')}
        </MenuItem>
      </Menu>
      <FailureNotice failure={make.error} />
    </div>
  )
}

/** Charts of the results: the distribution over the bands of the scale, and the spread of each subject. */
function ChartsView({ result, scale }: { result: ClassTerm; scale: GradingScale }) {
  const { t } = useTranslation('results')
  const { search } = useResultsSearch()
  const subjects = subjectsOf(result)
  const subject = subjects.find(({ id }) => id === search.subject)
  const resultsIn = (subjectId: string) =>
    result.students.map((student) => student.subjects.find(({ subject_id }) => subject_id === subjectId)?.term_composite ?? null)
  const shown = subject ? resultsIn(subject.id) : result.students.map(({ overall_average }) => overall_average)
  const spreads = subjects.map(({ id, name }) => ({ id, name, spread: spreadOf(resultsIn(id)) }))
  if (subjects.length === 0) return <Empty>{t('nothing')}</Empty>
  return (
    <>
      <Card title={t('chart.distribution')} actions={<SubjectChoice subjects={subjects} all={t('overall')} />}>
        <Histogram
          title={t('chart.distributionOf', { subject: subject?.name ?? t('overall') })}
          bins={distributionOf(shown, scale.bands, scale.pass_mark)}
        />
      </Card>
      <Card title={t('chart.subjects')}>
        <SpreadChart title={t('chart.subjects')} subjects={spreads} passMark={scale.pass_mark} />
      </Card>
    </>
  )
}
