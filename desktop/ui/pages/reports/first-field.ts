import { useMemo, useRef } from 'react'

/**
 * The first focus of a dialog: its first field, else its submit button; not a link before them, from which Enter would leave the page.
 * `form` is the element around both.
 */
export function useFirstField() {
  const form = useRef<HTMLDivElement>(null)
  const first = useMemo(
    () => ({
      get current() {
        return form.current?.querySelector<HTMLElement>('input, [type="submit"]') ?? null
      },
    }),
    [],
  )
  return { form, first }
}
