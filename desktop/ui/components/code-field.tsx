import { type RefObject, useEffect, useRef } from 'react'
import styles from './code-field.module.css'
import { TextField } from './field.tsx'

const LENGTH = 8

/** The digits of what was typed or pasted, spaces and all. */
export const digitsOf = (text: string): string => text.replace(/\D/g, '').slice(0, LENGTH)

type CodeFieldProps = {
  label: string
  hint?: string
  error?: string | undefined
  value: string
  onChange: (digits: string) => void
  /** Once all eight are there, by whatever way they came in. */
  onWhole: (digits: string) => void
  inputRef?: RefObject<HTMLInputElement | null>
}

/** One field for the eight digits of a code: it takes a paste with spaces and what the telephone offers, and sends itself. */
export function CodeField({ label, hint, error, value, onChange, onWhole, inputRef }: CodeFieldProps) {
  const own = useRef<HTMLInputElement>(null)
  const ref = inputRef ?? own
  useEffect(() => {
    if (error) ref.current?.select()
  }, [error, ref])
  return (
    <div className={styles['code']}>
      <TextField
        ref={ref}
        label={label}
        hint={hint}
        error={error}
        value={value}
        inputMode="numeric"
        autoComplete="one-time-code"
        spellCheck={false}
        onChange={({ target }) => {
          const digits = digitsOf(target.value)
          onChange(digits)
          if (digits.length === LENGTH && digits !== value) onWhole(digits)
        }}
      />
    </div>
  )
}
