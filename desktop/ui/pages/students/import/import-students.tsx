import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../api/client.ts'
import { refresh } from '../../../api/queries.ts'
import { TextArea } from '../../../components/field.tsx'
import { ImportDialog, TableFile } from '../../../components/import-dialog.tsx'
import { useChosenTerm } from '../../../frame/chosen-term.ts'
import { ColumnChoice } from './column-choice.tsx'
import { type Column, columns, guessColumns } from './headings.ts'
import { faultsOf, fileFor, headOf, type Mapping, pupilsByRow } from './mapping.ts'
import { MissingClasses } from './missing-classes.tsx'
import type { ReadTable } from './table.ts'
import { Understood } from './understood.tsx'
import { useTable } from './use-table.ts'

/** A list of pupils as the school has it: its headings are understood or asked for, then the server says what it would do. */
export function ImportStudents({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('students')
  const { year } = useChosenTerm()
  const queries = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const chosen = useTable(file)
  const read = chosen?.table ?? null
  const { mapping, name } = useMapping(read)
  const toSend = useMemo(() => {
    if (!chosen || chosen.table === undefined) return null
    if (chosen.table === null) return () => chosen.file
    const { table } = chosen
    const { twice, isNobody } = faultsOf(mapping)
    return twice.length > 0 || isNobody ? null : () => fileFor(table, mapping)
  }, [chosen, mapping])
  const spoken = useMemo(() => read && spokenOf(read, mapping, (column) => t(`columns.${column}`)), [read, mapping, t])
  const send = (body: FormData, dryRun: boolean) =>
    client.imports.students({ query: { dryRun: dryRun ? 'true' : 'false', ...(year && { academicYearId: year.id }) }, body })
  return (
    <ImportDialog
      title={t('import')}
      lead={t('importLead')}
      table={toSend}
      spoken={spoken ?? undefined}
      remedy={(report, again) => year && <MissingClasses report={report} yearId={year.id} onMade={again} />}
      send={send}
      onDone={() => refresh(queries, ['students', 'classes', 'history'])}
      onClose={onClose}
    >
      <p>
        {year ? t('importFor', { year: year.name }) : t('noPlace')}{' '}
        <a href="/api/students/import-template" download>
          {t('template')}
        </a>
      </p>
      <Source onChoose={setFile} />
      {read && <ColumnChoice table={read} mapping={mapping} onName={name} />}
      {read && <Understood table={read} mapping={mapping} />}
    </ImportDialog>
  )
}

/** A file, or rows out of a spreadsheet's own window; the last one given counts. */
function Source({ onChoose }: { onChoose: (file: File | null) => void }) {
  const { t } = useTranslation('students')
  const [pasted, setPasted] = useState('')
  const [chooser, setChooser] = useState(0)
  return (
    <>
      <TableFile
        key={chooser}
        onChoose={(file) => {
          setPasted('')
          onChoose(file)
        }}
      />
      <details>
        <summary>{t('columns.paste')}</summary>
        <TextArea
          label={t('columns.pasted')}
          hint={t('columns.pasteHint')}
          rows={4}
          value={pasted}
          onChange={({ target }) => {
            // The field of the file would go on showing a name that no longer counts.
            if (pasted === '') setChooser(chooser + 1)
            setPasted(target.value)
            onChoose(target.value.trim() ? new File([target.value], 'pasted.csv', { type: 'text/csv' }) : null)
          }}
        />
      </details>
    </>
  )
}

/** What the columns are: as far as their headings say, and as the person has said since. */
function useMapping(table: ReadTable | null) {
  const head = table ? headOf(table) : []
  const [said, setSaid] = useState<{ head: string; mapping: Mapping } | null>(null)
  // While the same list is pasted anew, or a corrected one chosen, what was said of its columns stays.
  const key = JSON.stringify(head)
  const mapping = useMemo(() => (said?.head === key ? said.mapping : guessColumns(JSON.parse(key))), [key, said])
  const name = (at: number, column: Column | null) =>
    setSaid({ head: key, mapping: mapping.map((one, place) => (place === at ? column : one)) })
  return { mapping, name }
}

type NameOf = (column: Column) => string

/** A report in the words of the list: its own heading, or the column's name where the list lacks it. */
function spokenOf(table: ReadTable, mapping: Mapping, nameOf: NameOf) {
  const pupils = pupilsByRow(table, mapping)
  const head = headOf(table)
  const headingOf = (path: string) => {
    const column = columns.find((one) => one === path)
    return column ? head[mapping.indexOf(column)] || nameOf(column) : path
  }
  return { pupilOf: (row: number) => pupils.get(row) ?? '', headingOf }
}
