import { useTranslation } from 'react-i18next'
import styles from './overview.module.css'

/** A count of a total, as numbers and as a bar. */
export function Meter({ count, all }: { count: number; all: number }) {
  const { t } = useTranslation('overview')
  if (all === 0) return '–'
  return (
    <span className={styles['meter']}>
      <span className={styles['figures']}>{t('of', { count, all })}</span>
      <span className={styles['track']} data-full={count >= all} aria-hidden="true">
        <span style={{ width: `${Math.min(100, (100 * count) / all)}%` }} />
      </span>
    </span>
  )
}
