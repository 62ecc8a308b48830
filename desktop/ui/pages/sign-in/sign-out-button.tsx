import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { signOut } from '../../frame/sign-out.ts'

/** The way out for those who have no menu yet. */
export function SignOutButton() {
  const { t } = useTranslation('app')
  return (
    <Button size="small" onClick={() => void signOut()}>
      {t('account.signOut')}
    </Button>
  )
}
