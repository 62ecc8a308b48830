import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { Actions } from './field.tsx'
import { FailureNotice } from './page.tsx'

type DialogProps = {
  title: string
  lead?: ReactNode
  wide?: boolean
  open: boolean
  onClose: () => void
  /** What has the focus first; else the first that can have it. */
  first?: RefObject<HTMLElement | null> | undefined
  children: ReactNode
}

/** A window over the page; Esc and a press beside it close it, and the focus goes back to where it was. */
export function Dialog({ title, lead, wide = false, open, onClose, first, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup initialFocus={first ?? true} className={wide ? `${styles['popup']} ${styles['wide']}` : styles['popup']}>
          <div>
            <Base.Title>{title}</Base.Title>
            {lead && <Base.Description className={styles['lead']}>{lead}</Base.Description>}
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

type ConfirmProps = {
  title: string
  text: ReactNode
  action: string
  danger?: boolean
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/**
 * Asks before something that is hard to take back. Stays, and says why, where it fails. Enter alone does what is harmless; what is a
 * `danger` has to be chosen.
 */
export function ConfirmDialog({ title, text, action, danger = true, onConfirm, onClose }: ConfirmProps) {
  const { t } = useTranslation('app')
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const harmless = useRef<HTMLButtonElement>(null)
  const confirm = async () => {
    setBusy(true)
    setFailure(null)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <Dialog open title={title} lead={text} first={danger ? undefined : harmless} onClose={onClose}>
      <FailureNotice failure={failure} />
      <Actions>
        <Button onClick={onClose}>{t('action.cancel')}</Button>
        <Button ref={harmless} look={danger ? 'danger' : 'primary'} busy={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </Actions>
    </Dialog>
  )
}
