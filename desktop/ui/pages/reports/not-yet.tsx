import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Empty } from '../../components/page.tsx'
import { nameOf } from '../../words/names.ts'

/** The teacher of a subject comes before the books are made: who makes them, what is to be done then, and what can be done now. */
export function NotYet({ classId }: { classId: string }) {
  const { t } = useTranslation('reports')
  const { id } = useProfile()
  const teachers = useQuery(ask('classes', 'teachers', { params: { classId } }))
  const group = useQuery(ask('classes', 'get', { params: { classId } }))
  const own = teachers.data?.find(({ teacherId }) => teacherId === id)?.subjects ?? []
  const head = teachers.data?.find(({ isClassTeacher }) => isClassTeacher)
  const [first] = own
  if (!first) return <Empty>{t('fill.noneYours')}</Empty>
  return (
    <Empty>
      <p>
        {t('fill.notMade', { class: group.data?.name ?? '' })}{' '}
        {head ? t('fill.madeBy', { name: nameOf({ first_name: head.firstName, last_name: head.lastName }) }) : t('fill.madeByHead')}{' '}
        {t('fill.thenYours', { count: own.length, subjects: own.map(({ name }) => name).join(', ') })}
      </p>
      <ButtonLink to="/marks/$classId/$subjectId" params={{ classId, subjectId: first.id }}>
        {t('fill.toMarks')}
      </ButtonLink>
    </Empty>
  )
}
