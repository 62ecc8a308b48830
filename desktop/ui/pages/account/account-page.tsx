import { useTranslation } from 'react-i18next'
import { useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { signOut } from '../../frame/sign-out.ts'
import styles from './account.module.css'
import { Names } from './names.tsx'
import { OwnSchools } from './own-schools.tsx'
import { Picture } from './picture.tsx'
import { Settings } from './settings.tsx'
import { SignInWays } from './sign-in-ways.tsx'

/** Everything that is the person's own, whatever school the pages speak of. */
export function AccountPage() {
  const { t } = useTranslation(['account', 'app'])
  const { email } = useProfile()
  return (
    <Page
      title={t('title')}
      lead={t('lead', { email })}
      actions={<Button onClick={() => void signOut()}>{t('app:account.signOut')}</Button>}
    >
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <Names />
          <Picture />
          <Settings />
        </div>
        <div className={styles['column']}>
          <SignInWays />
          <OwnSchools />
        </div>
      </div>
    </Page>
  )
}
