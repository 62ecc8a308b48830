import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { me, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Answer, Badge, Card } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useSwitchSchool } from '../../frame/own-school.ts'
import { moment } from '../../words/format.ts'
import { JoinSchool } from '../sign-in/join-school.tsx'
import styles from './account.module.css'

/** As long as a request waits, this page looks for its answer, ms. */
const POLL = 10_000

/** Where one belongs, which school the pages speak of, and how to come to another. */
export function OwnSchools() {
  const { t } = useTranslation(['account', 'app'])
  const { school_id, pending_join_request: pending } = useProfile()
  const places = useQuery(ask('auth', 'schools'))
  useQuery({ ...me(), refetchInterval: pending ? POLL : false })
  const switchTo = useSwitchSchool()
  const [isJoining, setJoining] = useState(false)
  const join = !pending && (
    <Button size="small" onClick={() => setJoining(true)}>
      {t('schools.join')}
    </Button>
  )
  return (
    <Card title={t('schools.title')} actions={join}>
      <Answer of={places}>
        {(list) => (
          <ul className={styles['list']}>
            {list.map(({ school: { id, name }, role, is_active }) => (
              <li key={id} className={styles['split']}>
                <span>
                  <strong>{name}</strong> · {t(`schools.${role}`)} {!is_active && <Badge tone="warn">{t('schools.suspended')}</Badge>}
                </span>
                {id === school_id && <Badge tone="good">{t('schools.active')}</Badge>}
                {id !== school_id && is_active && (
                  <Button size="small" aria-label={t('schools.switchTo', { name })} onClick={() => switchTo.mutate(id)}>
                    {t('schools.switch')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {pending && <Pending />}
      {isJoining && <JoinDialog not={(places.data ?? []).map(({ school }) => school.id)} onClose={() => setJoining(false)} />}
    </Card>
  )
}

function Pending() {
  const { t } = useTranslation('account')
  const { tellFailure } = useToasts()
  const { pending_join_request: pending } = useProfile()
  const withdraw = useSave('schools', 'withdraw', ['auth'])
  if (!pending) return null
  const take = () => withdraw.mutate({ params: { requestId: pending.id } }, { onError: tellFailure })
  return (
    <div className={styles['split']}>
      <span role="status">{t('schools.pending', { school: pending.school.name, when: moment(pending.requested_at) })}</span>
      <Button size="small" look="danger" busy={withdraw.isPending} onClick={take}>
        {t('schools.withdraw')}
      </Button>
    </div>
  )
}

function JoinDialog({ not, onClose }: { not: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('account')
  const { tell } = useToasts()
  return (
    <Dialog open title={t('schools.join')} lead={t('schools.joinLead')} onClose={onClose}>
      <JoinSchool
        not={not}
        onCancel={onClose}
        onAsked={({ school }) => {
          tell(t('schools.asked', { school: school.name }))
          onClose()
        }}
      />
    </Dialog>
  )
}
