import type { Assessment } from '@markbook/shared/contract/assessments'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { editable } from '../../words/format.ts'
import { useGrid } from './grid-parts.ts'
import styles from './marks.module.css'
import type { Cell, Pupil } from './model/sheet.ts'
import { readMark } from './model/typed-mark.ts'

/** The field of a cell while a mark is typed. What is wrong is said while it is typed, not after. */
export function MarkField({ cell, pupil, column }: { cell: Cell; pupil: Pupil; column: Assessment }) {
  const { t } = useTranslation('marks')
  const { cursor, control, id } = useGrid()
  const field = useRef<HTMLInputElement>(null)
  const [editing] = useState(cursor.editing)
  const [text, setText] = useState(editing?.text ?? '')
  useLayoutEffect(() => {
    field.current?.focus({ preventScroll: true })
    // What was there is typed over, or changed: then the caret stands at its end.
    if (editing?.caret) field.current?.select()
  }, [editing])
  const typed = readMark(text, column.max_score)
  const there = cell.saved?.score ?? null
  const says = typed.kind === 'wrong' ? t(`wrong.${typed.reason}`, { max: editable(column.max_score) }) : null
  const meanwhile =
    editing && there !== editing.seen
      ? t('meanwhile', { name: t('somebody'), mark: there === null ? t('unsaved.noMark') : editable(there) })
      : null
  const sayings = says ?? meanwhile
  return (
    <>
      <input
        ref={field}
        className={styles['field']}
        value={text}
        inputMode="decimal"
        autoComplete="off"
        maxLength={40}
        aria-label={t('enter', { pupil: `${pupil.last_name} ${pupil.first_name}`, title: column.title, max: editable(column.max_score) })}
        aria-invalid={typed.kind === 'wrong'}
        aria-describedby={sayings ? `${id}-says` : undefined}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (control.keyInField(event, text)) event.preventDefault()
        }}
        onBlur={() => control.take(text, true)}
      />
      {sayings && (
        <span id={`${id}-says`} role="alert" className={styles['says']} data-tone={says ? 'bad' : 'warn'}>
          {sayings}
        </span>
      )}
    </>
  )
}
