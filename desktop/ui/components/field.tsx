import { type ComponentProps, type ReactNode, type RefObject, useContext, useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import { Closing, Typed } from './closing.ts'
import styles from './field.module.css'
import layout from './layout.module.css'
import { isPrinted, typedCode, wholeCode } from './typed-code.ts'

type FieldProps = { label: string; hint?: ReactNode; error?: string | undefined; optional?: boolean; hideLabel?: boolean }

type ControlProps<P> = Omit<P, keyof FieldProps | 'id'> & { id: string; className: string | undefined }

/** A control with its label, hint and error. `render` makes the control from the other properties. */
function Field<P extends FieldProps & { id?: string | undefined }>({ of, render }: { of: P; render: (own: ControlProps<P>) => ReactNode }) {
  const { t } = useTranslation('app')
  const ownId = useId()
  const { label, hint, error, optional, hideLabel, id = ownId, ...rest } = of
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  const aria = { 'aria-invalid': error ? true : undefined, 'aria-describedby': describedBy }
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={hideLabel ? 'hidden' : styles['label']}>
        {label}
        {optional && <span className={styles['optional']}> ({t('field.optional')})</span>}
      </label>
      {render({ ...rest, ...aria, id, className: styles['control'] })}
      {hint && (
        <span id={`${id}-hint`} className={layout['note']}>
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

/** An input of one line. `ref` is that of the input. */
export const TextField = (props: FieldProps & ComponentProps<'input'>) => (
  <Field of={props} render={(own) => <input autoComplete="off" {...own} />} />
)

export const TextArea = (props: FieldProps & ComponentProps<'textarea'>) => <Field of={props} render={(own) => <textarea {...own} />} />

/** A native select, which works with every keyboard and screen reader. */
export const SelectField = (props: FieldProps & ComponentProps<'select'>) => <Field of={props} render={(own) => <select {...own} />} />

type Option = { id: string; name: string; lang?: string }

/** The options of a select. */
export const Options = ({ of }: { of: readonly Option[] }) =>
  of.map(({ id, name, lang }) => (
    <option key={id} value={id} lang={lang}>
      {name}
    </option>
  ))

/** A select beside its label. */
export const InlineSelect = ({ label, className = '', ...rest }: { label: string } & ComponentProps<'select'>) => (
  <label className={`${styles['inline']} ${className}`}>
    <span>{label}</span>
    <select {...rest} />
  </label>
)

type CheckProps = { label: ReactNode } & ComponentProps<'input'>

export const Checkbox = ({ label, ...rest }: CheckProps) => (
  <label className={styles['check']}>
    <input type="checkbox" {...rest} />
    <span>{label}</span>
  </label>
)

export const Radio = (props: CheckProps) => <Checkbox {...props} type="radio" />

type Choice = { id: string; name: string; about?: string }

type CheckListProps = {
  label: string
  choices: readonly Choice[]
  /** The text of a checkbox above the list that checks all of it. */
  all?: string
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
}

/** Checkboxes for a list, which scrolls if it is long. */
export function CheckList({ label, choices, all, chosen, onChange }: CheckListProps) {
  const isAll = choices.length > 0 && choices.every(({ id }) => chosen.has(id))
  const choose = (isChosen: boolean, ...ids: string[]) => {
    const others = [...chosen].filter((id) => !ids.includes(id))
    onChange(new Set(isChosen ? [...others, ...ids] : others))
  }
  return (
    <>
      {all && <Checkbox label={all} checked={isAll} onChange={() => choose(!isAll, ...choices.map(({ id }) => id))} />}
      <fieldset className={styles['list']}>
        <legend className={styles['label']}>{label}</legend>
        {choices.map(({ id, name, about }) => (
          <Checkbox
            key={id}
            label={[
              name,
              about && (
                <small key="about" className={layout['note']}>
                  {about}
                </small>
              ),
            ]}
            checked={chosen.has(id)}
            onChange={({ target }) => choose(target.checked, id)}
          />
        ))}
      </fieldset>
    </>
  )
}

type CodeFieldProps = {
  label: string
  hint?: string | undefined
  error?: string | undefined
  value: string
  onChange: (typed: string) => void
  /** Called with the whole code when its last character is entered. */
  onWhole: (code: string) => void
  /** The field also accepts printed codes, so that telephones show letters instead of digits. */
  letters?: boolean
  inputRef?: RefObject<HTMLInputElement | null>
}

/**
 * A field for a code of eight digits, or for a printed one. Accepts pasted spaces and the suggestion of a telephone, and calls `onWhole`
 * when the code is complete.
 */
export function CodeField({ label, hint, error, value, onChange, onWhole, letters = false, inputRef }: CodeFieldProps) {
  const own = useRef<HTMLInputElement>(null)
  const ref = inputRef ?? own
  useEffect(() => {
    if (error) ref.current?.select()
  }, [error, ref])
  return (
    <div className={`${styles['code']} ${letters || isPrinted(value) ? styles['printed'] : ''}`}>
      <TextField
        ref={ref}
        label={label}
        hint={hint}
        error={error}
        value={value}
        inputMode={letters ? 'text' : 'numeric'}
        autoCapitalize="characters"
        autoComplete="one-time-code"
        spellCheck={false}
        onChange={({ target }) => {
          const typed = typedCode(target.value)
          const code = wholeCode(typed)
          onChange(typed)
          if (code !== null && code !== wholeCode(value)) onWhole(code)
        }}
      />
    </div>
  )
}

type FormProps = {
  onSend: () => void
  /** The number of the entry, where several are added one after another. Another one begins at the first field, with nothing typed. */
  turn?: number | undefined
  children: ReactNode
} & Omit<ComponentProps<'form'>, 'onSubmit' | 'ref'>

/** Fields in a column; Enter calls `onSend`, and the browser does not send the form itself. Input is noted for the dialog around it. */
export function Form({ onSend, turn = 0, children, ...rest }: FormProps) {
  const typed = useContext(Typed)
  const note = (hasTyped: boolean) => {
    if (typed) typed.current = hasTyped
  }
  const own = useRef<HTMLFormElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only for another entry, and when the form is unmounted and the dialog stays.
  useEffect(() => {
    if (turn > 0) own.current?.querySelector<HTMLElement>('input, select, textarea')?.focus()
    return () => note(false)
  }, [turn])
  return (
    <form
      noValidate
      {...rest}
      ref={own}
      // A search only filters a list: it is no loss.
      onInput={({ target }) => (target as HTMLInputElement).type !== 'search' && note(true)}
      className={layout['spaced']}
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
export const Row = ({ children }: { children: ReactNode }) => <div className={layout['columns']}>{children}</div>
/** The buttons at the end of a form. `needs`: what must be done before a disabled one can be pressed. */
export const Actions = ({ needs, children }: { needs?: string | undefined; children: ReactNode }) => (
  <div className={styles['actions']}>
    {needs && <p className={styles['needs']}>{needs}</p>}
    {children}
  </div>
)

type SaveActionsProps = {
  busy?: boolean | undefined
  disabled?: boolean
  /** What must be done before the action, beside its disabled button. */
  needs?: string | undefined
  /** The word for the action; «Save» by default. */
  action?: string | undefined
  /** The word while it is busy; «Saving» by default. */
  busyWord?: string
  danger?: boolean
  onDelete?: (() => void) | undefined
  /** Saves and begins the next entry. */
  onNext?: (() => void) | undefined
  /** In a dialog it closes the dialog. */
  onCancel?: () => void
}

/** The buttons at the end of a form that saves: delete, cancel and «save and add another» where given, and save. */
export function SaveActions({ busy, disabled, needs, action, busyWord, danger, onDelete, onNext, onCancel }: SaveActionsProps) {
  const { t } = useTranslation('app')
  const cancel = useContext(Closing) ?? onCancel
  return (
    <Actions needs={needs}>
      {onDelete && (
        <Button look="danger" onClick={onDelete}>
          {t('action.delete')}
        </Button>
      )}
      {cancel && <Button onClick={cancel}>{t('action.cancel')}</Button>}
      {onNext && (
        <Button busy={busy} busyWord={t('action.saveAndNext')} onClick={onNext}>
          {t('action.saveAndNext')}
        </Button>
      )}
      <Button
        type="submit"
        look={danger ? 'danger' : 'primary'}
        disabled={disabled || Boolean(needs)}
        busy={busy}
        busyWord={busyWord ?? t('state.saving')}
      >
        {action ?? t('action.save')}
      </Button>
    </Actions>
  )
}
