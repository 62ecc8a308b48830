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

/** From this width on there is room for the panel beside the page. */
const BESIDE = '(min-width: 1130px)'

type Props = {
  title: string
  lead?: ReactNode
  /** Identifies what the panel shows. For another `about` the same panel stays open. */
  about: string
  /** Finds that element on the page: it is scrolled into view, and gets the focus when the panel closes. */
  find: () => HTMLElement | null
  onClose: () => void
  /** The panel is in the page's address, so that Back closes it without help. */
  isInAddress?: boolean
  children: ReactNode
}

/**
 * A panel beside a page that can still be used; the page makes room, so that nothing is covered. On a telephone it covers the page from
 * below, and Back closes it too. Esc closes it.
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
    // After the page has made room.
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
