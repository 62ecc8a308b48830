import { limits } from '@markbook/shared/limits'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { TextField } from '../../components/field.tsx'
import styles from './attendance.module.css'

type Props = { label: string; note: string; onSave: (text: string) => void; onClose: (isByKey: boolean) => void }

/** Where a note is typed. Enter, and leaving it in any way, saves; Escape leaves what was there. */
export function NoteField({ label, note, onSave, onClose }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const save = useRef(onSave)
  useEffect(() => {
    save.current = onSave
  })
  useEffect(() => {
    const field = input.current
    field?.focus()
    const commit = () => field && save.current(field.value)
    addEventListener('pagehide', commit)
    return () => {
      removeEventListener('pagehide', commit)
      commit()
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    // What ends the composing of a letter is no end of the note.
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
    event.preventDefault()
    if (event.key === 'Escape') event.currentTarget.value = note
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
        onBlur={() => onClose(false)}
      />
    </div>
  )
}
