import { Popover } from '@base-ui/react/popover'
import CircleHelp from 'lucide-react/icons/circle-question-mark'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import styles from './help.module.css'
import { Icon } from './icon.tsx'
import layout from './layout.module.css'

/** A `?` beside the title of a page, which shows two or three sentences about how the page works. */
export function Help({ about, text, action }: { about: string; text: string; action?: { word: string; run: () => void } | undefined }) {
  const { t } = useTranslation('app')
  return (
    <Popover.Root>
      <Popover.Trigger className={styles['trigger']} aria-label={t('help', { about })}>
        <Icon of={CircleHelp} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className={styles['over']}>
          <Popover.Popup className={`${layout['box']} ${styles['popup']}`}>
            <Popover.Title className="hidden">{t('help', { about })}</Popover.Title>
            <Popover.Description>{text}</Popover.Description>
            {action && (
              <Popover.Close render={<Button size="small" />} onClick={action.run}>
                {action.word}
              </Popover.Close>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
