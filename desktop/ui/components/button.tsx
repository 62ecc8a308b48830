import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './button.module.css'

export type Look = { look?: 'plain' | 'primary' | 'danger' | 'quiet'; size?: 'normal' | 'small' }

const classes = ({ look = 'plain', size = 'normal' }: Look, more = '') =>
  [styles['button'], styles[look], styles[size], more].filter(Boolean).join(' ')

/** `busy`: what it started is under way; it says so, takes no second press, and keeps the focus (a disabled button would lose it). */
export function Button({ look, size, busy = false, className, children, ...rest }: Look & { busy?: boolean } & ComponentProps<'button'>) {
  const { t } = useTranslation('app')
  return (
    <button
      type="button"
      {...rest}
      className={classes({ look, size }, className)}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {busy ? t('state.saving') : children}
    </button>
  )
}

/** A way to another page that looks like a button. */
export const ButtonLink = createLink(({ look, size, className, ...rest }: Look & ComponentProps<'a'>) => (
  <a {...rest} className={classes({ look, size }, className)} />
))
