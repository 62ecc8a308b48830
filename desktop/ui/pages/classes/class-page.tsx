import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, type ReplyOf, refresh, save } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { ConfirmDialog, DialogButton, FormDialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Answer, Page } from '../../components/page.tsx'
import { useForm } from '../../components/use-form.ts'
import { backTo, saveWithUndo } from '../../components/with-undo.ts'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { NotCurrentYear, OtherYear } from '../../frame/other-year.tsx'
import { tellDeleted } from '../bin/restore.ts'
import { ClassStudents } from './class-students.tsx'
import { ClassTeachers } from './class-teachers.tsx'

type ClassDetails = ReplyOf<'classes', 'get'>

/** A class with its pupils and teachers; its class teacher and administrators can change it. */
export function ClassPage() {
  const { classId } = useParams({ from: '/school/classes/$classId' })
  const detail = useQuery(ask('classes', 'get', { params: { classId } }))
  return <Answer of={detail}>{(group) => <Whole group={group} />}</Answer>
}

function Whole({ group }: { group: ClassDetails }) {
  const { t } = useTranslation('classes')
  const profile = useProfile()
  const { year } = useChosenTerm()
  const mayChange = group.is_class_teacher || isAdmin(profile)
  const actions = (
    <>
      <ButtonLink to="/attendance/$classId" params={{ classId: group.id }}>
        {t('toAttendance')}
      </ButtonLink>
      {mayChange && <OwnActions group={group} />}
    </>
  )
  return (
    <Page title={t('class', { name: group.name })} lead={mayChange ? undefined : t('notYours')} actions={actions}>
      <OtherYear yearId={group.academic_year_id} />
      {year?.id === group.academic_year_id && <NotCurrentYear yearId={group.academic_year_id} to="/classes" />}
      <ClassStudents classId={group.id} className={group.name} yearId={group.academic_year_id} mayChange={mayChange} />
      <ClassTeachers classId={group.id} className={group.name} mayChange={mayChange} />
    </Page>
  )
}

function OwnActions({ group }: { group: ClassDetails }) {
  const { t } = useTranslation('classes')
  return (
    <>
      <ButtonLink to="/results/$classId" params={{ classId: group.id }}>
        {t('toResults')}
      </ButtonLink>
      <ButtonLink to="/reports/$classId" params={{ classId: group.id }}>
        {t('toReports')}
      </ButtonLink>
      <DialogButton dialog={<Rename group={group} />}>{t('rename')}</DialogButton>
      <DialogButton look="danger" dialog={<Removal group={group} />}>
        {t('delete')}
      </DialogButton>
    </>
  )
}

function Rename({ group }: { group: ClassDetails }) {
  const { t } = useTranslation(['classes', 'app'])
  const form = useForm({
    initial: { name: group.name },
    save: async ({ name }) => {
      const after = { name: name.trim() }
      const write = (body: Partial<typeof after>) => save('classes', 'update', { params: { classId: group.id }, body })
      await saveWithUndo({ said: t('saved', after), run: () => write(after), back: backTo({ name: group.name }, after, write) })
    },
  })
  return (
    <FormDialog title={t('rename')} form={form}>
      <TextField {...form.field('name')} label={t('name')} maxLength={200} />
    </FormDialog>
  )
}

function Removal({ group }: { group: ClassDetails }) {
  const { t } = useTranslation('classes')
  const navigate = useNavigate()
  const confirm = async () => {
    await client.classes.remove({ params: { classId: group.id } })
    // Leave the page first: its queries would fail for a deleted class.
    await navigate({ to: '/classes' })
    await refresh(['classes', 'reports', 'history'])
    const again = () => save('classes', 'remove', { params: { classId: group.id } }, ['reports'])
    tellDeleted(t('deleted', { name: group.name }), 'student_group', { ...group, again })
  }
  return <ConfirmDialog title={t('deleteTitle', { name: group.name })} text={t('deleteText')} action={t('delete')} onConfirm={confirm} />
}
