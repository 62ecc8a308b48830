import type { Profile } from '@markbook/shared/contract/auth'
import { useTranslation } from 'react-i18next'
import { queryClient } from '../../api/queries.ts'
import { me, useProfile } from '../../api/session.ts'
import { signedIn } from '../../api/signed-out.ts'
import { CloseButton, Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Signs in again over a page whose session has ended (docs/design/sign-in.md). The page keeps its unsaved input. */
export function SignInAgain({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('sign-in')
  const { id, email } = useProfile()
  const resume = (profile: Profile) => {
    // Another person must not see this person's page.
    if (profile.id !== id) return location.assign('/')
    queryClient.setQueryData(me().queryKey, profile)
    signedIn()
    void queryClient.invalidateQueries()
  }
  return (
    <Dialog title={t('expired.title')} lead={t('expired.lead')} onClose={onClose}>
      <SignInForm email={email} onSignedIn={resume} />
      <Actions>
        <CloseButton look="quiet">{t('expired.later')}</CloseButton>
      </Actions>
    </Dialog>
  )
}
