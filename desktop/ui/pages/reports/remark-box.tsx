import { limits } from '@markbook/shared/limits'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import layout from '../../components/layout.module.css'
import { useMatches } from '../../components/use-matches.ts'
import { bankOf, completions, hasOthers, type WrittenRemark } from './completions.ts'
import { goOn } from './go-on.ts'
import styles from './reports.module.css'

type Props = {
  kind: 'remark' | 'conduct'
  /** The name of the pupil, for screen readers. */
  name: string
  value: string
  firstName: string
  /** The remarks to suggest, and the row of this field. */
  written: readonly WrittenRemark[]
  rowId: string
  isLocked: boolean
  onChange: (value: string) => void
  /** Returns whether Esc changed the text. */
  onEscape: () => boolean
  onEnter: () => void
  onLeave: () => void
}

/**
 * A remark with suggestions of remarks that were written before in this class. Down chooses one, Enter takes it, Esc closes the list. Alt
 * and Down open the list of the most used, or say that there are none, or none that match. Esc without a list drops what was typed since
 * the last save. Enter goes to the next pupil (`FillRows` handles it), Shift and Enter break the line. A telephone has no Shift and Enter:
 * there Enter breaks the line of a remark, and a button goes on.
 */
export function RemarkBox({ kind, name, value, firstName, written, rowId, isLocked, onChange, onEscape, onEnter, onLeave }: Props) {
  const { t } = useTranslation('reports')
  const isOneLine = kind === 'conduct'
  const isTouch = useMatches('(pointer: coarse)')
  const breaksLines = isTouch && !isOneLine
  const text = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  const [isRequested, setRequested] = useState(false)
  const suggestions = isOpen && !isLocked ? completions(bankOf(written, rowId), value, firstName) : []
  const close = () => {
    setOpen(false)
    setRequested(false)
    setChosen(-1)
  }
  const take = (text: string) => {
    onChange(text)
    close()
  }
  /** Handles a key in the list of suggestions; true where it did. */
  const pressInList = ({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean => {
    const text = suggestions[chosen]
    if (key === 'ArrowDown' && altKey) {
      setOpen(true)
      setRequested(true)
    } else if (key === 'Escape' && isRequested) close()
    else if (suggestions.length === 0 || ctrlKey || metaKey) return false
    else if (key === 'ArrowDown') setChosen((chosen + 1) % suggestions.length)
    else if (key === 'ArrowUp') setChosen(chosen <= 0 ? suggestions.length - 1 : chosen - 1)
    else if (key === 'Escape') close()
    else if (key === 'Enter' && text !== undefined) take(text)
    else return false
    return true
  }
  const press = (event: KeyboardEvent) => {
    if (pressInList(event) || (event.key === 'Escape' && !isLocked && onEscape())) {
      event.preventDefault()
      event.stopPropagation()
    } else if (event.key === 'Enter' && breaksLines) event.stopPropagation()
  }
  const goOnOrLeave = () => {
    if (text.current && !goOn(text.current, 1)) text.current.blur()
  }
  return (
    <div className={styles['field']} data-label={t(`fill.${kind}`)}>
      <textarea
        ref={text}
        aria-label={t(`fill.${kind}Of`, { name })}
        data-field={kind}
        className={styles['text']}
        value={value}
        dir={value ? 'auto' : undefined}
        enterKeyHint={breaksLines ? 'enter' : 'next'}
        rows={isOneLine ? 1 : 2}
        maxLength={limits.text[kind]}
        readOnly={isLocked}
        aria-autocomplete="list"
        aria-controls={suggestions.length > 0 ? id : undefined}
        aria-activedescendant={suggestions[chosen] === undefined ? undefined : `${id}-${chosen}`}
        onChange={({ target }) => {
          onChange(isOneLine ? target.value.replace(/[\r\n]+/g, ' ') : target.value)
          setOpen(target.value.trim().length > 0)
          setRequested(false)
          setChosen(-1)
        }}
        onKeyDown={press}
        onFocus={onEnter}
        onBlur={() => {
          close()
          onLeave()
        }}
      />
      <span role="status" className={`${layout['note']} ${styles['noSuggestions']}`}>
        {isRequested &&
          suggestions.length === 0 &&
          !isLocked &&
          t(hasOthers(bankOf(written, rowId), value, firstName) ? 'fill.noneMatches' : 'fill.noneBefore')}
      </span>
      {breaksLines && !isLocked && (
        <Button
          size="small"
          className={styles['goOn'] ?? ''}
          aria-label={t('fill.nextAfter', { name })}
          // The focus passes straight to the next field, so that the keyboard stays.
          onMouseDown={(event) => event.preventDefault()}
          onClick={goOnOrLeave}
        >
          {t('fill.next')}
        </Button>
      )}
      {suggestions.length > 0 && (
        <div role="listbox" id={id} aria-label={t('fill.usedBefore')} className={styles['suggestions']}>
          {suggestions.map((text, at) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the textarea keeps the focus and handles the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: as above.
            <div
              key={text}
              id={`${id}-${at}`}
              role="option"
              aria-selected={at === chosen}
              className={styles['suggestion']}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(text)}
            >
              {text}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
