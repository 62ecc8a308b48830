import { type ComponentProps, type KeyboardEvent, type MouseEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './button.module.css'
import { Icon, type IconShape } from './icon.tsx'

export type ButtonLook = { look?: 'plain' | 'primary' | 'danger' | 'quiet'; size?: 'normal' | 'small' }

export const buttonClasses = ({ look = 'plain', size = 'normal' }: ButtonLook, more = '') =>
  [styles['button'], styles[look], styles[size], more].filter(Boolean).join(' ')

type MoveButtonsProps = {
  at: number
  count: number
  label: { up: string; down: string }
  disabled?: boolean
  onMove: (to: number) => void
}

/** Buttons that move a row of a list one place up or down. */
export const MoveButtons = ({ at, count, label, disabled = false, onMove }: MoveButtonsProps) => (
  <>
    <Button size="small" aria-label={label.up} disabled={disabled || at === 0} onClick={() => onMove(at - 1)}>
      ↑
    </Button>{' '}
    <Button size="small" aria-label={label.down} disabled={disabled || at === count - 1} onClick={() => onMove(at + 1)}>
      ↓
    </Button>
  </>
)

type Props = ButtonLook & { icon?: IconShape; busy?: boolean; busyWord?: string } & ComponentProps<'button'>

/**
 * While `busy` it shows `busyWord`, ignores presses, and keeps the focus, which a disabled button would lose. The second press of a double
 * click counts only if the button still has the same text: a double click on «Approve» does not also withdraw the approval. A held Enter
 * key counts once.
 */
export function Button({ look, size, icon, busy = false, busyWord, className, children, ...rest }: Props) {
  const { t } = useTranslation('app')
  const pressed = useRef<string | null>(null)
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    const words = event.currentTarget.textContent
    if (event.detail < 2) pressed.current = words
    if (busy || (event.detail > 1 && words !== pressed.current)) event.preventDefault()
    else rest.onClick?.(event)
  }
  const hold = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.repeat && event.key === 'Enter') event.preventDefault()
    rest.onKeyDown?.(event)
  }
  return (
    <button
      type="button"
      {...rest}
      className={buttonClasses({ look, size }, className)}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={press}
      onKeyDown={hold}
    >
      {icon && !busy && <Icon of={icon} />}
      {busy ? (busyWord ?? t('state.wait')) : children}
    </button>
  )
}
