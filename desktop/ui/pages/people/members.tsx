import { fold } from '@markbook/shared/domain/fold'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { askWhole, type ReplyOf, useSave } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Answer, Badge, Card, Table } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { day } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import styles from './people.module.css'
import { ROLES, type Role } from './requests.tsx'

type Member = ReplyOf<'schools', 'members'>[number]
type Step = 'suspend' | 'remove' | 'reset'

/** `isFixed`: on a laptop nobody's place in the school is changed. */
export function Members({ isFixed }: { isFixed: boolean }) {
  const { t } = useTranslation('people')
  const members = useQuery(askWhole('schools', 'members'))
  const [search, setSearch] = useState('')
  const [asked, setAsked] = useState<{ step: Step; member: Member } | null>(null)
  const found = (list: readonly Member[]) => list.filter((member) => fold(`${nameOf(member)} ${member.email}`).includes(fold(search)))
  return (
    <Card title={t('members')}>
      <TextField label={t('find')} type="search" value={search} onChange={({ target }) => setSearch(target.value)} />
      <Answer of={members}>
        {(list) => (
          <Table label={t('members')}>
            <thead>
              <tr>
                <th scope="col">{t('name')}</th>
                <th scope="col">{t('email')}</th>
                <th scope="col">{t('role')}</th>
                <th scope="col">{t('since')}</th>
                <th scope="col">{t('state')}</th>
              </tr>
            </thead>
            <tbody>
              {found(list).map((member) => (
                <MemberRow key={member.user_id} member={member} isFixed={isFixed} onAsk={(step) => setAsked({ step, member })} />
              ))}
            </tbody>
          </Table>
        )}
      </Answer>
      {asked && <Confirmation {...asked} onClose={() => setAsked(null)} />}
    </Card>
  )
}

type MemberRowProps = { member: Member; isFixed: boolean; onAsk: (step: Step) => void }

function MemberRow({ member, isFixed, onAsk }: MemberRowProps) {
  const { t } = useTranslation('people')
  const { tell, tellFailure } = useToasts()
  const update = useSave('schools', 'updateMember', ['classes'])
  const me = useProfile()
  const name = nameOf(member)
  const params = { userId: member.user_id }
  const setRole = (role: Role) =>
    update.mutate({ params, body: { role } }, { onSuccess: () => tell(t('saved', { name, role: t(role) })), onError: tellFailure })
  return (
    <tr>
      <th scope="row">
        {name} {member.user_id === me.id && <Badge>{t('you')}</Badge>}
      </th>
      <td>{member.email}</td>
      <td>
        <select
          className={styles['role']}
          aria-label={t('roleOf', { name })}
          value={member.role}
          disabled={isFixed}
          onChange={({ target }) => setRole(target.value as Role)}
        >
          {ROLES.map((role) => (
            <option key={role} value={role}>
              {t(role)}
            </option>
          ))}
        </select>
      </td>
      <td>{day(member.joined_at.slice(0, 10))}</td>
      <td>
        {!member.is_active && <Badge tone="warn">{t('suspended')}</Badge>}{' '}
        {member.is_active ? (
          <Button size="small" disabled={isFixed} aria-label={t('suspendOf', { name })} onClick={() => onAsk('suspend')}>
            {t('suspend')}
          </Button>
        ) : (
          <Button
            size="small"
            disabled={isFixed}
            aria-label={t('resumeOf', { name })}
            busy={update.isPending}
            onClick={() => update.mutate({ params, body: { isActive: true } }, { onError: tellFailure })}
          >
            {t('resume')}
          </Button>
        )}{' '}
        <Button size="small" aria-label={t('resetOf', { name })} onClick={() => onAsk('reset')}>
          {t('reset')}
        </Button>{' '}
        <Button size="small" disabled={isFixed} aria-label={t('removeOf', { name })} onClick={() => onAsk('remove')}>
          {t('remove')}
        </Button>
      </td>
    </tr>
  )
}

function Confirmation({ step, member, onClose }: { step: Step; member: Member; onClose: () => void }) {
  const { t } = useTranslation('people')
  const { tell } = useToasts()
  const update = useSave('schools', 'updateMember', ['classes'])
  const remove = useSave('schools', 'removeMember', ['classes'])
  const reset = useSave('outage', 'resetSignIn', ['schools'])
  const name = nameOf(member)
  const params = { userId: member.user_id }
  const steps = {
    suspend: () => update.mutateAsync({ params, body: { isActive: false } }),
    remove: async () => {
      await remove.mutateAsync({ params })
      tell(t('removed', { name }))
    },
    reset: async () => {
      await reset.mutateAsync({ params })
      tell(t('resetDone', { name }))
    },
  }
  return (
    <ConfirmDialog title={t(`${step}Title`, { name })} text={t(`${step}Text`)} action={t(step)} onConfirm={steps[step]} onClose={onClose} />
  )
}
