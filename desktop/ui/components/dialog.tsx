import { Dialog as Base } from '@base-ui/react/dialog'
import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, type ReactNode, type RefObject, useContext, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBack } from './back.ts'
import { Button } from './button.tsx'
import { Closing, Typed } from './closing.ts'
import styles from './dialog.module.css'
import { Actions, Form, SaveActions } from './field.tsx'
import layout from './layout.module.css'
import { FailureNotice } from './page.tsx'

type DialogProps = {
  title: string
  lead?: ReactNode
  wide?: boolean
  /** Closes the dialog, where the page has the state; in a `DialogButton` it can be left out. */
  onClose?: (() => void) | undefined
  /** The element that gets the focus first; by default the first focusable one. */
  first?: RefObject<HTMLElement | null> | undefined
  /** The content cannot be shown again: only the dialog's own button closes it. */
  shownOnce?: boolean
  /**
   * Whether closing the dialog, also by Cancel, would lose something, and the texts of the question. Without it the dialog asks where its
   * form was typed into.
   */
  unsaved?: { has: boolean; title: string; text: string; action: string }
  children: ReactNode
}

/**
 * A modal dialog. Esc, Back and a press outside close it, and ask first where something was typed into its form. The focus then returns to
 * the element that had it.
 */
export function Dialog({ title, lead, wide = false, onClose, first, shownOnce = false, unsaved, children }: DialogProps) {
  const { t } = useTranslation('app')
  const around = useContext(Closing)
  const close = onClose ?? around
  const typed = useRef(false)
  const [isAsking, setAsking] = useState(false)
  const dismiss = () => {
    if (shownOnce) return
    if (unsaved ? unsaved.has : typed.current) setAsking(true)
    else close?.()
  }
  useBack(dismiss, close !== null)
  const popup = useRef<HTMLDivElement>(null)
  /** What is to be read before it is shown first, where the field is further down than the window is high. */
  const begin = () => {
    const field = first?.current
    return field && popup.current && isBelow(field, popup.current) ? popup.current : (field ?? true)
  }
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && dismiss()}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup
          ref={popup}
          initialFocus={begin}
          className={`${layout['box']} ${layout['spaced']} ${styles['popup']} ${wide ? styles['wide'] : ''}`}
        >
          <div>
            <Base.Title>{title}</Base.Title>
            {lead && <Base.Description className={layout['soft']}>{lead}</Base.Description>}
          </div>
          <Closing value={unsaved ? dismiss : close}>
            <Typed value={typed}>{children}</Typed>
          </Closing>
          {isAsking && (
            <ConfirmDialog
              title={unsaved?.title ?? t('unsaved.title')}
              text={unsaved?.text ?? t('unsaved.text')}
              action={unsaved?.action ?? t('unsaved.close')}
              onConfirm={async () => close?.()}
              onClose={() => setAsking(false)}
            />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

const isBelow = (field: HTMLElement, box: HTMLElement) => field.getBoundingClientRect().bottom > box.getBoundingClientRect().bottom

/** Closes the dialog around it; «Cancel» without children. */
export function CloseButton({ children, ...button }: Omit<ComponentProps<typeof Button>, 'onClick'>) {
  const { t } = useTranslation('app')
  const close = useContext(Closing)
  return (
    <Button {...button} onClick={() => close?.()}>
      {children ?? t('action.cancel')}
    </Button>
  )
}

type DialogButtonProps = { dialog: ReactNode } & Omit<ComponentProps<typeof Button>, 'onClick'>

/** A button that opens a dialog. */
export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && <Closing value={() => setOpen(false)}>{dialog}</Closing>}
    </>
  )
}

type FormDialogProps = {
  /** The return value of `useForm`. */
  form: { send: () => void; sendAndNext?: (() => void) | undefined; turn?: number; busy?: boolean; failure?: unknown }
  /** A dialog that asks before the deletion, shown instead of this one. */
  deletion?: ReactNode
} & Omit<DialogProps, 'first'> &
  Omit<ComponentProps<typeof SaveActions>, 'busy' | 'onCancel' | 'onDelete' | 'onNext'>

/** A dialog with one form: its failure, its fields, and the buttons to save, cancel and delete. */
export function FormDialog({ title, lead, wide, form, deletion, onClose, children, ...actions }: FormDialogProps) {
  const [isDeleting, setDeleting] = useState(false)
  const top = useRef<HTMLDivElement>(null)
  const scrolledTo = useRef<unknown>(null)
  // The message is above the fields, and may be out of sight at the end of a long form. One that is back because the refused value was
  // typed again does not scroll the field away.
  useEffect(() => {
    if (!form.failure || form.failure === scrolledTo.current) return
    scrolledTo.current = form.failure
    top.current?.scrollIntoView({ block: 'nearest' })
  }, [form.failure])
  if (isDeleting) return deletion
  return (
    <Dialog title={title} lead={lead} wide={wide} onClose={onClose}>
      <Form onSend={form.send} turn={form.turn}>
        {Boolean(form.failure) && (
          <div ref={top}>
            <FailureNotice failure={form.failure} />
          </div>
        )}
        {children}
        <SaveActions {...actions} busy={form.busy} onNext={form.sendAndNext} onDelete={deletion ? () => setDeleting(true) : undefined} />
      </Form>
    </Dialog>
  )
}

type ConfirmProps = {
  title: string
  text: ReactNode
  /** The word for the action; «Delete» by default. */
  action?: string
  danger?: boolean
  onConfirm: () => Promise<unknown>
  onClose?: () => void
}

/** Asks before an action that is hard to undo, and shows its failure. Enter alone does not confirm a `danger`. */
export function ConfirmDialog({ title, text, action, danger = true, onConfirm, onClose }: ConfirmProps) {
  const { t } = useTranslation('app')
  const around = useContext(Closing)
  const confirming = useMutation({ mutationFn: onConfirm, onSuccess: onClose ?? around ?? undefined })
  const confirmButton = useRef<HTMLButtonElement>(null)
  return (
    <Dialog title={title} lead={text} first={danger ? undefined : confirmButton} onClose={onClose}>
      <FailureNotice failure={confirming.error} />
      <Actions>
        <CloseButton />
        <Button ref={confirmButton} look={danger ? 'danger' : 'primary'} busy={confirming.isPending} onClick={() => confirming.mutate()}>
          {action ?? t('action.delete')}
        </Button>
      </Actions>
    </Dialog>
  )
}

type ConfirmButtonProps = Omit<ConfirmProps, 'onClose'> & Omit<DialogButtonProps, 'dialog'>

/** A button that asks before it acts. Its text is the word for the action, unless it has children. */
export function ConfirmButton({ title, text, action, danger, onConfirm, children = action, ...button }: ConfirmButtonProps) {
  const question = { title, text, action, danger, onConfirm }
  return (
    <DialogButton {...button} dialog={<ConfirmDialog {...question} />}>
      {children}
    </DialogButton>
  )
}

/** A dialog that only shows something, with a button at the end that closes it. */
export function InfoDialog({ children, ...dialog }: DialogProps) {
  const { t } = useTranslation('app')
  return (
    <Dialog {...dialog}>
      {children}
      <div className={styles['end']}>
        <Actions>
          <CloseButton>{t('action.close')}</CloseButton>
        </Actions>
      </div>
    </Dialog>
  )
}

type LeaveProps = {
  lead: string
  /** The unsaved entries, and why each could not be saved. */
  unsaved: readonly { key: string; name: string; reason: string }[]
  /** The text of the button that leaves the page. */
  go: string
  onStay: () => void
  onLeave: () => void
}

/** Further entries are only counted. */
const MAX_LISTED = 8

/** Asks before a page with unsaved entries is left. Lists those that were unsaved when the dialog opened. */
export function LeaveDialog({ go, onStay, onLeave, ...found }: LeaveProps) {
  const { t } = useTranslation('app')
  const [{ lead, unsaved }] = useState(found)
  return (
    <Dialog title={t('unsaved.leaveTitle')} lead={lead} onClose={onStay}>
      <ul className={layout['bullets']}>
        {unsaved.slice(0, MAX_LISTED).map(({ key, name, reason }) => (
          <li key={key}>
            <strong>{name}</strong>: {reason}
          </li>
        ))}
        {unsaved.length > MAX_LISTED && <li>{t('leave.more', { count: unsaved.length - MAX_LISTED })}</li>}
      </ul>
      <Actions>
        <Button look="primary" onClick={onStay}>
          {t('leave.stay')}
        </Button>
        <Button onClick={onLeave}>{go}</Button>
      </Actions>
    </Dialog>
  )
}
