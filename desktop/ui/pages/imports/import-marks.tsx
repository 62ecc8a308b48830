import type { PastImport } from '@markbook/shared/contract/imports'
import { visibleText } from '@markbook/shared/domain/visible-text'
import { columnKey, columnLetters, MARK_SHEET } from '@markbook/shared/spreadsheet/column-key'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { isUntouched } from './corrections.ts'
import type { ReadTable } from './csv.ts'
import { fromHeadings } from './from-headings.ts'
import { guessColumns } from './headings.ts'
import { ImportDialog } from './import-dialog.tsx'
import type { Source } from './listing.ts'
import { headOf, pupilsByRow } from './mapping.ts'
import { WHO, whoColumns } from './mark-headings.ts'
import { useTable } from './read-table.ts'
import { TableFile } from './table-file.tsx'

type SentTable = Omit<Source, 'send'>

/** A table of marks as it came: the server reads the headings of its assessments itself. */
function sourceOf(file: File, read: ReadTable | null, nameOf: (column: string) => string): SentTable {
  if (!read) return { ...marksOf([], nameOf), file, table: null, pupils: new Map(), fileWith: () => file }
  const table = fromHeadings(read, file.name)
  const head = headOf(table).map((heading) => visibleText(heading).trim())
  const named = whoColumns(head)
  const known = head.map((heading, at) => named[at] ?? heading)
  const headings = [...named].flatMap((text, column) => (text === undefined ? [] : [{ row: 1, column, text }]))
  return {
    ...marksOf(head, nameOf, known),
    file,
    table,
    pupils: pupilsByRow(table, guessColumns(head)),
    fileWith: (corrections) => {
      // What nobody has corrected goes as it came.
      if (table === read && headings.length === 0 && isUntouched(corrections)) return file
      const added = [...new Set(corrections.texts.map(({ column }) => column))].filter((column) => column >= head.length)
      const lacking = added.map((column) => ({ row: 1, column, text: WHO[column - head.length] ?? '' }))
      return table.rewritten([...headings, ...lacking, ...corrections.texts], corrections)
    },
  }
}

/** `known`: the headings under which the server finds the columns. */
function marksOf(
  head: readonly string[],
  nameOf: (column: string) => string,
  known = head,
): Pick<Source, 'columnsOf' | 'headingOf' | 'headingAt'> {
  const keys = known.map(columnKey)
  const who = (path: string) => WHO.find((column) => column === path)
  const columnsOf = (path: string): number[] => {
    const same = known.flatMap((heading, at) => (heading === path ? [at] : []))
    if (same.length > 0) return same
    if (keys.includes(columnKey(path))) return [keys.indexOf(columnKey(path))]
    const column = who(path)
    return column ? [head.length + WHO.indexOf(column)] : []
  }
  const headingAt = (column: number) => {
    const heading = head[column]
    if (heading === undefined) return nameOf(WHO[column - head.length] ?? '')
    return head.indexOf(heading) === head.lastIndexOf(heading) ? heading : `${heading} (${columnLetters(column)})`
  }
  return { columnsOf, headingAt, headingOf: (path) => (who(path) ? headingAt(columnsOf(path)[0] ?? 0) : path) }
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
      <TableFile onChoose={setFile} chosen={file && { name: file.name, rows: source?.table ? source.table.lines.length - 1 : null }} />
    </ImportDialog>
  )
}
