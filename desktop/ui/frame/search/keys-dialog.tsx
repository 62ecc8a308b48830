import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { CloseButton, Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import styles from './search.module.css'

const everywhere = [
  ['Ctrl+K', 'search'],
  ['?', 'keys'],
  ['Tab', 'tab'],
  ['Esc', 'esc'],
] as const
const inGrid = [
  ['Enter', 'kEnter'],
  ['Tab', 'kTab'],
  ['F2', 'kF2'],
  ['Esc', 'kEsc'],
  ['Del', 'kDelete'],
  ['Ctrl+Z', 'kUndo'],
  ['Ctrl+C, Ctrl+V', 'kCopy'],
  ['Alt+R', 'kRemark'],
  ['Alt+X', 'kExclude'],
  ['Alt+H', 'kHistory'],
  ['Shift+F10', 'kMenu'],
] as const

/** The keys of the app and of the grid of marks. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['app', 'marks'])
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
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
        {inGrid.map(([key, word]) => (
          <Fragment key={key}>
            <dt>{key}</dt>
            <dd>{t(`marks:legend.${word}`)}</dd>
          </Fragment>
        ))}
      </dl>
      <Actions>
        <CloseButton>{t('action.close')}</CloseButton>
      </Actions>
    </Dialog>
  )
}
