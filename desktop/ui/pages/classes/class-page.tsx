import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, type ReplyOf, refresh, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Answer, Page } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { issueOf } from '../../words/failure.ts'
import { ClassStudents } from './class-students.tsx'
import { ClassTeachers } from './class-teachers.tsx'

type ClassDetails = ReplyOf<'classes', 'get'>

/** One class: its pupils, its teachers; for its class teacher and administrators what can be changed. */
export function ClassPage() {
  const { classId } = useParams({ from: '/school/classes/$classId' })
  const detail = useQuery(ask('classes', 'get', { params: { classId } }))
  return <Answer of={detail}>{(group) => <Whole group={group} />}</Answer>
}

function Whole({ group }: { group: ClassDetails }) {
  const { t } = useTranslation('classes')
  const profile = useProfile()
  const mayChange = group.is_class_teacher || isAdmin(profile)
  const [shown, setShown] = useState<'rename' | 'delete' | null>(null)
  const close = () => setShown(null)
  const actions = (
    <>
      <ButtonLink to="/results/$classId" params={{ classId: group.id }}>
        {t('toResults')}
      </ButtonLink>
      <ButtonLink to="/reports/$classId" params={{ classId: group.id }}>
        {t('toReports')}
      </ButtonLink>
      <Button onClick={() => setShown('rename')}>{t('rename')}</Button>
      <Button look="danger" onClick={() => setShown('delete')}>
        {t('delete')}
      </Button>
    </>
  )
  return (
    <Page title={t('class', { name: group.name })} lead={mayChange ? undefined : t('notYours')} actions={mayChange && actions}>
      <ClassStudents classId={group.id} className={group.name} yearId={group.academic_year_id} mayChange={mayChange} />
      <ClassTeachers classId={group.id} className={group.name} mayChange={mayChange} />
      {shown === 'rename' && <Rename group={group} onClose={close} />}
      {shown === 'delete' && <Removal group={group} onClose={close} />}
    </Page>
  )
}

function Rename({ group, onClose }: { group: ClassDetails; onClose: () => void }) {
  const { t } = useTranslation(['classes', 'app'])
  const { tell } = useToasts()
  const update = useSave('classes', 'update')
  const [name, setName] = useState(group.name)
  const save = async () => {
    await update.mutateAsync({ params: { classId: group.id }, body: { name: name.trim() } })
    tell(t('saved', { name: name.trim() }))
    onClose()
  }
  return (
    <FormDialog title={t('rename')} failure={update.error} busy={update.isPending} onSave={save} onClose={onClose}>
      <TextField
        label={t('name')}
        value={name}
        maxLength={200}
        error={issueOf(update.error, 'name')}
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  )
}

function Removal({ group, onClose }: { group: ClassDetails; onClose: () => void }) {
  const { t } = useTranslation('classes')
  const { tell } = useToasts()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const confirm = async () => {
    await client.classes.remove({ params: { classId: group.id } })
    // Leave the page first: its queries would fail for a deleted class.
    await navigate({ to: '/classes' })
    await refresh(queries, ['classes', 'reports', 'history'])
    tell(t('deleted', { name: group.name }))
  }
  return (
    <ConfirmDialog
      title={t('deleteTitle', { name: group.name })}
      text={t('deleteText')}
      action={t('delete')}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}
