import type { ListedTeachingSet } from '@markbook/shared/contract/teaching-sets'
import type { Term } from '@markbook/shared/contract/terms'
import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Answer, Empty, Loading, Page } from '../../components/page.tsx'
import { OtherYear } from '../../frame/other-year.tsx'
import { SheetView, Unanswered, useTermOfUrl } from './sheet-page.tsx'
import { useSheet } from './use-sheet.ts'

/** `/marks/sets/:set`: the marks of a teaching set in its subject and the chosen term. */
export function SetSheetPage() {
  const { t } = useTranslation('marks')
  const { setId } = useParams({ from: '/school/marks/sets/$setId' })
  const chosen = useTermOfUrl()
  const set = useQuery(ask('teachingSets', 'get', { params: { id: setId } }))
  if (!set.data)
    return (
      <Page title={t('title')}>
        <Answer of={set}>{() => null}</Answer>
      </Page>
    )
  const isOfYear = chosen.year?.id === set.data.academic_year_id
  if (chosen.term && isOfYear)
    return <LoadedSet key={`${setId} ${chosen.term.id}`} set={set.data} term={chosen.term} yearName={chosen.year?.name ?? ''} />
  return (
    <Page title={t('sheet', { subject: set.data.subject.name, class: set.data.name })}>
      {chosen.isLoading ? <Loading /> : isOfYear ? <Empty>{t('noTerm')}</Empty> : <OtherYear yearId={set.data.academic_year_id} />}
    </Page>
  )
}

type Props = { set: ListedTeachingSet; term: Term; yearName: string }

function LoadedSet({ set, term, yearName }: Props) {
  const { t } = useTranslation('marks')
  const scope = { termId: term.id, subjectId: set.subject_id }
  const sheet = useSheet({ ...scope, studentGroupId: set.id, isSet: true })
  const pupils = useQuery(askWhole('teachingSets', 'students', { params: { id: set.id } }))
  const columns = useQuery(ask('assessments', 'list', { query: { ...scope, teachingSetId: set.id } }))
  const scale = useQuery(ask('gradingScale', 'get', { query: { academicYearId: term.academic_year_id } }))
  const categories = useQuery(ask('assessmentCategories', 'list', { query: { academicYearId: term.academic_year_id } }))
  const school = useQuery(ask('schools', 'mine'))
  if (!pupils.data || !columns.data || !scale.data || !categories.data || school.isPending)
    return (
      <Page wide title={t('sheet', { subject: set.subject.name, class: set.name })}>
        <Unanswered queries={[pupils, columns, scale, categories]} />
      </Page>
    )
  return (
    <SheetView
      isSet
      term={term}
      yearName={yearName}
      group={set}
      subject={set.subject}
      sheet={sheet}
      pupils={pupils.data}
      columns={columns.data}
      scale={scale.data}
      categories={categories.data}
      codes={school.data?.mark_codes ?? standardMarkCodes}
      isReadOnly={false}
      choice={
        <ButtonLink to="/sets/$setId" params={{ setId: set.id }}>
          {t('setResults')}
        </ButtonLink>
      }
    />
  )
}
