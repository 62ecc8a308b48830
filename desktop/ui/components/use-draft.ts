import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { issueOf } from '../words/failure.ts'

type TextsOf<D> = { [K in keyof D]: D[K] extends string ? K : never }[keyof D] & string

/**
 * The values of a form before they are saved. `field('name')` is the value, the error and the change handler of a field; its error is that of
 * `failure` for the same name in the request. `check` answers whether all `required` texts are there, and marks those that are not.
 */
export function useDraft<D extends object>(initial: D | (() => D), failure: unknown, required: readonly TextsOf<D>[] = []) {
  const { t } = useTranslation('app')
  const [draft, setDraft] = useState(initial)
  const [isChecked, setChecked] = useState(false)
  const set = (change: Partial<D>) => setDraft((before) => ({ ...before, ...change }))
  const isMissing = (name: TextsOf<D>) => required.includes(name) && String(draft[name]).trim() === ''
  const field = <K extends TextsOf<D>>(name: K) => ({
    value: draft[name],
    error: isChecked && isMissing(name) ? t('field.required') : issueOf(failure, name),
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value } as Partial<D>),
  })
  const check = () => {
    setChecked(true)
    return !required.some(isMissing)
  }
  return { draft, set, field, check }
}
