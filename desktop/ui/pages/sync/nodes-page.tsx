import type { SyncNode } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import { Answer, Badge, Card, FailureNotice, Page, Table } from '../../components/page.tsx'
import { moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { Invite } from './invite.tsx'
import { Join } from './join.tsx'
import styles from './sync.module.css'

export function NodesPage() {
  const { t } = useTranslation('sync')
  const nodes = useQuery({ ...ask('replication', 'nodes'), refetchInterval: 10_000 })
  const status = useQuery(ask('replication', 'status')).data
  return (
    <Page title={t('nodes')} lead={t('nodesLead')}>
      <Card title={t('computers')}>
        <Answer of={nodes} empty={t('nodesNone')}>
          {(list) => <Nodes nodes={list} />}
        </Answer>
      </Card>
      {status && <Join status={status} />}
      <Invite />
    </Page>
  )
}

function Nodes({ nodes }: { nodes: readonly SyncNode[] }) {
  const { t } = useTranslation('sync')
  const [asked, setAsked] = useState<{ step: 'rename' | 'revoke'; node: SyncNode } | null>(null)
  const revoke = useSave('replication', 'revoke')
  const kindOf = ({ side, kind, user }: SyncNode) => {
    if (side === 'parent') return `${t(kind)}, ${t('side_parent')}`
    return user ? t('laptopOf', { name: nameOf(user) }) : t(kind)
  }
  return (
    <div className={styles['stacked']}>
      <Table label={t('nodes')}>
        <thead>
          <tr>
            <th scope="col">{t('node')}</th>
            <th scope="col">{t('kind')}</th>
            <th scope="col">{t('joined')}</th>
            <th scope="col">{t('lastSeen')}</th>
            <th scope="col">{t('state')}</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.id}>
              <th scope="row">
                {node.name}
                {node.began_anew && <BeganAnew {...node.began_anew} />}
              </th>
              <td data-label={t('kind')}>{kindOf(node)}</td>
              <td data-label={t('joined')}>{moment(node.enrolled_at)}</td>
              <td data-label={t('lastSeen')}>{node.last_seen_at ? moment(node.last_seen_at) : t('never')}</td>
              <td data-label={t('state')}>
                {node.revoked_at ? (
                  <Badge tone="bad">{t('revokedAt', { at: moment(node.revoked_at) })}</Badge>
                ) : (
                  <>
                    <Badge tone="good">{t('takesPart')}</Badge>{' '}
                    <Button size="small" aria-label={t('renameOf', { name: node.name })} onClick={() => setAsked({ step: 'rename', node })}>
                      {t('rename')}
                    </Button>{' '}
                    <Button
                      size="small"
                      aria-label={t(`${shutting(node)}Of`, { name: node.name })}
                      onClick={() => setAsked({ step: 'revoke', node })}
                    >
                      {t(shutting(node))}
                    </Button>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {asked?.step === 'rename' && <Rename node={asked.node} onClose={() => setAsked(null)} />}
      {asked?.step === 'revoke' && (
        <ConfirmDialog
          title={t(`${shutting(asked.node)}Title`, { name: asked.node.name })}
          text={t(`${shutting(asked.node)}Text`)}
          action={t(shutting(asked.node))}
          onConfirm={() => revoke.mutateAsync({ params: { id: asked.node.id } })}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  )
}

/** This server leaves the one above it; it shuts others out. */
const shutting = ({ side }: SyncNode) => (side === 'parent' ? 'leave' : 'revoke')

/** Which of two of one name should not be. */
function BeganAnew({ name, at, both_heard }: NonNullable<SyncNode['began_anew']>) {
  const { t } = useTranslation('sync')
  return <p className={styles['by']}>{t(both_heard ? 'twoOfIt' : 'beganAnew', { name, at: moment(at) })}</p>
}

function Rename({ node, onClose }: { node: SyncNode; onClose: () => void }) {
  const { t } = useTranslation(['sync', 'app'])
  const rename = useSave('replication', 'rename')
  const [name, setName] = useState(node.name)
  const save = () => rename.mutate({ params: { id: node.id }, body: { name: name.trim() } }, { onSuccess: onClose })
  return (
    <Dialog open title={t('renameOf', { name: node.name })} onClose={onClose}>
      <Form onSend={save}>
        <FailureNotice failure={rename.error} />
        <TextField label={t('newName')} value={name} maxLength={200} onChange={({ target }) => setName(target.value)} />
        <Actions>
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" busy={rename.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
