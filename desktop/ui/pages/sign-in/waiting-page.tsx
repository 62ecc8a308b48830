import type { Profile } from '@markbook/shared/contract/auth'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient, save } from '../../api/queries.ts'
import { me } from '../../api/session.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { ConfirmButton } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { Answer, Card } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { moment } from '../../words/format.ts'
import { requestedSchool, storeRequestedSchool } from './requested-school.ts'
import styles from './standalone-page.module.css'
import { StandalonePage } from './standalone-page.tsx'
import { useMe } from './use-me.ts'

/** How often the page asks for the answer, in ms (specification, «Events»). */
const POLL_MS = 10_000

/** Waits for the answer to a request to join, and continues by itself. */
export function WaitingPage() {
  const { t } = useTranslation('sign-in')
  const own = useMe(POLL_MS)
  const navigate = useNavigate()
  const { data: profile } = own
  const pending = profile?.pending_join_request
  const school = profile?.school_id ? profile.school : null
  useEffect(() => {
    if (profile && pending) storeRequestedSchool({ user: profile.id, school: pending.school.name })
  }, [profile, pending])
  const hasLeft = useRef(false)
  const [isWithdrawn, setWithdrawn] = useState(false)
  useEffect(() => {
    if (!school || hasLeft.current) return
    hasLeft.current = true
    storeRequestedSchool(null)
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'auth' })
    tell(t('waiting.approved', { school: school.name }))
    void navigate({ to: '/' })
  }, [school, navigate, t])
  const title = pending || school || isWithdrawn ? t('waiting.title') : t('waiting.refusedTitle')
  return (
    <StandalonePage canSignOut title={title}>
      <Answer of={own}>
        {(known) => {
          if (known.pending_join_request) return <Pending profile={known} onWithdrawn={() => setWithdrawn(true)} />
          // Nothing while another page is being opened.
          return known.school_id || isWithdrawn ? null : <Refused profile={known} />
        }}
      </Answer>
    </StandalonePage>
  )
}

function Pending({ profile, onWithdrawn }: { profile: Profile; onWithdrawn: () => void }) {
  const { t } = useTranslation('sign-in')
  const navigate = useNavigate()
  const pending = profile.pending_join_request
  if (!pending) return null
  const { id: requestId, school, requested_at } = pending
  const confirm = async () => {
    await save('schools', 'withdraw', { params: { requestId } })
    onWithdrawn()
    storeRequestedSchool(null)
    await queryClient.fetchQuery({ ...me(), staleTime: 0 })
    await navigate({ to: '/welcome' })
  }
  return (
    <Card>
      <div className={styles['plain']}>
        <p role="status">{t('waiting.asked', { school: school.name, when: moment(requested_at) })}</p>
        <h2>{t('waiting.next')}</h2>
        <ol>
          <li>{t('waiting.who', { school: school.name })}</li>
          <li>{t('waiting.byItself')}</li>
          <li>{t('waiting.leave')}</li>
        </ol>
      </div>
      <Actions>
        <ConfirmButton
          look="danger"
          title={t('waiting.withdrawTitle')}
          text={t('waiting.withdrawText', { school: school.name })}
          action={t('waiting.withdraw')}
          onConfirm={confirm}
        />
      </Actions>
    </Card>
  )
}

function Refused({ profile }: { profile: Profile }) {
  const { t } = useTranslation('sign-in')
  return (
    <Card>
      <p role="status">{t('waiting.refused', { school: requestedSchool(profile) ?? t('waiting.theSchool') })}</p>
      <p>{t('waiting.refusedDo')}</p>
      <Actions>
        <ButtonLink to="/welcome" look="primary">
          {t('waiting.another')}
        </ButtonLink>
      </Actions>
    </Card>
  )
}
