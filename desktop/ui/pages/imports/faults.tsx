import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import layout from '../../components/layout.module.css'
import { Badge } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { type CellEdit, rowInSheet } from './csv.ts'
import styles from './import.module.css'
import type { Field, Issue, Listed, Source } from './listing.ts'

/** The largest number of rows that are shown. */
const MAX_ROWS = 200

type Correct = {
  onText: (edit: CellEdit) => void
  onLeaveOut: (row: number) => void
  onTakeAgain: (row: number) => void
  onLeaveColumn: (column: number) => void
}
type Props = Correct & { source: Source; rows: readonly Listed[] }

const TONES = { error: 'bad', awaitsClass: 'info', leftOut: 'warn', create: 'good', update: 'good', unchanged: 'info' } as const

/** What would happen to each row. Faulty cells can be edited, and faulty rows left out. */
export function ReportTable({ source, rows, ...correct }: Props) {
  const { t } = useTranslation('app')
  return (
    <>
      <Table
        label={t('import.what')}
        rows={rows.slice(0, MAX_ROWS)}
        keyOf={({ row }) => row}
        columns={[
          { head: t('import.row'), cell: ({ row }) => (row === 1 ? t('import.heading') : rowInSheet(source.table, row)) },
          source.table !== null && { head: t('import.pupil'), cell: ({ row }) => source.pupils.get(row) ?? '' },
          { head: t('import.what'), cell: (row) => <RowReport listed={row} source={source} {...correct} /> },
        ]}
      />
      {rows.length > MAX_ROWS && <p>{t('import.rest', { count: rows.length - MAX_ROWS })}</p>}
    </>
  )
}

/** Returns a function for what is wrong with a cell, translated where the app has a sentence for it. */
function useSentence({ headingOf, table }: Source): (issue: Issue) => string {
  const { t, i18n } = useTranslation('app')
  return ({ path, code, values, message }) => {
    const row = values?.['row']
    const shown = { ...values, ...(typeof row === 'number' && { row: rowInSheet(table, row) }) }
    const said = code && i18n.exists(`import.fault.${code}`, { ns: 'app' }) ? t(`import.fault.${code as 'required'}`, shown) : message
    return t('import.column', { column: headingOf(path), message: said })
  }
}

function RowReport({ listed, source, onText, onLeaveOut, onTakeAgain, onLeaveColumn }: Correct & { listed: Listed; source: Source }) {
  const { t } = useTranslation('app')
  const sentence = useSentence(source)
  const { row, state, issues, fields, columns } = listed
  const of = { row: rowInSheet(source.table, row), name: source.pupils.get(row) ?? '' }
  return (
    <>
      <div className={layout['split']}>
        <Badge tone={TONES[state]}>{t(`import.${state}`)}</Badge>
        {(state === 'error' || state === 'awaitsClass' || fields.some(({ issue }) => issue)) && row > 1 && source.table && (
          <Button size="small" aria-label={t('import.leaveOutOf', of)} onClick={() => onLeaveOut(row)}>
            {t('import.leaveOut')}
          </Button>
        )}
        {state === 'leftOut' && (
          <Button size="small" aria-label={t('import.takeAgainOf', of)} onClick={() => onTakeAgain(row)}>
            {t('import.takeAgain')}
          </Button>
        )}
        {columns.map((column) => (
          <Button key={column} size="small" onClick={() => onLeaveColumn(column)}>
            {t('import.leaveColumn', { column: source.headingAt(column) })}
          </Button>
        ))}
      </div>
      {issues.map((issue) => (
        <p key={sentence(issue)}>{sentence(issue)}</p>
      ))}
      {fields.map((field) => (
        <CellField
          key={field.column}
          field={field}
          label={field.issue ? sentence(field.issue) : source.headingAt(field.column)}
          isFault={state !== 'awaitsClass' && field.issue !== null}
          onText={(text) => onText({ row, column: field.column, text })}
        />
      ))}
    </>
  )
}

/** Enter goes to the next faulty cell; without an edit, and if none is left, it sends the form. */
function goOn(event: KeyboardEvent<HTMLInputElement>, isTyped: boolean): void {
  const input = event.currentTarget
  const all = [...(input.form?.querySelectorAll<HTMLInputElement>('input[aria-invalid="true"]') ?? [])]
  const next = all.find((other) => input.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
  if (!isTyped && !next && all.length === 0) return
  event.preventDefault()
  if (next) next.focus()
  else input.blur()
}

type FieldProps = { field: Field; label: string; isFault: boolean; onText: (text: string) => void }

function CellField({ field: { text }, label, isFault, onText }: FieldProps) {
  const id = useId()
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  const isTyped = typed.trim() !== text
  return (
    <div className={styles['fault']}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={isFault}
        onChange={({ target }) => setTyped(target.value)}
        onFocus={({ target }) => target.select()}
        onBlur={() => isTyped && onText(typed.trim())}
        onKeyDown={(event) => {
          if (event.key === 'Enter') goOn(event, isTyped)
          // The first Escape restores the former text; only a second one closes the dialog.
          if (event.key !== 'Escape' || !isTyped) return
          event.stopPropagation()
          setTyped(text)
        }}
      />
    </div>
  )
}
