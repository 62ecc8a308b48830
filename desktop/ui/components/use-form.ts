import { useMutation } from '@tanstack/react-query'
import { useContext, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { issueOf } from '../words/failure.ts'
import { Closing } from './closing.ts'
import { tell } from './toasts.tsx'

type TextsOf<D> = { [K in keyof D]: D[K] extends string ? K : never }[keyof D] & string

type FormOptions<D> = {
  initial: D | (() => D)
  /** Texts that must not be empty. */
  required?: readonly TextsOf<D>[]
  isValid?: (draft: D) => boolean
  /** Saves the values. A text that it gives is shown as a message. */
  save: (draft: D) => Promise<unknown>
  /** In a dialog it closes the dialog. */
  onSaved?: () => void
}

/** Of the forms that are open, whether something in them is typed and not saved. */
const unsaved = new Set<() => boolean>()
export const hasUnsavedText = (): boolean => [...unsaved].some((hasTyped) => hasTyped())

/** The browser asks before it closes the page, or loads it again, while `hasTyped` answers true; and the app before it shows another page. */
export function useUnloadQuestion(hasTyped: () => boolean): void {
  const latest = useRef(hasTyped)
  latest.current = hasTyped
  useEffect(() => {
    const own = () => latest.current()
    const ask = (event: BeforeUnloadEvent) => {
      if (own()) event.preventDefault()
    }
    unsaved.add(own)
    addEventListener('beforeunload', ask)
    return () => {
      unsaved.delete(own)
      removeEventListener('beforeunload', ask)
    }
  }, [])
}

/**
 * The values of a form before they are saved, and what became of saving them. `field('name')` is the value, the error and the change handler
 * of a field; its error is that of `failure` for the same name in the request. `send` saves unless something is missing or invalid, which it
 * marks (`isChecked`). Text that was typed and is not saved stays in the form, and the page is not left without a question.
 */
export function useForm<D extends object>({ initial, required = [], isValid, save, onSaved }: FormOptions<D>) {
  const { t } = useTranslation('app')
  const close = useContext(Closing)
  const [draft, setDraft] = useState(initial)
  const [isChecked, setChecked] = useState(false)
  const saved = useRef(draft)
  const hasFollowed = useRef(false)
  useUnloadQuestion(() =>
    Object.entries(draft).some(([name, value]) => typeof value === 'string' && value !== saved.current[name as keyof D]),
  )
  const saving = useMutation({
    mutationFn: save,
    onSuccess: (message, sent) => {
      // What is stored may have come before this answer, with what somebody else saved.
      if (hasFollowed.current) setDraft((now) => ({ ...now, ...chosen(now, (name) => now[name] === sent[name], saved.current) }))
      else saved.current = sent
      if (typeof message === 'string') tell(message)
      ;(onSaved ?? close)?.()
    },
  })
  const set = (change: Partial<D>) => setDraft((before) => ({ ...before, ...change }))
  const isMissing = (name: TextsOf<D>) => required.includes(name) && String(draft[name]).trim() === ''
  const field = <K extends TextsOf<D>>(name: K) => ({
    value: draft[name],
    error: isChecked && isMissing(name) ? t('field.required') : issueOf(saving.error, name),
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value } as Partial<D>),
  })
  const send = () => {
    setChecked(true)
    hasFollowed.current = false
    if (!required.some(isMissing) && (isValid?.(draft) ?? true)) saving.mutate(draft)
  }
  /** Shows other values, which are saved already: a change was undone. */
  const reset = (values: D) => {
    saved.current = values
    setDraft(values)
  }
  /** Somebody has saved other values meanwhile: what nobody has changed here follows them, and what was typed stays. */
  const follow = (values: D) => {
    const before = saved.current
    saved.current = values
    hasFollowed.current = true
    setDraft({ ...values, ...chosen(draft, (name) => draft[name] !== before[name], draft) })
  }
  return { draft, set, reset, follow, field, send, isChecked, busy: saving.isPending, failure: saving.error }
}

/** The values of `from` for those names of `draft` that fit. */
const chosen = <D extends object>(draft: D, fits: (name: keyof D) => boolean, from: D): Partial<D> =>
  Object.fromEntries((Object.keys(draft) as (keyof D)[]).filter(fits).map((name) => [name, from[name]])) as Partial<D>
