import type { ImportReport } from '@markbook/shared/contract/imports'
import { useContext, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { Closing } from '../../components/closing.ts'
import { DialogButton } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { Notice } from '../../components/page.tsx'
import { saveFile } from '../../components/save-file.ts'
import { firstOf, number } from '../../words/format.ts'
import type { Corrections } from './corrections.ts'
import { useCounts } from './counts.ts'
import { rowInSheet, savedRows } from './csv.ts'
import type { Source } from './listing.ts'
import { UndoImport } from './undo-import.tsx'

/** Further rows are only counted. */
const MAX_NAMED = 20

type Props = { source: Source; corrections: Corrections; report: ImportReport; onDone: () => Promise<unknown> }

/** What an import wrote, the rows that it left out, and buttons to save those and to undo the import. */
export function Imported({ source, corrections, report, onDone }: Props) {
  const { t } = useTranslation('app')
  const close = useContext(Closing)
  const countsOf = useCounts()
  const [isUndone, setUndone] = useState(false)
  const closeButton = useRef<HTMLButtonElement>(null)
  // The button with the focus was removed with the form.
  useEffect(() => closeButton.current?.focus(), [])
  const rows = [...corrections.rows].sort((a, b) => a - b)
  const names = rows.map((at) => {
    const [row, name] = [rowInSheet(source.table, at), source.pupils.get(at)]
    return name ? t('import.rowOf', { row, name }) : String(row)
  })
  const save = () => {
    if (!source.table) return
    // Spreadsheets expect semicolons where the comma is the decimal sign.
    const separator = number(1.5).includes(',') ? ';' : ','
    const text = savedRows(source.table, corrections.rows, corrections.texts, separator, source.headingAt)
    const name = `${source.file.name.replace(/\.[^.]*$/, '')} – ${t('import.restName')}.csv`
    saveFile(new TextEncoder().encode(text), name, 'text/csv')
  }
  return (
    <>
      <Notice tone={isUndone ? 'info' : 'good'}>{isUndone ? t('import.isUndone') : `${t('import.done')} ${countsOf(report)}`}</Notice>
      {rows.length > 0 && (
        <Notice tone="warn">
          <span>{t('import.leftOutRows', { count: rows.length, rows: firstOf(names, MAX_NAMED) })}</span>
          <Button size="small" onClick={save}>
            {t('import.saveRows', { count: rows.length })}
          </Button>
        </Notice>
      )}
      <Actions>
        {report.id !== null && !isUndone && (
          <DialogButton dialog={<UndoImport id={report.id} onUndone={() => onDone().then(() => setUndone(true))} />}>
            {t('import.undo')}
          </DialogButton>
        )}
        <Button ref={closeButton} look="primary" onClick={() => close?.()}>
          {t('action.close')}
        </Button>
      </Actions>
    </>
  )
}
