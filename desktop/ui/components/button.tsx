import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './button.module.css'

export type Look = { look?: 'plain' | 'primary' | 'danger' | 'quiet'; size?: 'normal' | 'small' }

export const buttonClasses = ({ look = 'plain', size = 'normal' }: Look, more = '') =>
  [styles['button'], styles[look], styles[size], more].filter(Boolean).join(' ')

type Props = Look & { busy?: boolean; busyWord?: string } & ComponentProps<'button'>

/**
 * `busy`: what it started is under way; it says so, in `busyWord` where that is known better, takes no second press, and keeps the focus
 * (a disabled button would lose it).
 */
export function Button({ look, size, busy = false, busyWord, className, children, ...rest }: Props) {
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
      {busy ? (busyWord ?? t('state.wait')) : children}
    </button>
  )
}
