import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { Answer, Empty, Loading, Page } from '../../components/page.tsx'
import { type ChosenTerm, chooseTerm, useChosenTerm } from '../../frame/chosen-term.ts'
import { SheetChoice } from './choice.tsx'
import { keepSheet } from './kept-sheet.ts'
import { SheetView } from './sheet-view.tsx'
import { useSheet } from './use-sheet.ts'

/** `/marks/:class/:subject`: the marks of a class in a subject, in the chosen term, which stands in the address. */
export function SheetPage() {
  const { t } = useTranslation('marks')
  const { classId, subjectId } = useParams({ from: '/school/marks/$classId/$subjectId' })
  const chosen = useAddressedTerm()
  const group = useQuery(ask('classes', 'get', { params: { classId } }))
  const subjects = useQuery(ask('subjects', 'list'))
  const subject = subjects.data?.find(({ id }) => id === subjectId)
  useEffect(() => keepSheet({ classId, subjectId }), [classId, subjectId])
  if (!group.data || !subjects.data) {
    return (
      <Page title={t('title')}>
        <Answer of={group}>{() => <Answer of={subjects}>{() => null}</Answer>}</Answer>
      </Page>
    )
  }
  const isOfYear = chosen.year?.id === group.data.academic_year_id
  if (chosen.term && isOfYear && subject) {
    return <Followed key={`${classId} ${subjectId} ${chosen.term.id}`} chosen={chosen} group={group.data} subject={subject} />
  }
  const choice = <SheetChoice classId={classId} subjectId={subjectId} />
  return (
    <Page title={t('title')} actions={choice}>
      {chosen.isLoading ? <Loading /> : <Empty>{t(!subject ? 'noSubject' : isOfYear ? 'noTerm' : 'otherYear')}</Empty>}
    </Page>
  )
}

/** The term of the address is the chosen one, and the other way round. */
function useAddressedTerm(): ChosenTerm {
  const { term: asked } = useSearch({ from: '/school/marks/$classId/$subjectId' })
  const chosen = useChosenTerm()
  const navigate = useNavigate()
  const taken = useRef<string | undefined>(undefined)
  const chosenId = chosen.term?.id
  useEffect(() => {
    if (asked && asked !== taken.current) {
      taken.current = asked
      if (asked !== chosenId) chooseTerm(asked)
    } else if (chosenId && chosenId !== asked) {
      taken.current = chosenId
      void navigate({ to: '.', search: { term: chosenId }, replace: true })
    }
  }, [asked, chosenId, navigate])
  return chosen
}

type Shown = { chosen: ChosenTerm; group: { id: string; name: string }; subject: { id: string; name: string } }

function Followed({ chosen: { term, year }, group, subject }: Shown) {
  const termId = term?.id ?? ''
  const sheet = useSheet({ termId, subjectId: subject.id, studentGroupId: group.id })
  const pupils = useQuery(askWhole('classes', 'students', { params: { id: group.id } }))
  const columns = useQuery(ask('assessments', 'list', { query: { termId, subjectId: subject.id, studentGroupId: group.id } }))
  const scale = useQuery(ask('gradingScale', 'get'))
  const own = useQuery(ask('classes', 'mySubjects', { params: { classId: group.id } }))
  const { t } = useTranslation('marks')
  if (!term || !pupils.data || !columns.data || !scale.data || !own.data) {
    return (
      <Page wide title={t('sheet', { subject: subject.name, class: group.name })}>
        <Answer of={pupils}>
          {() => <Answer of={columns}>{() => <Answer of={scale}>{() => <Answer of={own}>{() => null}</Answer>}</Answer>}</Answer>}
        </Answer>
      </Page>
    )
  }
  const ground = {
    sheet,
    classId: group.id,
    className: group.name,
    subjectId: subject.id,
    subjectName: subject.name,
    term,
    yearName: year?.name ?? '',
    pupils: pupils.data,
    columns: columns.data,
    scale: scale.data,
    isReadOnly: !own.data.some(({ id }) => id === subject.id),
  }
  return <SheetView ground={ground} choice={<SheetChoice classId={group.id} subjectId={subject.id} />} />
}
