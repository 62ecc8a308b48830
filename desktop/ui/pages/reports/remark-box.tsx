import { type KeyboardEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Bank, completions } from './completions.ts'
import styles from './reports.module.css'
import { useTakenBack } from './use-taken-back.ts'

type Props = {
  label: string
  field: string
  value: string
  firstName: string
  bank: Bank
  maxLength: number
  isLocked: boolean
  isOneLine?: boolean
  onChange: (value: string) => void
  onEnter: () => void
  onLeave: () => void
}

/**
 * A remark, with what was written before in this class offered below: Down chooses, Enter takes it, Esc puts it away. Alt and Down show
 * the most used, or say that there are none. Esc with nothing offered brings back what stood there before. Enter goes on to the next pupil (the form around it sees to that), with Shift it breaks the line.
 */
export function RemarkBox({ label, field, value, firstName, bank, maxLength, isLocked, isOneLine, onChange, onEnter, onLeave }: Props) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  const [isAsked, setAsked] = useState(false)
  const back = useTakenBack(value, onChange)
  const offered = isOpen && !isLocked ? completions(bank, value, firstName) : []
  const close = () => {
    setOpen(false)
    setAsked(false)
    setChosen(-1)
  }
  const take = (text: string) => {
    onChange(text)
    close()
  }
  const open = () => {
    setOpen(true)
    setAsked(true)
  }
  const press = (event: KeyboardEvent) => {
    const taken = pressed(event, { offered, chosen, close, take, choose: setChosen, open }) || (!isLocked && back.press(event))
    if (taken) {
      event.preventDefault()
      event.stopPropagation()
    }
  }
  return (
    <div className={styles['box']}>
      <textarea
        aria-label={label}
        data-field={field}
        className={styles['text']}
        value={value}
        rows={isOneLine ? 1 : 2}
        maxLength={maxLength}
        readOnly={isLocked}
        aria-autocomplete="list"
        aria-controls={offered.length > 0 ? id : undefined}
        aria-activedescendant={offered[chosen] === undefined ? undefined : `${id}-${chosen}`}
        onChange={({ target }) => {
          onChange(isOneLine ? target.value.replace(/[\r\n]+/g, ' ') : target.value)
          setOpen(target.value.trim().length > 0)
          setAsked(false)
          setChosen(-1)
        }}
        onKeyDown={press}
        onFocus={() => {
          back.enter()
          onEnter()
        }}
        onBlur={() => {
          close()
          onLeave()
        }}
      />
      <NothingBefore isShown={isAsked && offered.length === 0 && !isLocked} />
      {offered.length > 0 && <Offers id={id} offered={offered} chosen={chosen} onTake={take} />}
    </div>
  )
}

/** Whoever asks for what was used before, where there is nothing, is told so. */
function NothingBefore({ isShown }: { isShown: boolean }) {
  const { t } = useTranslation('reports')
  return (
    <span role="status" className={styles['nothing']}>
      {isShown && t('fill.noneBefore')}
    </span>
  )
}

type Steps = {
  offered: readonly string[]
  chosen: number
  close: () => void
  open: () => void
  take: (text: string) => void
  choose: (at: number) => void
}

/** True where the key was for the list of remarks. */
function pressed({ key, altKey, ctrlKey, metaKey }: KeyboardEvent, { offered, chosen, close, open, take, choose }: Steps): boolean {
  if (key === 'ArrowDown' && altKey) {
    open()
    return true
  }
  const text = offered[chosen]
  if (offered.length === 0 || ctrlKey || metaKey) return false
  if (key === 'ArrowDown') choose((chosen + 1) % offered.length)
  else if (key === 'ArrowUp') choose(chosen <= 0 ? offered.length - 1 : chosen - 1)
  else if (key === 'Escape') close()
  else if (key === 'Enter' && text !== undefined) take(text)
  else return false
  return true
}

type OffersProps = { id: string; offered: readonly string[]; chosen: number; onTake: (text: string) => void }

function Offers({ id, offered, chosen, onTake }: OffersProps) {
  const { t } = useTranslation('reports')
  return (
    <div role="listbox" id={id} aria-label={t('fill.usedBefore')} className={styles['offers']}>
      {offered.map((text, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the text's, which keeps the focus.
        // biome-ignore lint/a11y/useFocusableInteractive: the same.
        <div
          key={text}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === chosen}
          className={styles['offer']}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(text)}
        >
          {text}
        </div>
      ))}
    </div>
  )
}
