import type { PastImport } from '@markbook/shared/contract/imports'
import { visibleText } from '@markbook/shared/domain/visible-text'
import { columnKey, MARK_SHEET } from '@markbook/shared/spreadsheet/column-key'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { isUntouched } from './corrections.ts'
import type { ReadTable } from './csv.ts'
import { guessColumns } from './headings.ts'
import { ImportDialog } from './import-dialog.tsx'
import type { Source } from './listing.ts'
import { headOf, pupilsByRow } from './mapping.ts'
import { useTable } from './read-table.ts'
import { TableFile } from './table-file.tsx'

/** Columns that say whose marks a row holds: one that the table lacks can be filled in here. */
const WHO = ['student_number', 'last_name', 'first_name']

/** A table of marks as it is, whose headings the server reads itself. */
function sourceOf(file: File, table: ReadTable | null, nameOf: (column: string) => string): Omit<Source, 'send'> {
  const head = (table ? headOf(table) : []).map((heading) => visibleText(heading).trim())
  const keys = head.map(columnKey)
  const columnOf = (path: string): number | null => {
    const at = head.includes(path) ? head.indexOf(path) : keys.indexOf(columnKey(path))
    if (at >= 0) return at
    return WHO.includes(path) ? head.length + WHO.indexOf(path) : null
  }
  const nameAt = (column: number) => head[column] || (WHO[column - head.length] ?? '')
  return {
    file,
    table,
    pupils: table ? pupilsByRow(table, guessColumns(head)) : new Map(),
    columnOf,
    headingOf: (path) => (WHO.includes(path) && !head.includes(path) ? nameOf(path) : path),
    headingAt: (column) => (column < head.length ? nameAt(column) : nameOf(nameAt(column))),
    fileWith: (corrections) => {
      // What nobody has corrected goes as it came.
      if (!table || isUntouched(corrections)) return file
      const added = [...new Set(corrections.texts.map(({ column }) => column))].filter((column) => column >= head.length)
      return table.rewritten([...added.map((column) => ({ row: 1, column, text: nameAt(column) })), ...corrections.texts], corrections)
    },
  }
}

/** `classId`: of a class, or of a teaching set where `isSet`. */
type Props = { scope: { classId: string; subjectId: string; termId: string; isSet?: boolean } }

/** Downloads a mark sheet to fill in elsewhere, and imports the filled one. */
export function ImportMarks({ scope: { classId, subjectId, termId, isSet = false } }: Props) {
  const { t } = useTranslation(['marks', 'students'])
  const of = useMemo(
    () => (isSet ? { teachingSetId: classId, termId } : { studentGroupId: classId, termId, subjectId }),
    [classId, termId, subjectId, isSet],
  )
  const isHere = ({ student_group_id, teaching_set_id }: PastImport) =>
    isSet ? teaching_set_id === classId : teaching_set_id === null && (student_group_id ?? classId) === classId
  const [file, setFile] = useState<File | null>(null)
  const table = useTable(file, MARK_SHEET)
  const source = useMemo((): Source | null => {
    if (!file || table === undefined) return null
    return {
      ...sourceOf(file, table, (column) => t(`students:columns.${column as 'student_number'}`)),
      send: (body, dryRun) => client.imports.grades({ query: { ...of, dryRun: dryRun ? 'true' : 'false' }, body }),
    }
  }, [file, table, of, t])
  return (
    <ImportDialog
      title={t('importTitle')}
      lead={t('importLead')}
      source={source}
      onDone={() => refresh(['assessments', 'grades', 'calculations', 'imports', 'history'])}
      isEarlier={(past) => past.kind === 'grades' && past.subject_id === subjectId && past.term_id === termId && isHere(past)}
    >
      <p>
        <a href={`/api/grades/sheet?${new URLSearchParams(Object.entries(of))}`} download>
          {t('importSheet')}
        </a>
      </p>
      <TableFile onChoose={setFile} chosen={file && { name: file.name, rows: table ? table.lines.length - 1 : null }} />
    </ImportDialog>
  )
}
