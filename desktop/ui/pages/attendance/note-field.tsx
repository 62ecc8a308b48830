import { limits } from '@markbook/shared/limits'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { TextField } from '../../components/field.tsx'
import styles from './attendance.module.css'

/** `seen` of `onSave`: the note that was there when the field was opened. */
type Props = { label: string; note: string; onSave: (text: string, seen: string) => void; onClose: (isByKey: boolean) => void }

/** A field for a note. Enter, and leaving the field in any way, saves; Escape discards. */
export function NoteField({ label, note, onSave, onClose }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const seen = useRef(note)
  const save = useRef(onSave)
  const close = useRef(onClose)
  useEffect(() => {
    save.current = onSave
    close.current = onClose
  })
  /** A press outside the field is going on; `isLeft`: it has taken the focus from the field. */
  const press = useRef({ isDown: false, isLeft: false })
  useEffect(() => {
    const field = input.current
    field?.focus()
    const commit = () => {
      if (!field) return
      save.current(field.value, seen.current)
      seen.current = field.value.trim()
    }
    // If the field closed during a press, the pressed element would move, and get no click.
    const begins = ({ target }: MouseEvent) => {
      press.current.isDown = target !== field
    }
    const ends = () => {
      press.current.isDown = false
      setTimeout(() => press.current.isLeft && close.current(false))
    }
    addEventListener('pagehide', commit)
    field?.addEventListener('blur', commit)
    addEventListener('mousedown', begins, true)
    for (const end of ['mouseup', 'dragend']) addEventListener(end, ends, true)
    return () => {
      removeEventListener('pagehide', commit)
      field?.removeEventListener('blur', commit)
      removeEventListener('mousedown', begins, true)
      for (const end of ['mouseup', 'dragend']) removeEventListener(end, ends, true)
      commit()
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    // An Enter that ends the composition of a letter does not close the note.
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
    event.preventDefault()
    if (event.key === 'Escape') event.currentTarget.value = seen.current
    onClose(true)
  }
  return (
    <div className={styles['noteField']}>
      <TextField
        ref={input}
        label={label}
        hideLabel
        defaultValue={note}
        maxLength={limits.text.attendanceNote}
        onKeyDown={onKeyDown}
        onFocus={() => {
          press.current.isLeft = false
        }}
        onBlur={() => {
          press.current.isLeft = press.current.isDown
          if (!press.current.isDown) onClose(false)
        }}
      />
    </div>
  )
}
