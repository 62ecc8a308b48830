import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, SaveActions, TextField } from '../../components/field.tsx'
import { Card, FailureNotice, Notice } from '../../components/page.tsx'
import { useForm } from '../../components/use-form.ts'
import { issueOf } from '../../words/failure.ts'
import styles from './sync.module.css'

/** Joins a parent server with an invitation code, if this node may. `state` revoked: the parent has revoked this node. */
export function Join({ status: { may_join, state, parent } }: { status: Pick<SyncStatus, 'may_join' | 'state' | 'parent'> }) {
  const { t } = useTranslation(['sync', 'app'])
  const join = useSave('replication', 'join')
  const again = state === 'revoked' ? (parent?.name ?? '') : null
  const request = (typed: { address: string; invitation: string }, fingerprint?: string) => {
    const address = typed.address.trim()
    join.mutate({ body: { invitation: typed.invitation.trim(), ...(address && { address }), ...(fingerprint && { fingerprint }) } })
  }
  const { draft, field, send } = useForm({
    initial: { address: '', invitation: '' },
    required: again === null ? ['address', 'invitation'] : ['invitation'],
    save: async (typed) => request(typed),
  })
  const shown = join.error?.code === 'sync.not_trusted' ? issueOf(join.error, 'fingerprint') : undefined
  const addressField = (
    <TextField
      {...field('address')}
      label={t('join.address')}
      hint={t(again !== null ? 'join.againHint' : 'join.addressHint')}
      optional={again !== null}
      inputMode="url"
      spellCheck={false}
      maxLength={200}
    />
  )
  if (join.data) return <Notice tone="good">{t('join.done', { name: join.data.name })}</Notice>
  if (!may_join) return null
  return (
    <Card title={again !== null ? t('join.again', { name: again }) : t('join.title')}>
      <p>{t(again !== null ? 'join.againLead' : 'join.lead')}</p>
      <Form onSend={send}>
        <FailureNotice failure={shown ? null : join.error} />
        {again === null && addressField}
        <TextField {...field('invitation')} label={t('join.code')} hint={t('join.codeHint')} spellCheck={false} maxLength={200} />
        {again !== null && addressField}
        <SaveActions action={t('join.now')} busy={join.isPending} busyWord={t('join.looking')} />
      </Form>
      {shown && (
        <Dialog title={t('join.isIt')} lead={t('join.compare')} onClose={() => join.reset()}>
          <p className={styles['code']}>{shown}</p>
          <Actions>
            <Button onClick={() => join.reset()}>{t('join.notIt')}</Button>
            <Button look="primary" onClick={() => request(draft, shown)}>
              {t('join.itIs')}
            </Button>
          </Actions>
        </Dialog>
      )}
    </Card>
  )
}
