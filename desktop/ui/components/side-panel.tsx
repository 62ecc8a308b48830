import { Dialog as Base } from '@base-ui/react/dialog'
import X from 'lucide-react/icons/x'
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useBack } from './back.ts'
import { Button } from './button.tsx'
import { Closing } from './closing.ts'
import { Icon } from './icon.tsx'
import layout from './layout.module.css'
import styles from './side-panel.module.css'
import { useMatches } from './use-matches.ts'

/** From this width on the page has room beside the panel. */
const BESIDE = '(min-width: 1100px)'

type Props = {
  title: string
  lead?: ReactNode
  /** What the panel is about; another `about` is shown in the same panel. */
  about: string
  /** Where that stands on the page: it is scrolled into sight, and has the focus when the panel has closed. */
  find: () => HTMLElement | null
  onClose: () => void
  /** The address says that it is open, so that Back closes it by itself. */
  isInAddress?: boolean
  children: ReactNode
}

/**
 * A panel at the end of the line, beside a page that stays in use; on a telephone a sheet from below, over it, which Back closes too. Esc closes it. The page makes
 * room, so that nothing is covered.
 */
export function SidePanel({ title, lead, about, find, onClose, isInAddress = false, children }: Props) {
  const { t } = useTranslation('app')
  const isBeside = useMatches(BESIDE)
  useBack(onClose, !isBeside && !isInAddress)
  const heading = useRef<HTMLHeadingElement>(null)
  const show = useEffectEvent(() => find()?.scrollIntoView({ block: 'nearest', inline: 'nearest' }))
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute('data-panel', isBeside)
    return () => document.documentElement.removeAttribute('data-panel')
  }, [isBeside])
  useEffect(() => {
    // Once the page has made room.
    if (isBeside && about) requestAnimationFrame(() => show())
    heading.current?.focus({ preventScroll: true })
  }, [isBeside, about])
  return (
    <Base.Root open modal={!isBeside} disablePointerDismissal={isBeside} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        {!isBeside && <Base.Backdrop className={styles['backdrop']} />}
        <Base.Popup
          className={`${styles['panel']} ${isBeside ? styles['beside'] : styles['below']}`}
          initialFocus={heading}
          finalFocus={find}
        >
          <div className={styles['head']}>
            <div>
              <Base.Title ref={heading} tabIndex={-1}>
                {title}
              </Base.Title>
              {lead && <Base.Description className={layout['note']}>{lead}</Base.Description>}
            </div>
            <Button look="quiet" size="small" aria-label={t('action.close')} title="Esc" onClick={onClose}>
              <Icon of={X} />
            </Button>
          </div>
          <div className={layout['spaced']}>
            <Closing value={onClose}>{children}</Closing>
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
