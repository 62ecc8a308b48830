import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import { Card, FailureNotice, Notice } from '../../components/page.tsx'
import { issueOf } from '../../words/failure.ts'
import styles from './sync.module.css'

/**
 * Joins the server above this one with a code from there, where this node may. `state` revoked: it was shut out by the one it has. What was
 * said of it stays in sight.
 */
export function Join({ status: { may_join, state, parent } }: { status: Pick<SyncStatus, 'may_join' | 'state' | 'parent'> }) {
  const { t } = useTranslation(['sync', 'app'])
  const join = useSave('replication', 'join')
  const again = state === 'revoked' ? (parent?.name ?? '') : null
  const [texts, setTexts] = useState({ address: '', invitation: '' })
  const [isTried, setTried] = useState(false)
  const [typed, invitation] = [texts.address.trim(), texts.invitation.trim()]
  const send = (fingerprint?: string) => {
    setTried(true)
    if (!invitation || (again === null && !typed)) return
    join.mutate({ body: { invitation, ...(typed && { address: typed }), ...(fingerprint && { fingerprint }) } })
  }
  const shown = join.error?.code === 'sync.not_trusted' ? issueOf(join.error, 'fingerprint') : undefined
  const type = (name: keyof typeof texts, value: string) => setTexts((before) => ({ ...before, [name]: value }))
  const missing = (value: string) => (isTried && !value ? t('app:field.required') : undefined)
  const address = (
    <TextField
      label={t('join.address')}
      hint={t(again !== null ? 'join.againHint' : 'join.addressHint')}
      optional={again !== null}
      error={again === null ? missing(typed) : undefined}
      inputMode="url"
      spellCheck={false}
      value={texts.address}
      maxLength={200}
      onChange={({ target }) => type('address', target.value)}
    />
  )
  if (join.data) return <Notice tone="good">{t('join.done', { name: join.data.name })}</Notice>
  if (!may_join) return null
  return (
    <Card title={again !== null ? t('join.again', { name: again }) : t('join.title')}>
      <p>{t(again !== null ? 'join.againLead' : 'join.lead')}</p>
      <Form onSend={() => send()}>
        <FailureNotice failure={shown ? null : join.error} />
        {again === null && address}
        <TextField
          label={t('join.code')}
          hint={t('join.codeHint')}
          error={missing(invitation)}
          spellCheck={false}
          value={texts.invitation}
          maxLength={200}
          onChange={({ target }) => type('invitation', target.value)}
        />
        {again !== null && address}
        <Actions>
          <Button type="submit" look="primary" busy={join.isPending} busyWord={t('join.looking')}>
            {t('join.now')}
          </Button>
        </Actions>
      </Form>
      {shown && (
        <Dialog open title={t('join.isIt')} lead={t('join.compare')} onClose={() => join.reset()}>
          <p className={styles['code']}>{shown}</p>
          <Actions>
            <Button onClick={() => join.reset()}>{t('join.notIt')}</Button>
            <Button look="primary" onClick={() => send(shown)}>
              {t('join.itIs')}
            </Button>
          </Actions>
        </Dialog>
      )}
    </Card>
  )
}
