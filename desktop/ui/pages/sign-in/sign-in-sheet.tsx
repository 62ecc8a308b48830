import type { Profile } from '@markbook/shared/contract/auth'
import { useTranslation } from 'react-i18next'
import { Outside, Sheet } from './outside.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** The sign-in page without the router, which it can do without. `isBack`: somebody was on a page already and comes back to it. */
export function SignInSheet({ isBack, onSignedIn }: { isBack: boolean; onSignedIn: (profile: Profile) => void }) {
  const { t } = useTranslation('sign-in')
  return (
    <Outside title={t('title')} lead={isBack ? t('leadBack') : t('lead')}>
      <Sheet>
        <SignInForm onSignedIn={onSignedIn} />
      </Sheet>
    </Outside>
  )
}
