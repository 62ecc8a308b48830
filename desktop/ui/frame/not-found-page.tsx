import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../components/button-link.tsx'
import styles from './frame.module.css'

export function NotFoundPage() {
  const { t } = useTranslation('app')
  return (
    <main className={styles['lonely']}>
      <h1>{t('missing.title')}</h1>
      <p>{t('missing.text')}</p>
      <ButtonLink to="/" look="primary">
        {t('missing.home')}
      </ButtonLink>
    </main>
  )
}
