import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Options, SelectField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Card } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import styles from './people.module.css'

type Request = ReplyOf<'schools', 'joinRequests'>[number]
export const ROLES = ['teacher', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** The interval of reading the requests. */
const POLL_MS = 20_000

export function Requests() {
  const { t } = useTranslation('people')
  const requests = useQuery({ ...ask('schools', 'joinRequests'), refetchInterval: POLL_MS })
  return (
    <Card title={t('requests')}>
      <Answer of={requests} empty={t('noRequests')}>
        {(list) => (
          <ul className={layout['list']}>
            {list.map((request) => (
              <Waiting key={request.id} request={request} />
            ))}
          </ul>
        )}
      </Answer>
    </Card>
  )
}

function Waiting({ request }: { request: Request }) {
  const { t } = useTranslation('people')
  const { tell, tellFailure } = useToasts()
  const approve = useSave('schools', 'approve')
  const reject = useSave('schools', 'reject')
  const [role, setRole] = useState<Role>('teacher')
  const [isRejecting, setRejecting] = useState(false)
  const name = nameOf(request.user)
  const params = { requestId: request.id }
  // By promise: the callbacks of `mutate` do not run once the request has left the list.
  const accept = () => approve.mutateAsync({ params, body: { role } }).then(() => tell(t('accepted', { name })), tellFailure)
  return (
    <li className={styles['request']}>
      <div>
        <strong>{name}</strong> · {request.user.email} · {t('asked', { at: moment(request.requested_at) })}
        {request.message && <p className={styles['message']}>{request.message}</p>}
      </div>
      <div className={layout['wrap']}>
        <SelectField hideLabel label={t('as', { name })} value={role} onChange={({ target }) => setRole(target.value as Role)}>
          <Options of={ROLES.map((id) => ({ id, name: t(id) }))} />
        </SelectField>
        <Button look="primary" busy={approve.isPending} onClick={() => void accept()}>
          {t('accept')}
          <span className="hidden"> {name}</span>
        </Button>
        <Button onClick={() => setRejecting(true)}>
          {t('reject')}
          <span className="hidden"> {name}</span>
        </Button>
      </div>
      {isRejecting && (
        <ConfirmDialog
          title={t('rejectTitle', { name })}
          text={t('rejectText')}
          action={t('reject')}
          onConfirm={() => reject.mutateAsync({ params })}
          onClose={() => setRejecting(false)}
        />
      )}
    </li>
  )
}
