import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { buttonClasses, type Look } from './button.tsx'

/** A way to another page that looks like a button. Beside the button, so that pages without ways to others load no router. */
export const ButtonLink = createLink(({ look, size, className, ...rest }: Look & ComponentProps<'a'>) => (
  <a {...rest} className={buttonClasses({ look, size }, className)} />
))
