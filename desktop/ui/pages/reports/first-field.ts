import { useMemo, useRef } from 'react'

/**
 * Where a dialog begins: at its first field, else at the button that sends it. Not at a link above them, from which Enter would leave the page.
 * `form` is around both.
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
