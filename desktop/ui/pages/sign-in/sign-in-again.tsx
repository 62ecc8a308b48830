import type { Profile } from '@markbook/shared/contract/auth'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { me, useProfile } from '../../api/session.ts'
import { signedIn } from '../../api/signed-out.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Over the page that somebody was signed out of (decision 331): the page stays as it is, with all that was typed. */
export function SignInAgain({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('sign-in')
  const { id, email } = useProfile()
  const queries = useQueryClient()
  const goOn = (profile: Profile) => {
    // Another person must not find this one's page.
    if (profile.id !== id) return location.assign('/')
    queries.setQueryData(me().queryKey, profile)
    signedIn()
    void queries.invalidateQueries()
  }
  return (
    <Dialog open title={t('expired.title')} lead={t('expired.lead')} onClose={onClose}>
      <SignInForm email={email} onSignedIn={goOn} />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('expired.later')}
        </Button>
      </Actions>
    </Dialog>
  )
}
