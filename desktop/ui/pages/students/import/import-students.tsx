import type { ImportReport } from '@markbook/shared/contract/imports'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../api/client.ts'
import { refresh } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { Options, SelectField, TextArea } from '../../../components/field.tsx'
import { ImportDialog, TableFile } from '../../../components/import-dialog.tsx'
import layout from '../../../components/layout.module.css'
import { FailureNotice, Notice } from '../../../components/page.tsx'
import { Table } from '../../../components/table.tsx'
import { useChosenTerm } from '../../../frame/chosen-term.ts'
import { enumerated } from '../../../words/format.ts'
import type { ReadTable } from './csv.ts'
import { type Column, columns, guessColumns } from './headings.ts'
import styles from './import.module.css'
import { examplesOf, faultsOf, fileFor, firstRows, headOf, type Mapping, pupilsByRow } from './mapping.ts'
import { missingClasses } from './missing.ts'
import { useTable } from './read-table.ts'

/** Imports a list of pupils. Headings that are not recognised are assigned here; then the server reports what it would do. */
export function ImportStudents() {
  const { t } = useTranslation('students')
  const { year } = useChosenTerm()
  const [file, setFile] = useState<File | null>(null)
  const read = useTable(file)
  const { mapping, name } = useMapping(read)
  const toSend = useMemo(() => {
    if (!read) return read === null ? file : null
    const { twice, isNobody } = faultsOf(mapping)
    return twice.length > 0 || isNobody ? null : fileFor(read, mapping)
  }, [file, read, mapping])
  // The list's own heading, or the name of a column that it lacks.
  const headingOf = (path: string) => {
    const column = read && columns.find((one) => one === path)
    return column ? headOf(read)[mapping.indexOf(column)] || t(`columns.${column}`) : path
  }
  const send = (body: FormData, dryRun: boolean) =>
    client.imports.students({ query: { dryRun: dryRun ? 'true' : 'false', ...(year && { academicYearId: year.id }) }, body })
  return (
    <ImportDialog
      title={t('import')}
      lead={t('importLead')}
      table={toSend}
      pupils={read && pupilsByRow(read, mapping)}
      headingOf={headingOf}
      remedy={(report, again) => year && <MissingClasses report={report} yearId={year.id} onMade={again} />}
      send={send}
      onDone={() => refresh(['students', 'classes', 'history'])}
    >
      <p>
        {year ? t('importFor', { year: year.name }) : t('noPlace')}{' '}
        <a href="/api/students/import-template" download>
          {t('template')}
        </a>
      </p>
      <Source onChoose={setFile} />
      {read && <ColumnChoice table={read} mapping={mapping} onName={name} />}
      {read && <Preview table={read} mapping={mapping} />}
    </ImportDialog>
  )
}

/** A file, or rows pasted from a spreadsheet; the last input counts. */
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
            // Removes the name of a file that no longer counts.
            if (pasted === '') setChooser(chooser + 1)
            setPasted(target.value)
            onChoose(target.value.trim() ? new File([target.value], 'pasted.csv', { type: 'text/csv' }) : null)
          }}
        />
      </details>
    </>
  )
}

/** What each column is: guessed from its heading, or chosen by the person. */
function useMapping(table: ReadTable | null | undefined) {
  const head = table ? headOf(table) : []
  const [chosen, setChosen] = useState<{ head: string; mapping: Mapping } | null>(null)
  // The choice stays while a list with the same headings is pasted or chosen again.
  const key = JSON.stringify(head)
  const mapping = useMemo(() => (chosen?.head === key ? chosen.mapping : guessColumns(JSON.parse(key))), [key, chosen])
  const name = (at: number, column: Column | null) =>
    setChosen({ head: key, mapping: mapping.map((one, place) => (place === at ? column : one)) })
  return { mapping, name }
}

type Props = { report: ImportReport; yearId: string; onMade: () => void }

/** Classes of the list that the year does not have, each with its number of pupils, and a button that creates them. */
function MissingClasses({ report, yearId, onMade }: Props) {
  const { t } = useTranslation('students')
  const missing = missingClasses(report)
  const make = useMutation({
    mutationFn: async () => {
      for (const { name } of missing) await client.classes.create({ body: { name, academicYearId: yearId } })
    },
    onSuccess: onMade,
    onSettled: () => refresh(['classes', 'history']),
  })
  if (missing.length === 0) return null
  const names = enumerated(missing.map(({ name, count }) => t('missing.of', { name, count })))
  return (
    <>
      <Notice tone="warn">
        <span>{t('missing.classes', { count: missing.length, names })}</span>
        <Button size="small" busy={make.isPending} busyWord={t('missing.making')} onClick={() => make.mutate()}>
          {t('missing.make', { count: missing.length, name: missing[0]?.name })}
        </Button>
      </Notice>
      <FailureNotice failure={make.error} />
    </>
  )
}

/** The first rows as they will be read, so that a wrongly assigned column is noticed before sending. */
function Preview({ table, mapping }: { table: ReadTable; mapping: Mapping }) {
  const { t } = useTranslation('students')
  const { columns, rows } = firstRows(table, mapping)
  if (columns.length === 0 || rows.length === 0) return null
  const genderAt = columns.indexOf('gender')
  const shownText = (text: string, at: number) =>
    at === genderAt && (text === 'male' || text === 'female' || text === 'other') ? t(text) : text || '–'
  return (
    <div>
      <p>{t('columns.understood')}</p>
      <Table
        label={t('columns.understood')}
        rows={rows}
        keyOf={({ row }) => row}
        rowName={null}
        columns={columns.map((column, at) => ({
          head: t(`columns.${column}`),
          cell: ({ texts }: (typeof rows)[number]) => shownText(texts[at] ?? '', at),
        }))}
      />
    </div>
  )
}

type ColumnChoiceProps = { table: ReadTable; mapping: Mapping; onName: (at: number, column: Column | null) => void }

/** Assigns each column of the list; a recognised heading is assigned already. */
function ColumnChoice({ table, mapping, onName }: ColumnChoiceProps) {
  const { t } = useTranslation('students')
  const { twice, isNobody } = faultsOf(mapping)
  const shown = headOf(table)
    .map((heading, at) => ({ at, heading, column: mapping[at] ?? null, examples: examplesOf(table, at, mapping[at] ?? null) }))
    .filter(({ heading, examples }) => heading !== '' || examples.length > 0)
  const open = shown.filter(({ column }) => column === null).length
  return (
    <fieldset className={`${layout['list']} ${styles['columns']}`}>
      <legend>{t('columns.title')}</legend>
      <p role="status">{open === 0 ? t('columns.all') : t('columns.open', { count: open })}</p>
      <div className={styles['grid']}>
        {shown.map(({ at, heading, column, examples }) => (
          <SelectField
            key={at}
            label={heading || t('columns.blank', { at: at + 1 })}
            hint={examples.length > 0 ? t('columns.such', { examples: examples.join(', ') }) : undefined}
            error={column && twice.includes(column) ? t('columns.twice') : undefined}
            value={column ?? ''}
            data-open={column === null || undefined}
            onChange={({ target }) => onName(at, columns.find((one) => one === target.value) ?? null)}
          >
            <option value="">{t('columns.unused')}</option>
            <Options of={columns.map((id) => ({ id, name: t(`columns.${id}`) }))} />
          </SelectField>
        ))}
      </div>
      {isNobody && <Notice tone="warn">{t('columns.nobody')}</Notice>}
      {!isNobody && !mapping.includes('gender') && <Notice tone="warn">{t('columns.noGender')}</Notice>}
    </fieldset>
  )
}
