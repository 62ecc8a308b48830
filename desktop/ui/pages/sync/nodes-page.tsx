import type { SyncNode } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, save, useSave } from '../../api/queries.ts'
import { ConfirmButton, DialogButton, FormDialog } from '../../components/dialog.tsx'
import { Form, Options, Row, SaveActions, SelectField, TextField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Card, FailureNotice, Notice, Page } from '../../components/page.tsx'
import { AnswerTable } from '../../components/table.tsx'
import { useForm } from '../../components/use-form.ts'
import { useServerAddress } from '../../frame/server-address.ts'
import { moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { Join } from './join.tsx'
import styles from './sync.module.css'

export function NodesPage() {
  const { t } = useTranslation('sync')
  const nodes = useQuery({ ...ask('replication', 'nodes'), refetchInterval: 10_000 })
  const status = useQuery(ask('replication', 'status')).data
  const kindOf = ({ side, kind, user }: SyncNode) => {
    if (side === 'parent') return `${t(kind)}, ${t('side_parent')}`
    return user ? t('laptopOf', { name: nameOf(user) }) : t(kind)
  }
  return (
    <Page title={t('nodes')} lead={t('nodesLead')}>
      <Card title={t('computers')}>
        <div className={styles['stacked']}>
          <AnswerTable
            of={nodes}
            empty={t('nodesNone')}
            label={t('nodes')}
            columns={[
              {
                head: t('node'),
                cell: ({ name, began_anew: began }) => (
                  <>
                    {name}
                    {/* A computer that was restored, or that runs twice. */}
                    {began && (
                      <p className={layout['soft']}>
                        {t(began.both_heard ? 'twoOfIt' : 'beganAnew', { name: began.name, at: moment(began.at) })}
                      </p>
                    )}
                  </>
                ),
              },
              { head: t('kind'), cell: kindOf },
              { head: t('joined'), cell: ({ enrolled_at }) => moment(enrolled_at) },
              { head: t('lastSeen'), cell: ({ last_seen_at }) => (last_seen_at ? moment(last_seen_at) : t('never')) },
              { head: t('state'), cell: (node) => <NodeState node={node} /> },
            ]}
          />
        </div>
      </Card>
      {status && <Join status={status} />}
      <Invite />
    </Page>
  )
}

function NodeState({ node }: { node: SyncNode }) {
  const { t } = useTranslation('sync')
  const { id, name } = node
  // A server leaves its parent, and revokes others.
  const word = node.side === 'parent' ? 'leave' : 'revoke'
  if (node.wiped_at) return <Badge tone="bad">{t('wipedAt', { at: moment(node.wiped_at) })}</Badge>
  if (node.wipe_asked_at) return <Badge tone="warn">{t('wipeAskedAt', { at: moment(node.wipe_asked_at) })}</Badge>
  const erase = node.kind === 'laptop' && node.side === 'child' && (
    <ConfirmButton
      size="small"
      aria-label={t('wipeOf', { name })}
      title={t('wipeTitle', { name })}
      text={t('wipeText')}
      action={t('wipe')}
      onConfirm={() => save('replication', 'wipe', { params: { id } })}
    />
  )
  if (node.revoked_at)
    return (
      <>
        <Badge tone="bad">{t('revokedAt', { at: moment(node.revoked_at) })}</Badge> {erase}
      </>
    )
  return (
    <>
      <Badge tone="good">{t('takesPart')}</Badge>{' '}
      <DialogButton size="small" aria-label={t('renameOf', { name })} dialog={<Rename node={node} />}>
        {t('rename')}
      </DialogButton>{' '}
      <ConfirmButton
        size="small"
        aria-label={t(`${word}Of`, { name })}
        title={t(`${word}Title`, { name })}
        text={t(`${word}Text`)}
        action={t(word)}
        onConfirm={() => save('replication', 'revoke', { params: { id } })}
      />{' '}
      {erase}
    </>
  )
}

function Rename({ node }: { node: SyncNode }) {
  const { t } = useTranslation(['sync', 'app'])
  const form = useForm({
    initial: { name: node.name },
    save: ({ name }) => save('replication', 'rename', { params: { id: node.id }, body: { name: name.trim() } }),
  })
  return (
    <FormDialog title={t('renameOf', { name: node.name })} form={form}>
      <TextField label={t('newName')} value={form.draft.name} maxLength={200} onChange={({ target }) => form.set({ name: target.value })} />
    </FormDialog>
  )
}

/** Makes an invitation code for one computer. The code is shown once, until another choice is made. */
function Invite() {
  const { t } = useTranslation(['sync', 'app'])
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  // Servers of schools join the centre (docs/design/replication.md).
  const hasJoined = Boolean(useQuery(ask('replication', 'status')).data?.parent)
  const invite = useSave('replication', 'invite')
  const [kind, setKind] = useState<'laptop' | 'school'>('laptop')
  const [chosen, setChosen] = useState('')
  const userId = chosen || staff.data?.[0]?.id
  const invited = staff.data?.find(({ id }) => id === invite.variables?.body?.userId)
  const name = invited ? nameOf(invited) : ''
  const address = useServerAddress()
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
              <Options of={(staff.data ?? []).map((person) => ({ id: person.id, name: nameOf(person) }))} />
            </SelectField>
          )}
        </Row>
        <SaveActions action={t('inviteMake')} busy={invite.isPending} busyWord={t('app:state.wait')} />
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
