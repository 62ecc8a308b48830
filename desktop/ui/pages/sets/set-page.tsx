import type { SetTerm } from '@markbook/shared/contract/calculations'
import type { ListedTeachingSet } from '@markbook/shared/contract/teaching-sets'
import type { Term } from '@markbook/shared/contract/terms'
import { isPartialResult } from '@markbook/shared/domain/partial'
import { meanOfPrinted } from '@markbook/shared/domain/results'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Empty, Loading, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { OtherYear } from '../../frame/other-year.tsx'
import { figure } from '../../words/format.ts'
import { listedName, nameOf } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { FigureSign } from '../results/partial-figures.tsx'

type Result = SetTerm['students'][number]
const FIGURES = ['coursework_average', 'exam_average', 'term_composite'] as const

/** `/sets/:set`: the pupils of a set, and their results in its subject in the chosen term. */
export function SetPage() {
  const { t } = useTranslation(['sets', 'marks'])
  const { setId } = useParams({ from: '/school/sets/$setId' })
  const { year, term, isLoading } = useChosenTerm()
  const set = useQuery(ask('teachingSets', 'get', { params: { id: setId } }))
  if (isLoading) return <Loading />
  if (!set.data)
    return (
      <Page title={t('title')}>
        <Answer of={set}>{() => null}</Answer>
      </Page>
    )
  if (term && year?.id === set.data.academic_year_id) return <Results set={set.data} term={term} yearName={year.name} />
  return (
    <Page title={t('setOf', { name: set.data.name, subject: set.data.subject.name })}>
      {year?.id === set.data.academic_year_id ? <Empty>{t('marks:noTerm')}</Empty> : <OtherYear yearId={set.data.academic_year_id} />}
    </Page>
  )
}

function Results({ set, term, yearName }: { set: ListedTeachingSet; term: Term; yearName: string }) {
  const { t } = useTranslation('sets')
  const results = useQuery(ask('calculations', 'setTerm', { query: { teachingSetId: set.id, termId: term.id } }))
  const title = t('setOf', { name: set.name, subject: set.subject.name })
  return (
    <Page
      title={title}
      lead={t('resultsLead', { term: termLabel(term.name), year: yearName, teachers: set.teachers.map(nameOf).join(', ') || t('nobody') })}
      actions={
        <>
          <ButtonLink to="/sets">{t('allSets')}</ButtonLink>
          <ButtonLink look="primary" to="/marks/sets/$setId" params={{ setId: set.id }}>
            {t('marks')}
          </ButtonLink>
        </>
      }
    >
      <Answer of={results}>
        {({ students }) =>
          students.length === 0 ? (
            <Empty>{t('noPupils')}</Empty>
          ) : (
            <Table
              label={title}
              rows={students}
              keyOf={({ student_id }) => student_id}
              columns={[
                { head: t('pupil'), cell: (row) => <PupilName row={row} />, feet: [t('mean')] },
                ...FIGURES.map((name) => ({
                  head: t(name),
                  look: 'number' as const,
                  cell: ({ result }: Result) => (
                    <>
                      {figure(result?.[name] ?? null)}
                      {name === 'term_composite' && result && isPartialResult(result) && <FigureSign of="partial" />}
                      {name === 'term_composite' && result?.under_review && <FigureSign of="review" />}
                    </>
                  ),
                  feet: [figure(meanOfPrinted(students.map(({ result }) => result?.[name] ?? null)))],
                })),
                { head: t('grade'), cell: ({ result }) => <bdi>{result?.letter_grade ?? '–'}</bdi>, feet: [null] },
              ]}
            />
          )
        }
      </Answer>
    </Page>
  )
}

function PupilName({ row }: { row: Result }) {
  const { t } = useTranslation('sets')
  return (
    <>
      <Link to="/students/$studentId" params={{ studentId: row.student_id }}>
        {listedName(row.student)}
      </Link>
      <div className={layout['note']}>{row.class?.name ?? t('noClass')}</div>
    </>
  )
}
