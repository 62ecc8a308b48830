import type { ListedAssessment as Assessment } from '@markbook/shared/contract/assessments'
import type { Subject } from '@markbook/shared/contract/subjects'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { MoveButtons } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { DialogButton } from '../../components/dialog.tsx'
import { Options, SelectField } from '../../components/field.tsx'
import { Badge, Empty, Loading, Page } from '../../components/page.tsx'
import { AnswerTable, type Column } from '../../components/table.tsx'
import { tellFailure } from '../../components/toasts.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { NoClass } from '../../frame/no-class.tsx'
import { NotCurrentYear } from '../../frame/other-year.tsx'
import { day, number } from '../../words/format.ts'
import { AssessmentDialog } from './assessment-dialog.tsx'

/** The assessments of a subject in the chosen term, for people who may mark it. */
export function AssessmentsPage() {
  const { t } = useTranslation(['assessments', 'app'])
  const { term, year, isLoading } = useChosenTerm()
  const { subject: requestedId } = useSearch({ from: '/school/assessments' })
  const navigate = useNavigate()
  const { subjects, classesOf, hasClass, isLoading: isLoadingSubjects } = useMarkedSubjects(year?.id ?? null)
  const subject = subjects.find(({ id }) => id === requestedId) ?? subjects[0]
  const scope = term && subject && { termId: term.id, subjectId: subject.id, classId: null, offered: classesOf(subject.id) }
  const choose = (id: string) => void navigate({ to: '/assessments', search: { subject: id }, replace: true })
  if (isLoading || isLoadingSubjects) return <Loading />
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        <>
          {scope && (
            <DialogButton look="primary" icon={Plus} dialog={<AssessmentDialog {...scope} assessment={null} />}>
              {t('add')}
            </DialogButton>
          )}
          <ButtonLink to="/bin">{t('app:navigation.bin')}</ButtonLink>
        </>
      }
    >
      <NotCurrentYear yearId={year?.id} isWritable={subject !== undefined} />
      {!term && <Empty>{t('noTerm')}</Empty>}
      {term && year && !subject && <Empty>{hasClass ? t('noSubject') : <NoClass year={year.name} />}</Empty>}
      {subject && scope && (
        <>
          <SelectField label={t('subject')} value={subject.id} onChange={({ target }) => choose(target.value)}>
            <Options of={subjects} />
          </SelectField>
          <List {...scope} />
        </>
      )}
    </Page>
  )
}

type Scope = { termId: string; subjectId: string; classId: null; offered: readonly string[] }

/** The subjects that this person may mark in any class of the year, in the school's order; `classesOf` gives the classes of one. */
function useMarkedSubjects(yearId: string | null) {
  const classes = useQuery({ ...ask('classes', 'list', { query: { academicYearId: yearId ?? '' } }), enabled: yearId !== null })
  const own = useQueries({ queries: (classes.data ?? []).map(({ id }) => ask('classes', 'mySubjects', { params: { classId: id } })) })
  const byId = new Map(own.flatMap(({ data }) => data ?? []).map((subject) => [subject.id, subject]))
  const subjects: Subject[] = [...byId.values()].sort((a, b) => a.sort_order - b.sort_order || a.name.localeCompare(b.name))
  const classesOf = (subjectId: string) =>
    (classes.data ?? []).flatMap(({ id }, at) => (own[at]?.data?.some((subject) => subject.id === subjectId) ? [id] : []))
  const hasClass = (classes.data ?? []).length > 0
  return { subjects, classesOf, hasClass, isLoading: classes.isLoading || own.some(({ isLoading }) => isLoading) }
}

function List(scope: Scope) {
  const { t } = useTranslation('assessments')
  const { termId, subjectId } = scope
  const list = useQuery(ask('assessments', 'list', { query: { termId, subjectId } }))
  const classes = useQuery(ask('classes', 'list'))
  const { year } = useChosenTerm()
  const categories = useQuery({
    ...ask('assessmentCategories', 'list', { query: { academicYearId: year?.id ?? '' } }),
    enabled: year !== null,
  })
  const hasCategories = (categories.data ?? []).length > 0
  const update = useSave('assessments', 'update', ['grades'])
  const className = (id: string | null) => classes.data?.find((known) => known.id === id)?.name ?? '…'
  const move = async (assessments: readonly Assessment[], from: number, to: number) => {
    const order = [...assessments]
    order.splice(to, 0, ...order.splice(from, 1))
    for (const [at, { id, sort_order }] of order.entries()) {
      if (sort_order !== at + 1) await update.mutateAsync({ params: { id }, body: { sortOrder: at + 1 } })
    }
  }
  const columns: (Column<Assessment> | false)[] = [
    {
      head: t('name'),
      cell: (assessment) => (
        <>
          <DialogButton
            look="quiet"
            aria-label={t('change', { title: assessment.title })}
            dialog={<AssessmentDialog {...scope} assessment={assessment} />}
          >
            {assessment.title}
          </DialogButton>{' '}
          {assessment.is_excluded && (
            <Badge tone="warn">
              {assessment.exclusion_reason ? t('excludedBecause', { reason: assessment.exclusion_reason }) : t('excluded')}
            </Badge>
          )}
        </>
      ),
    },
    { head: t('type'), cell: ({ assessment_type }) => t(assessment_type) },
    hasCategories && {
      head: t('category'),
      cell: ({ category_id }) => categories.data?.find(({ id }) => id === category_id)?.name ?? '',
    },
    { head: t('date'), cell: ({ assessment_date }) => (assessment_date ? day(assessment_date) : '') },
    { head: t('max'), look: 'number', cell: ({ max_score }) => number(max_score) },
    { head: t('weight'), look: 'number', cell: ({ weight }) => number(weight ?? 1) },
    {
      head: t('class'),
      cell: ({ student_group_id, teaching_set }) => {
        const name = teaching_set ? teaching_set.name : student_group_id && className(student_group_id)
        return name ? t('classOnly', { name }) : t('everyClass')
      },
    },
    {
      head: t('order'),
      cell: ({ title }, at, assessments) => (
        <MoveButtons
          at={at}
          count={assessments.length}
          label={{ up: t('up', { title }), down: t('down', { title }) }}
          disabled={update.isPending}
          onMove={(to) => void move(assessments, at, to).catch(tellFailure)}
        />
      ),
    },
  ]
  return <AnswerTable of={list} empty={t('empty')} label={t('title')} columns={columns} />
}
