import type { ComponentProps } from 'react'
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

/** Moves a row of a list one place up or down. */
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

/** While `busy`, it shows `busyWord`, ignores presses, and keeps the focus, which a disabled button would lose. */
export function Button({ look, size, icon, busy = false, busyWord, className, children, ...rest }: Props) {
  const { t } = useTranslation('app')
  return (
    <button
      type="button"
      {...rest}
      className={buttonClasses({ look, size }, className)}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {icon && !busy && <Icon of={icon} />}
      {busy ? (busyWord ?? t('state.wait')) : children}
    </button>
  )
}
