import type { StudentName } from '@markbook/shared/contract/scalars'
import { type AttendanceCode, attendanceCodes } from '@markbook/shared/domain/attendance'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { isRightToLeft } from '../../words/direction.ts'
import { listedName } from '../../words/names.ts'
import { inReadingDirection } from '../marks/model/navigation.ts'
import styles from './attendance.module.css'
import { NoteField } from './note-field.tsx'
import type { RegisterState } from './use-register.ts'

type Props = { register: RegisterState; pupils: readonly StudentName[]; label: string }

/** The pupils, each with four buttons and a note. One key marks a pupil and goes to the next. */
export function RegisterList({ register, pupils, label }: Props) {
  const { t } = useTranslation('attendance')
  /** The id of the pupil whose note is open. */
  const [noting, setNoting] = useState('')
  const codeOfKey = new Map<string, AttendanceCode>(attendanceCodes.map((code) => [t(`key.${code}`), code]))
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const id = idAround(event.target as HTMLElement)
    const at = pupils.findIndex((pupil) => pupil.id === id)
    // A note's field and other buttons handle their keys themselves.
    if (at < 0 || event.altKey || (event.target as HTMLElement).role !== 'radio') return
    const list = event.currentTarget
    const go = (to: number) => focusOn(list, pupils[Math.max(0, Math.min(pupils.length - 1, to))]?.id)
    const takeBack = () => {
      const whose = register.undo()
      if (whose) focusOn(list, whose)
    }
    const pressed = inReadingDirection(event.nativeEvent, isRightToLeft()).key
    const code = codeOfKey.get(event.key.toLowerCase())
    if ((event.ctrlKey || event.metaKey) && pressed.toLowerCase() === 'z') takeBack()
    else if (event.ctrlKey || event.metaKey) return
    else if (event.key.toLowerCase() === t('key.note')) setNoting(pupils[at]?.id as string)
    else if (code) {
      register.say(pupils[at]?.id as string, code)
      go(at + 1)
    } else if (event.key === 'Enter' || event.key === 'ArrowDown') go(at + 1)
    else if (event.key === 'ArrowUp') go(at - 1)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(pupils.length - 1)
    else if (event.key === 'Backspace') takeBack()
    else if (pressed === 'ArrowLeft' || pressed === 'ArrowRight') {
      const now = attendanceCodes.indexOf(register.codeNow(pupils[at]?.id as string))
      const next = attendanceCodes[(now + (pressed === 'ArrowRight' ? 1 : attendanceCodes.length - 1)) % attendanceCodes.length]
      if (next) register.say(pupils[at]?.id as string, next)
      focusOn(list, pupils[at]?.id)
    } else return
    event.preventDefault()
  }
  return (
    <ul className={styles['pupils']} aria-label={label} data-taken={register.isTaken} onKeyDown={onKeyDown}>
      {pupils.map((pupil) => (
        <Row
          key={pupil.id}
          pupil={pupil}
          register={register}
          isNoting={noting === pupil.id}
          onNote={() => setNoting(pupil.id)}
          onNoted={() => setNoting((now) => (now === pupil.id ? '' : now))}
        />
      ))}
    </ul>
  )
}

const idAround = (element: Element | null) => element?.closest('[data-pupil]')?.getAttribute('data-pupil')

/** Focuses at once, since the next key may follow at once, and again after the render, which may have checked another button. */
function focusOn(list: HTMLElement, id: string | undefined): void {
  const focus = () => list.querySelector<HTMLElement>(`[data-pupil="${id}"] [aria-checked="true"]`)?.focus()
  focus()
  requestAnimationFrame(() => {
    const { activeElement } = document
    // Not if the next key has opened a note meanwhile.
    if (activeElement?.role === 'radio' && idAround(activeElement) === id) focus()
  })
}

type RowProps = { pupil: StudentName; register: RegisterState; isNoting: boolean; onNote: () => void; onNoted: () => void }

function Row({ pupil, register, isNoting, onNote, onNoted }: RowProps) {
  const { t } = useTranslation('attendance')
  const now = register.codeNow(pupil.id)
  const note = register.noteNow(pupil.id)
  const name = listedName(pupil)
  const label = t('noteOn', { name })
  const row = useRef<HTMLLIElement>(null)
  return (
    <li ref={row} className={styles['pupil']} data-pupil={pupil.id} data-code={now} data-pending={register.isPending(pupil.id)}>
      <span className={styles['name']}>{name}</span>
      <div role="radiogroup" aria-label={name} className={styles['codes']}>
        {attendanceCodes.map((code) => (
          // biome-ignore lint/a11y/useSemanticElements: an input would handle the arrow keys, which go down the list.
          <button
            key={code}
            type="button"
            role="radio"
            aria-checked={code === now}
            tabIndex={code === now ? 0 : -1}
            data-code={code}
            onClick={() => register.say(pupil.id, code)}
          >
            {t(`code.${code}`)}
          </button>
        ))}
      </div>
      <Button look="quiet" size="small" className={styles['note'] ?? ''} aria-label={label} onClick={onNote}>
        {t('note')}
      </Button>
      {isNoting ? (
        <NoteField
          label={label}
          note={note ?? ''}
          onSave={(text, seen) => register.note(pupil.id, text, seen)}
          onClose={(isByKey) => {
            onNoted()
            if (isByKey && row.current?.parentElement) focusOn(row.current.parentElement, pupil.id)
          }}
        />
      ) : (
        note && <p className={styles['written']}>{note}</p>
      )}
    </li>
  )
}
