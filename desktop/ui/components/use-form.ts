import type { Failure, Issue } from '@markbook/shared/failures'
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
  /** Saves the values. A returned text is shown as a message. */
  save: (draft: D) => Promise<unknown>
  /** By default it closes the dialog around the form. */
  onSaved?: () => void
  /** The values of the next entry, where several can be added one after another. */
  next?: ((sent: D) => D) | undefined
}

/** For each open form a function that says whether it has unsaved text. */
const unsaved = new Set<() => boolean>()
export const hasUnsavedText = (): boolean => [...unsaved].some((hasTyped) => hasTyped())

/** While `hasTyped` returns true, the browser asks before it closes or reloads the page, and the app asks before it shows another page. */
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
 * The state of a form: its values before they are saved, and the result of saving. `field('name')` has the value, the error and the change
 * handler of a field; the error is the one of `failure` for this name in the request, until the value, or that of one of the `others` that
 * it was refused for, is another one than was sent; `failure` stands as long as one of these errors does. `send` saves; where something is
 * missing or invalid it only marks that (`isChecked`).
 * `sendAndNext` saves and begins the next entry, whose number is `turn`. Leaving the page with unsaved text asks first.
 */
export function useForm<D extends object>({ initial, required = [], isValid, save, onSaved, next }: FormOptions<D>) {
  const { t } = useTranslation('app')
  const close = useContext(Closing)
  const [draft, setDraft] = useState(initial)
  const [isChecked, setChecked] = useState(false)
  const saved = useRef(draft)
  const hasFollowed = useRef(false)
  const [turn, setTurn] = useState(0)
  const goesOn = useRef(false)
  /** The paths of the request that fields show, each with the values that can put it right. */
  const refusable = useRef(new Map<string, readonly (keyof D)[]>())
  useUnloadQuestion(() =>
    Object.entries(draft).some(([name, value]) => typeof value === 'string' && value !== saved.current[name as keyof D]),
  )
  const saving = useMutation({
    mutationFn: save,
    onSuccess: (message, sent) => {
      // Values that others saved may have arrived before this reply; they are newer than `sent`.
      if (hasFollowed.current) setDraft((now) => ({ ...now, ...chosen(now, (name) => now[name] === sent[name], saved.current) }))
      else saved.current = sent
      if (typeof message === 'string') tell(message)
      if (next && goesOn.current) {
        reset(next(sent))
        setChecked(false)
        setTurn((before) => before + 1)
      } else (onSaved ?? close)?.()
    },
  })
  const endsWithSaving = Boolean(next ?? onSaved ?? close)
  /** Not while the form is being saved, if it is closed or emptied afterwards: what was typed meanwhile would be lost. */
  const set = (change: Partial<D>) => {
    if (!(saving.isPending && endsWithSaving)) setDraft((before) => ({ ...before, ...change }))
  }
  const isMissing = (name: TextsOf<D>) => required.includes(name) && String(draft[name]).trim() === ''
  const isAsSent = (names: readonly (keyof D)[]) => names.every((name) => draft[name] === saving.variables?.[name])
  /** What was refused at this path of the request, until one of the values `of` is another one than was sent. */
  const refusal = (path: string, of: readonly TextsOf<D>[]) => {
    refusable.current.set(path, of)
    return isAsSent(of) ? issueOf(saving.error, path) : undefined
  }
  /** Whether something that was refused is still in the form; a path without a field is, until anything is changed. */
  const isRefused = ({ path }: Issue) => isAsSent(refusable.current.get(path) ?? (Object.keys(draft) as (keyof D)[]))
  const { issues } = (saving.error ?? {}) as Partial<Failure>
  const failure = issues && issues.length > 0 && !issues.some(isRefused) ? null : saving.error
  const field = <K extends TextsOf<D>>(name: K, others: readonly TextsOf<D>[] = []) => ({
    value: draft[name],
    error: isChecked && isMissing(name) ? t('field.required') : refusal(name, [name, ...others]),
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value } as Partial<D>),
  })
  const sendThen = (isNext: boolean) => {
    setChecked(true)
    hasFollowed.current = false
    goesOn.current = isNext
    if (!required.some(isMissing) && (isValid?.(draft) ?? true)) saving.mutate(draft)
  }
  const send = () => sendThen(false)
  const sendAndNext = next && (() => sendThen(true))
  /** Shows other values that are already saved, after an undo. */
  const reset = (values: D) => {
    saved.current = values
    setDraft(values)
  }
  /** Takes over values that others have saved; fields that were changed here keep what was typed. */
  const follow = (values: D) => {
    const before = saved.current
    saved.current = values
    hasFollowed.current = true
    setDraft({ ...values, ...chosen(draft, (name) => draft[name] !== before[name], draft) })
  }
  return { draft, set, reset, follow, field, refusal, send, sendAndNext, turn, isChecked, busy: saving.isPending, failure }
}

/** The values of `from` for the names of `draft` that `fits` accepts. */
const chosen = <D extends object>(draft: D, fits: (name: keyof D) => boolean, from: D): Partial<D> =>
  Object.fromEntries((Object.keys(draft) as (keyof D)[]).filter(fits).map((name) => [name, from[name]])) as Partial<D>
