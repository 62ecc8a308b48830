import type { Subject } from '@markbook/shared/contract/subjects'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { issueOf } from '../../words/failure.ts'

/** Adds a subject (`subject` is null) or changes one. */
export function SubjectDialog({ subject, onClose }: { subject: Subject | null; onClose: () => void }) {
  const { t } = useTranslation(['subjects', 'app'])
  const { tell } = useToasts()
  const create = useSave('subjects', 'create')
  const update = useSave('subjects', 'update')
  const remove = useSave('subjects', 'remove')
  const [name, setName] = useState(subject?.name ?? '')
  const [code, setCode] = useState(subject?.code ?? '')
  const [isActive, setActive] = useState(subject?.is_active ?? true)
  const [isDeleting, setDeleting] = useState(false)
  const failure = create.error ?? update.error
  const onSuccess = () => {
    tell(t('saved', { name }))
    onClose()
  }
  const save = () =>
    subject
      ? update.mutate({ params: { id: subject.id }, body: { name, code, isActive } }, { onSuccess })
      : create.mutate({ body: { name, code } }, { onSuccess })
  if (subject && isDeleting) {
    const confirm = () => remove.mutateAsync({ params: { id: subject.id } })
    return (
      <ConfirmDialog
        title={t('delete', { name })}
        text={t('deleteText')}
        action={t('app:action.delete')}
        onConfirm={confirm}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog open title={subject ? t('change', { name: subject.name }) : t('add')} onClose={onClose}>
      <Form onSend={save}>
        <FailureNotice failure={failure} />
        <TextField
          label={t('name')}
          value={name}
          maxLength={200}
          error={issueOf(failure, 'name')}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label={t('code')}
          hint={t('codeHint')}
          value={code}
          maxLength={20}
          error={issueOf(failure, 'code')}
          onChange={({ target }) => setCode(target.value)}
        />
        {subject && <Checkbox label={t('taught')} checked={isActive} onChange={({ target }) => setActive(target.checked)} />}
        <Actions>
          {subject && (
            <Button look="danger" onClick={() => setDeleting(true)}>
              {t('app:action.delete')}
            </Button>
          )}
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" busy={create.isPending || update.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
