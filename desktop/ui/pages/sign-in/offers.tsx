import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Actions } from '../../components/field.tsx'
import { Card, FailureNotice } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'

type Offer = ReplyOf<'schools', 'offers'>[number]

/** Memberships that this person has not agreed to; renders nothing without any. */
export function Offers() {
  const offers = useQuery(ask('schools', 'offers'))
  return offers.data?.map((offer) => <OneOffer key={offer.school.id} offer={offer} />) ?? null
}

function OneOffer({ offer: { school, role, is_invitation } }: { offer: Offer }) {
  const { t } = useTranslation('sign-in')
  const agree = useSave('schools', 'requestToJoin', ['auth'])
  const decline = useSave('schools', 'declineOffer')
  const params = { schoolId: school.id }
  const isInvited = is_invitation === true && role !== null
  const busy = agree.isPending || decline.isPending
  // The card has been removed by then.
  const answer = (sent: Promise<unknown>, said: 'agreed' | 'declined') =>
    void sent.then(
      () => tell(t(isInvited && said === 'agreed' ? 'invitation.agreed' : `offer.${said}`, { school: school.name })),
      () => {},
    )
  return (
    <Card title={t(isInvited ? 'invitation.title' : 'offer.title', { school: school.name })}>
      <p>{t(isInvited ? `invitation.${role}` : `offer.${role ?? 'asked'}`, { school: school.name })}</p>
      <p>{t('offer.means', { school: school.name })}</p>
      <FailureNotice failure={agree.error ?? decline.error} />
      <Actions>
        <Button look="primary" disabled={busy} onClick={() => answer(agree.mutateAsync({ params, body: {} }), 'agreed')}>
          {t('offer.agree')}
        </Button>
        <Button disabled={busy} onClick={() => answer(decline.mutateAsync({ params }), 'declined')}>
          {t('offer.decline')}
        </Button>
      </Actions>
    </Card>
  )
}
