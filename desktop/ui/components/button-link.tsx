import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { type ButtonLook, buttonClasses } from './button.tsx'

/** A link to another page that looks like a button. In a file of its own, so that the prerendered sign-in page does not load the router. */
export const ButtonLink = createLink(({ look, size, className, ...rest }: ButtonLook & ComponentProps<'a'>) => (
  <a {...rest} className={buttonClasses({ look, size }, className)} />
))
