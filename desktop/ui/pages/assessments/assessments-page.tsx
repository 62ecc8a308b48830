import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Subject } from '@markbook/shared/contract/subjects'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/field.tsx'
import { Answer, Badge, Empty, Loading, numberCell, Page, Table } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { day, number } from '../../words/format.ts'
import { AssessmentDialog } from './assessment-dialog.tsx'

/** The assessments of one subject in the chosen term, for whoever may mark it. */
export function AssessmentsPage() {
  const { t } = useTranslation('assessments')
  const { term, year, isLoading } = useChosenTerm()
  const { subject: asked } = useSearch({ from: '/school/assessments' })
  const navigate = useNavigate()
  const { subjects, isLoading: isLooking } = useMarkedSubjects(year?.id ?? null)
  const subject = subjects.find(({ id }) => id === asked) ?? subjects[0]
  const [shown, setShown] = useState<Assessment | 'new' | null>(null)
  const choose = (id: string) => void navigate({ to: '/assessments', search: { subject: id }, replace: true })
  if (isLoading || isLooking) return <Loading />
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        term &&
        subject && (
          <Button look="primary" onClick={() => setShown('new')}>
            {t('add')}
          </Button>
        )
      }
    >
      {!term && <Empty>{t('noTerm')}</Empty>}
      {term && !subject && <Empty>{t('noSubject')}</Empty>}
      {term && subject && (
        <>
          <SelectField label={t('subject')} value={subject.id} onChange={({ target }) => choose(target.value)}>
            {subjects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <List termId={term.id} subjectId={subject.id} onChoose={setShown} />
          {shown && (
            <AssessmentDialog
              assessment={shown === 'new' ? null : shown}
              termId={term.id}
              subjectId={subject.id}
              classId={null}
              onClose={() => setShown(null)}
            />
          )}
        </>
      )}
    </Page>
  )
}

/** Subjects that the caller may mark in any of their classes of the year, in the school's order. */
function useMarkedSubjects(yearId: string | null): { subjects: readonly Subject[]; isLoading: boolean } {
  const classes = useQuery({ ...ask('classes', 'list', { query: { academicYearId: yearId ?? '' } }), enabled: yearId !== null })
  const own = useQueries({ queries: (classes.data ?? []).map(({ id }) => ask('classes', 'mySubjects', { params: { classId: id } })) })
  const byId = new Map(own.flatMap(({ data }) => data ?? []).map((subject) => [subject.id, subject]))
  const subjects = [...byId.values()].sort((a, b) => a.sort_order - b.sort_order || a.name.localeCompare(b.name))
  return { subjects, isLoading: classes.isLoading || own.some(({ isLoading }) => isLoading) }
}

function List({ termId, subjectId, onChoose }: { termId: string; subjectId: string; onChoose: (assessment: Assessment) => void }) {
  const { t } = useTranslation('assessments')
  const list = useQuery(ask('assessments', 'list', { query: { termId, subjectId } }))
  const classes = useQuery(ask('classes', 'list'))
  const className = (id: string | null) => classes.data?.find((known) => known.id === id)?.name ?? '…'
  return (
    <Answer of={list} empty={t('empty')}>
      {(assessments) => (
        <Table label={t('title')}>
          <thead>
            <tr>
              <th scope="col">{t('name')}</th>
              <th scope="col">{t('type')}</th>
              <th scope="col">{t('date')}</th>
              <th scope="col" className={numberCell}>
                {t('max')}
              </th>
              <th scope="col" className={numberCell}>
                {t('weight')}
              </th>
              <th scope="col">{t('class')}</th>
              <th scope="col">{t('order')}</th>
            </tr>
          </thead>
          <tbody>
            {assessments.map((assessment, at) => (
              <tr key={assessment.id}>
                <th scope="row">
                  <Button look="quiet" aria-label={t('change', { title: assessment.title })} onClick={() => onChoose(assessment)}>
                    {assessment.title}
                  </Button>{' '}
                  {assessment.is_excluded && (
                    <Badge tone="warn">
                      {assessment.exclusion_reason ? t('excludedBecause', { reason: assessment.exclusion_reason }) : t('excluded')}
                    </Badge>
                  )}
                </th>
                <td>{t(assessment.assessment_type)}</td>
                <td>{assessment.assessment_date ? day(assessment.assessment_date) : ''}</td>
                <td className={numberCell}>{number(assessment.max_score)}</td>
                <td className={numberCell}>{number(assessment.weight ?? 1)}</td>
                <td>{assessment.student_group_id ? t('classOnly', { name: className(assessment.student_group_id) }) : t('everyClass')}</td>
                <td>
                  <Order assessments={assessments} at={at} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Answer>
  )
}

/** Changes places with a neighbour: both get the number of their new place. */
function Order({ assessments, at }: { assessments: readonly Assessment[]; at: number }) {
  const { t } = useTranslation('assessments')
  const { tellFailure } = useToasts()
  const update = useSave('assessments', 'update', ['grades'])
  const { title } = assessments[at] as Assessment
  const moveTo = async (to: number) => {
    const order = assessments.map(({ id }) => id)
    order.splice(to, 0, ...order.splice(at, 1))
    const moved = order.map((id, index) => ({ id, index })).filter(({ id, index }) => placeOf(assessments, id) !== index + 1)
    for (const { id, index } of moved) await update.mutateAsync({ params: { id }, body: { sortOrder: index + 1 } })
  }
  const move = (to: number) => void moveTo(to).catch(tellFailure)
  return (
    <>
      <Button size="small" aria-label={t('up', { title })} disabled={at === 0 || update.isPending} onClick={() => move(at - 1)}>
        ↑
      </Button>{' '}
      <Button
        size="small"
        aria-label={t('down', { title })}
        disabled={at === assessments.length - 1 || update.isPending}
        onClick={() => move(at + 1)}
      >
        ↓
      </Button>
    </>
  )
}

const placeOf = (assessments: readonly Assessment[], id: string) => assessments.find((assessment) => assessment.id === id)?.sort_order
