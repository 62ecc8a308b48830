import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './reports.module.css'

/**
 * The field of the same kind in the row below (1) or above (-1) that can be written in; from the last row the first of the next kind, as
 * in the grid of marks, and back. Null at the very end.
 */
function neighbour(rows: HTMLElement, field: HTMLElement, step: 1 | -1): HTMLElement | null {
  const all = [...rows.querySelectorAll<HTMLElement>('[data-field]')].filter(
    (one) => one === field || !one.matches('[readonly], :disabled'),
  )
  const kindOf = (one: HTMLElement) => one.dataset['field'] ?? ''
  const kinds = [...new Set(all.map(kindOf))]
  const downwards = kinds.flatMap((kind) => all.filter((one) => kindOf(one) === kind))
  return downwards[downwards.indexOf(field) + step] ?? null
}

const stepOf = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): 1 | -1 | null => {
  if (shiftKey || altKey) return null
  if (key === 'Enter' || (key === 'ArrowDown' && (ctrlKey || metaKey))) return 1
  return key === 'ArrowUp' && (ctrlKey || metaKey) ? -1 : null
}

type Props = { kind: 'book' | 'entry'; label: string; at?: string | undefined; head?: string; children: ReactNode }

/**
 * Rows to fill in down the class. Enter or Ctrl and Down go to the same field of the next row, and then to the next field; Ctrl and Up go
 * back. `at`: the book at which to begin. `head`: the head of the first column, where it is not the pupil.
 */
export function FillRows({ kind, label, at, head, children }: Props) {
  const { t } = useTranslation('reports')
  const heads = kind === 'book' ? [t('fill.remark'), t('fill.conduct'), t('fill.attendance'), ''] : [t('fill.letter'), t('fill.remark')]
  const rows = useRef<HTMLOListElement>(null)
  useEffect(() => {
    if (!at) return
    const row = [...(rows.current?.children ?? [])].find((one) => (one as HTMLElement).dataset['book'] === at)
    row?.querySelector<HTMLElement>('textarea:not([readonly])')?.focus()
    row?.scrollIntoView({ block: 'center' })
  }, [at])
  const press = (event: KeyboardEvent) => {
    const field = event.target as HTMLElement
    const step = stepOf(event)
    if (!rows.current || !step || !field.dataset['field']) return
    event.preventDefault()
    const next = neighbour(rows.current, field, step)
    next?.focus()
    if (next instanceof HTMLInputElement || next instanceof HTMLTextAreaElement) next.select()
  }
  return (
    <div className={styles['fill']}>
      <div className={`${styles['row']} ${styles['heads']} ${kind === 'entry' ? styles['line'] : ''}`} aria-hidden="true">
        {[head ?? t('pupil'), ...heads].map((text) => (
          <span key={text || 'state'}>{text}</span>
        ))}
      </div>
      <ol ref={rows} aria-label={label} className={styles['rows']} onKeyDown={press}>
        {children}
      </ol>
    </div>
  )
}
