import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { InfoDialog } from '../../components/dialog.tsx'
import { gridKeys } from '../../pages/marks/grid-keys.ts'
import styles from './search.module.css'

const everywhere = [
  ['Ctrl+K', 'search'],
  ['?', 'keys'],
  ['Tab', 'tab'],
  ['Esc', 'esc'],
] as const
/** Lists the keys of the app and of the mark grid. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['app', 'marks'])
  return (
    <InfoDialog title={t('keys.title')} onClose={onClose}>
      <h3>{t('keys.everywhere')}</h3>
      <dl className={styles['keys']}>
        {everywhere.map(([key, word]) => (
          <Fragment key={key}>
            <dt>{key}</dt>
            <dd>{t(`keys.${word}`)}</dd>
          </Fragment>
        ))}
      </dl>
      <h3>{t('keys.grid')}</h3>
      <dl className={styles['keys']}>
        {gridKeys.map(([key, word]) => (
          <Fragment key={key}>
            <dt>{key}</dt>
            <dd>{t(`marks:legend.${word}`)}</dd>
          </Fragment>
        ))}
      </dl>
    </InfoDialog>
  )
}
