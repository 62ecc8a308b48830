import type { PastImport } from '@markbook/shared/contract/imports'
import { visibleText } from '@markbook/shared/domain/visible-text'
import { columnKey, columnLetters, MARK_SHEET } from '@markbook/shared/spreadsheet/column-key'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { Options, SelectField } from '../../components/field.tsx'
import { Notice } from '../../components/page.tsx'
import { firstOf } from '../../words/format.ts'
import { isUntouched } from './corrections.ts'
import type { ReadTable } from './csv.ts'
import { fromHeadings } from './from-headings.ts'
import { guessColumns } from './headings.ts'
import { ImportDialog } from './import-dialog.tsx'
import type { Source } from './listing.ts'
import { examplesOf, headOf, type Mapping, pupilsByRow } from './mapping.ts'
import { isNobodyIn, WHO, type WhoChosen, whoChoices, whoColumns } from './mark-headings.ts'
import { useTable } from './read-table.ts'
import { TableFile } from './table-file.tsx'

type SentTable = Omit<Source, 'send'>

/** A table as it was read, and without the lines above its headings; null where only the server can read it. */
type Headed = { read: ReadTable | null; table: ReadTable | null; head: readonly string[] }

function headed(read: ReadTable | null, name: string): Headed {
  const table = read && fromHeadings(read, name)
  return { read, table, head: table ? headOf(table).map((heading) => visibleText(heading).trim()) : [] }
}

const withChosen = (mapping: Mapping, chosen: WhoChosen): Mapping =>
  mapping.map((column, at) => {
    const own = WHO.find((name) => chosen[name] === at)
    return own ?? (WHO.some((name) => name === column && chosen[name] !== undefined) ? null : column)
  })

/** A table of marks to send; the server finds the assessments by their headings. */
function sourceOf(file: File, { read, table, head }: Headed, chosen: WhoChosen, nameOf: (column: string) => string): SentTable {
  if (!table) return { ...marksOf([], nameOf), file, table: null, pupils: new Map(), fileWith: () => file }
  const named = whoColumns(head, chosen)
  const known = head.map((heading, at) => named[at] ?? heading)
  const headings = [...named].flatMap((text, column) => (text === undefined ? [] : [{ row: 1, column, text }]))
  return {
    ...marksOf(head, nameOf, known),
    file,
    table,
    pupils: pupilsByRow(table, withChosen(guessColumns(head), chosen)),
    fileWith: (corrections) => {
      // An uncorrected file is sent unchanged.
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

const NOTHING: WhoChosen = {}
/** The largest number of cells of the first row that are shown. */
const MAX_SHOWN = 6

type WhoChoiceProps = {
  table: ReadTable
  choices: ReturnType<typeof whoChoices>
  chosen: WhoChosen
  onChoose: (column: (typeof WHO)[number], at: number | undefined) => void
}

/** Asks which of several columns with one heading identifies the pupils. Their first texts tell them apart. */
function WhoChoice({ table, choices, chosen, onChoose }: WhoChoiceProps) {
  const { t } = useTranslation(['marks', 'students', 'app'])
  const optionOf = (at: number) => {
    const examples = examplesOf(table, at, 3).join(', ') || '–'
    return { id: String(at), name: `${t('app:label', { label: columnLetters(at) })} ${examples}` }
  }
  return choices.map(({ column, heading, among }) => (
    <SelectField
      key={column}
      label={t(`students:columns.${column}`)}
      hint={t('importTwice', { heading })}
      value={chosen[column] ?? ''}
      onChange={({ target }) => onChoose(column, target.value === '' ? undefined : Number(target.value))}
    >
      <option value="">{t('importChoose')}</option>
      <Options of={among.map(optionOf)} />
    </SelectField>
  ))
}

/** `classId`: the id of a class, or of a teaching set where `isSet`. */
type Props = { scope: { classId: string; subjectId: string; termId: string; isSet?: boolean } }

/** Downloads a mark sheet, and imports the one that was filled in. */
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
  const read = useMemo(() => (file && table !== undefined ? headed(table, file.name) : null), [file, table])
  const key = JSON.stringify(read?.head ?? [])
  const choices = useMemo(() => whoChoices(read?.head ?? []), [read])
  // The choice is kept while a table with the same headings is chosen again.
  const [said, setSaid] = useState<{ key: string; chosen: WhoChosen } | null>(null)
  const chosen = said?.key === key ? said.chosen : NOTHING
  const isNobody = Boolean(read?.table && isNobodyIn(read.head))
  const isOpen = choices.some(({ column }) => chosen[column] === undefined)
  const needs = !file ? 'table' : isNobody ? 'headings' : isOpen ? 'columns' : null
  const source = useMemo((): Source | null => {
    if (!file || !read || needs) return null
    return {
      ...sourceOf(file, read, chosen, (column) => t(`students:columns.${column as 'student_number'}`)),
      send: (body, dryRun) => client.imports.grades({ query: { ...of, dryRun: dryRun ? 'true' : 'false' }, body }),
    }
  }, [file, read, needs, chosen, of, t])
  return (
    <ImportDialog
      title={t('importTitle')}
      lead={t('importLead')}
      source={source}
      needs={needs}
      onDone={() => refresh(['assessments', 'grades', 'calculations', 'imports', 'history'])}
      isEarlier={(past) => past.kind === 'grades' && past.subject_id === subjectId && past.term_id === termId && isHere(past)}
    >
      <p>
        <a href={`/api/grades/sheet?${new URLSearchParams(Object.entries(of))}`} download>
          {t('importSheet')}
        </a>
      </p>
      <TableFile onChoose={setFile} chosen={file && { name: file.name, rows: read?.table ? read.table.lines.length - 1 : null }} />
      {read && isNobody && <Notice tone="warn">{t('importNobody', { text: firstOf(read.head.filter(Boolean), MAX_SHOWN) })}</Notice>}
      {read?.table && choices.length > 0 && (
        <WhoChoice
          table={read.table}
          choices={choices}
          chosen={chosen}
          onChoose={(column, at) => setSaid({ key, chosen: { ...chosen, [column]: at } })}
        />
      )}
    </ImportDialog>
  )
}
