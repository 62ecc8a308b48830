import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { type ButtonLook, buttonClasses } from './button.tsx'

/** A link to another page that looks like a button. In its own file, so that the prerendered sign-in page loads no router. */
export const ButtonLink = createLink(({ look, size, className, ...rest }: ButtonLook & ComponentProps<'a'>) => (
  <a {...rest} className={buttonClasses({ look, size }, className)} />
))
