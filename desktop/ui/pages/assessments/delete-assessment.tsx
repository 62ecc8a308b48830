import type { Assessment } from '@markbook/shared/contract/assessments'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'

/** The marks go too, so the title is typed: nobody does that by a slip of the hand. */
export function DeleteAssessment({ assessment, onClose }: { assessment: Assessment; onClose: () => void }) {
  const { t } = useTranslation(['assessments', 'app'])
  const { tell } = useToasts()
  const remove = useSave('assessments', 'remove', ['grades'])
  const [typed, setTyped] = useState('')
  const isSure = typed.trim() === assessment.title.trim()
  const confirm = async () => {
    if (!isSure) return
    await remove.mutateAsync({ params: { id: assessment.id } })
    tell(t('deleted', { title: assessment.title }))
    onClose()
  }
  return (
    <Dialog open title={t('delete', { title: assessment.title })} lead={t('deleteText')} onClose={onClose}>
      <Form onSend={() => void confirm().catch(() => null)}>
        <FailureNotice failure={remove.error} />
        <TextField label={t('typeTitle')} value={typed} onChange={({ target }) => setTyped(target.value)} />
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="danger" disabled={!isSure} busy={remove.isPending} busyWord={t('app:state.deleting')}>
            {t('app:action.delete')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
