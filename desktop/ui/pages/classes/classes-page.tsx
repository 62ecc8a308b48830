import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, save } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { DialogButton, FormDialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Badge, Empty, Loading, Page } from '../../components/page.tsx'
import { AnswerTable } from '../../components/table.tsx'
import { useForm } from '../../components/use-form.ts'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { number } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { ClassTeacherField } from './class-teacher-field.tsx'
import { InvitedNotice } from './invited-notice.tsx'
import { SubjectList } from './subject-list.tsx'
import { useClassMembership } from './use-class-membership.ts'

export function ClassesPage() {
  const { t } = useTranslation('classes')
  const { year, isLoading } = useChosenTerm()
  if (isLoading) return <Loading />
  if (!year) {
    return (
      <Page title={t('title')}>
        <Empty>{t('noYear')}</Empty>
      </Page>
    )
  }
  const addition = (
    <>
      <ButtonLink to="/sets">{t('sets')}</ButtonLink>
      <DialogButton look="primary" icon={Plus} dialog={<NewClass yearId={year.id} />}>
        {t('add')}
      </DialogButton>
    </>
  )
  return (
    <Page title={t('title')} lead={t('lead', { year: year.name })} actions={addition}>
      <List year={year} />
    </Page>
  )
}

function List({ year: { id: yearId, name: year } }: { year: { id: string; name: string } }) {
  const { t } = useTranslation(['classes', 'app'])
  // Others have classes of the year that this person does not see.
  const empty = isAdmin(useProfile()) ? t('empty') : t('app:noClass.own', { year })
  const membership = useClassMembership(yearId)
  const classes = useQuery(ask('classes', 'list', { query: { academicYearId: yearId } }))
  return (
    <AnswerTable
      of={classes}
      empty={empty}
      label={t('title')}
      columns={[
        {
          head: t('name'),
          cell: ({ id, name, isClassTeacher }) => (
            <>
              <Link to="/classes/$classId" params={{ classId: id }}>
                {name}
              </Link>{' '}
              {isClassTeacher && <Badge tone="good">{t('own')}</Badge>}
            </>
          ),
        },
        {
          head: t('whoLeads'),
          // A reply that the browser kept from an older server does not have the field.
          cell: ({ class_teacher }) => (class_teacher === null ? t('noLeader') : class_teacher && nameOf(class_teacher)),
        },
        { head: t('pupilCount'), look: 'number', cell: ({ id }) => membership && number(membership.countByClassId.get(id) ?? 0) },
        {
          head: t('toMarks'),
          look: 'hidden',
          cell: ({ id: classId }) => (
            <>
              <Link to="/marks" search={{ classId }}>
                {t('toMarks')}
              </Link>
              {' · '}
              <Link to="/results/$classId" params={{ classId }}>
                {t('toResults')}
              </Link>
              {' · '}
              <Link to="/reports/$classId" params={{ classId }}>
                {t('toReports')}
              </Link>
            </>
          ),
        },
      ]}
    />
  )
}

function NewClass({ yearId }: { yearId: string }) {
  const { t } = useTranslation(['classes', 'app'])
  const navigate = useNavigate()
  const me = useProfile()
  const mayName = isAdmin(me)
  const made = useRef('')
  const form = useForm({
    initial: { name: '', teacherId: '', chosen: new Set<string>() as ReadonlySet<string> },
    save: async ({ name, teacherId, chosen }) => {
      const body = { name: name.trim(), academicYearId: yearId, subjectIds: [...chosen], ...(teacherId && { classTeacherId: teacherId }) }
      made.current = (await save('classes', 'create', { body })).id
    },
    onSaved: () => void navigate({ to: '/classes/$classId', params: { classId: made.current } }),
  })
  const { draft, set, field } = form
  const isOther = draft.teacherId !== '' && draft.teacherId !== me.id
  return (
    <FormDialog title={t('add')} form={form}>
      <TextField {...field('name')} label={t('name')} hint={t('nameHint')} maxLength={200} />
      {mayName && <ClassTeacherField label={t('whoLeads')} value={draft.teacherId} onChange={(teacherId) => set({ teacherId })} />}
      <InvitedNotice />
      <SubjectList label={t(isOther ? 'subjectsOfTeacher' : 'subjects')} chosen={draft.chosen} onChange={(chosen) => set({ chosen })} />
    </FormDialog>
  )
}
