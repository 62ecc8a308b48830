import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Form, Row, SelectField } from '../../components/field.tsx'
import { Card, FailureNotice, Notice } from '../../components/page.tsx'
import { useAddress } from '../../frame/address.ts'
import { moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import styles from './sync.module.css'

/** A code for one computer, shown once, and only while it is for what is chosen. */
export function Invite() {
  const { t } = useTranslation('sync')
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  // Servers of a school join the centre (decision 388).
  const hasJoined = Boolean(useQuery(ask('replication', 'status')).data?.parent)
  const invite = useSave('replication', 'invite')
  const [kind, setKind] = useState<'laptop' | 'school'>('laptop')
  const [chosen, setChosen] = useState('')
  const userId = chosen || staff.data?.[0]?.id
  const invited = staff.data?.find(({ id }) => id === invite.variables?.body?.userId)
  const name = invited ? nameOf(invited) : ''
  const address = useAddress()
  const choose = (set: () => void) => {
    set()
    invite.reset()
  }
  const send = () => invite.mutate({ body: { kind, ...(kind === 'laptop' && userId && { userId }) } })
  return (
    <Card title={t('invite')}>
      <p>{t('inviteLead')}</p>
      <Form onSend={send}>
        <FailureNotice failure={invite.error} />
        <Row>
          <SelectField label={t('inviteFor')} value={kind} onChange={({ target }) => choose(() => setKind(target.value as typeof kind))}>
            <option value="laptop">{t('inviteLaptop')}</option>
            {!hasJoined && <option value="school">{t('inviteSchool')}</option>}
          </SelectField>
          {kind === 'laptop' && (
            <SelectField label={t('inviteWhom')} value={userId ?? ''} onChange={({ target }) => choose(() => setChosen(target.value))}>
              {(staff.data ?? []).map((person) => (
                <option key={person.id} value={person.id}>
                  {nameOf(person)}
                </option>
              ))}
            </SelectField>
          )}
        </Row>
        <Actions>
          <Button type="submit" look="primary" busy={invite.isPending}>
            {t('inviteMake')}
          </Button>
        </Actions>
      </Form>
      {invite.data && (
        <Notice tone="good">
          <strong>{t(`inviteIsFor.${kind}`, { name })}</strong>
          <span>{t('inviteCode')}</span>
          <span className={styles['code']}>{invite.data.code}</span>
          <span>{address ? t('inviteAddress', { address }) : t('inviteOnlyHere', { address: location.origin })}</span>
          <span>{t('inviteUntil', { at: moment(invite.data.expires_at) })}</span>
        </Notice>
      )}
      <p>{t(`joinHow.${kind}`, { address: address ?? t('inviteWords.address'), code: invite.data?.code ?? t('inviteWords.code') })}</p>
    </Card>
  )
}
