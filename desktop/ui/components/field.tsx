import { type ComponentProps, type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './field.module.css'

type Around = { label: string; hint?: ReactNode; error?: string | undefined; optional?: boolean; hideLabel?: boolean }

function Around({ id, label, hint, error, optional, hideLabel, children }: Around & { id: string; children: ReactNode }) {
  const { t } = useTranslation('app')
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={hideLabel ? 'hidden' : styles['label']}>
        {label}
        {optional && <span className={styles['optional']}> ({t('field.optional')})</span>}
      </label>
      {children}
      {hint && (
        <span id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </span>
      )}
      {error && (
        <span id={`${id}-error`} className={styles['error']} role="alert">
          {error}
        </span>
      )}
    </div>
  )
}

const said = (id: string, { hint, error }: Around) => ({
  'aria-invalid': error ? true : undefined,
  'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
})

const split = <P extends Around>({ label, hint, error, optional, hideLabel, ...rest }: P) =>
  [{ label, hint, error, optional, hideLabel }, rest] as const

/** A line to type in, with its label, a hint and what is wrong with it. `ref` goes to the input. */
export function TextField(props: Around & ComponentProps<'input'>) {
  const own = useId()
  const [around, rest] = split(props)
  const id = rest.id ?? own
  return (
    <Around {...around} id={id}>
      <input autoComplete="off" {...rest} {...said(id, around)} id={id} className={styles['control']} required={rest.required} />
    </Around>
  )
}

export function TextArea(props: Around & ComponentProps<'textarea'>) {
  const own = useId()
  const [around, rest] = split(props)
  const id = rest.id ?? own
  return (
    <Around {...around} id={id}>
      <textarea {...rest} {...said(id, around)} id={id} className={styles['control']} />
    </Around>
  )
}

/** A choice among a few; the browser's own list, which every keyboard and every reader knows. */
export function SelectField(props: Around & ComponentProps<'select'>) {
  const own = useId()
  const [around, rest] = split(props)
  const id = rest.id ?? own
  return (
    <Around {...around} id={id}>
      <select {...rest} {...said(id, around)} id={id} className={styles['control']} />
    </Around>
  )
}

export function Checkbox({ label, ...rest }: { label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className={styles['check']}>
      <input type="checkbox" {...rest} />
      <span>{label}</span>
    </label>
  )
}

/** Fields below one another; Enter sends it. `onSend` never sees the browser's own sending. */
export function Form({
  onSend,
  children,
  ...rest
}: { onSend: () => void; children: ReactNode } & Omit<ComponentProps<'form'>, 'onSubmit'>) {
  return (
    <form
      noValidate
      {...rest}
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
    >
      {children}
    </form>
  )
}

/** Fields side by side where there is room. */
export const Row = ({ children }: { children: ReactNode }) => <div className={styles['row']}>{children}</div>
/** The buttons at the end of a form. */
export const Actions = ({ children }: { children: ReactNode }) => <div className={styles['actions']}>{children}</div>
