import { Menu } from '@base-ui/react/menu'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import layout from '../../components/layout.module.css'
import styles from './reports.module.css'

type Action = { key: string; name: string; onPress: () => void }

/** A button that opens a menu of further actions. */
export function MoreMenu({ actions, busy = false }: { actions: readonly Action[]; busy?: boolean }) {
  const { t } = useTranslation('reports')
  return (
    <Menu.Root>
      <Menu.Trigger render={<Button busy={busy} />}>{t('more')}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" style={{ zIndex: 10 }}>
          <Menu.Popup className={`${layout['box']} ${styles['menu']}`}>
            {actions.map(({ key, name, onPress }) => (
              <Menu.Item key={key} onClick={onPress}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
