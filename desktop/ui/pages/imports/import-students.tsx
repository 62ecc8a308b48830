import type { ImportReport } from '@markbook/shared/contract/imports'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Options, SelectField, TextArea } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { FailureNotice, Notice } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { day, enumerated, firstOf } from '../../words/format.ts'
import { ClassTeacherField } from '../classes/class-teacher-field.tsx'
import type { ReadTable } from './csv.ts'
import { DayForms, type DaysRead, useDays } from './days.tsx'
import { belowNoHeadings, fromHeadings, hasHeadings } from './from-headings.ts'
import { type Column, columns, guessColumns } from './headings.ts'
import styles from './import.module.css'
import { ImportDialog, type Needs } from './import-dialog.tsx'
import type { Source } from './listing.ts'
import { columnAt, dayTexts, examplesOf, faultsOf, fileFor, firstRows, headOf, isDayColumn, type Mapping, pupilsByRow } from './mapping.ts'
import { missingClasses } from './missing.ts'
import { useSheets, useTable } from './read-table.ts'
import { TableFile } from './table-file.tsx'

/** Imports a list of pupils. Unknown headings are assigned here; then the server reports what it would do. */
export function ImportStudents() {
  const { t } = useTranslation('students')
  const { year } = useChosenTerm()
  const [file, setFile] = useState<File | null>(null)
  const sheets = useSheets(file)
  const [chosenSheet, setSheet] = useState('')
  const sheet = sheets.includes(chosenSheet) ? chosenSheet : sheets[0]
  const table = useTable(file, sheet)
  const { read, firstRow, sayFirstRow } = useRead(table, file?.name ?? '')
  const { mapping, name, key } = useMapping(read)
  const { days, say } = useDays(
    useMemo(() => (read ? dayTexts(read, mapping) : []), [read, mapping]),
    key,
  )
  const { form, isOpen } = days
  const yearId = year?.id
  const needs = !file ? 'table' : firstRow?.is === null ? 'firstRow' : read ? neededOf(mapping, isOpen) : null
  const source = useMemo((): Source | null => {
    if (!file || read === undefined || needs) return null
    const send: Source['send'] = (body, dryRun) => {
      const query = { dryRun: dryRun ? ('true' as const) : ('false' as const), ...(form && { days: form }) }
      return client.imports.students({ query: { ...query, ...(yearId && { academicYearId: yearId }) }, body })
    }
    if (read === null) return { ...sentAsItIs(file), send }
    const head = headOf(read)
    const nameOf = (column: Column | undefined) => (column ? t(`columns.${column}`) : '')
    return {
      file,
      table: read,
      pupils: pupilsByRow(read, mapping),
      send,
      fileWith: (corrections) => fileFor(read, mapping, corrections),
      columnsOf: (path) => {
        const at = columnAt(read, mapping, path)
        return at === null ? [] : [at]
      },
      // The heading of the list, or the name of a column that the list does not have.
      headingOf: (path) => {
        const column = columns.find((one) => one === path)
        return column ? head[mapping.indexOf(column)] || nameOf(column) : path
      },
      headingAt: (column) => head[column] || nameOf(mapping[column] ?? columns[column - head.length]),
    }
  }, [file, read, needs, mapping, form, yearId, t])
  return (
    <ImportDialog
      title={t('import')}
      lead={t('importLead')}
      source={source}
      needs={needs}
      remedy={(report, again) => year && <MissingClasses report={report} yearId={year.id} onMade={again} />}
      onDone={() => refresh(['students', 'classes', 'history', 'imports'])}
      isEarlier={({ kind }) => kind === 'students'}
    >
      <p>
        {year ? t('importFor', { year: year.name }) : t('noPlace')}{' '}
        <a href="/api/students/import-template" download>
          {t('template')}
        </a>
      </p>
      <ListSource onChoose={setFile} file={file} rows={read ? read.lines.length - 1 : null} />
      {sheets.length > 0 && (
        <SelectField label={t('columns.sheet')} value={sheet ?? ''} onChange={({ target }) => setSheet(target.value)}>
          <Options of={sheets.map((id) => ({ id, name: id }))} />
        </SelectField>
      )}
      {firstRow && <FirstRowChoice of={firstRow} onSay={sayFirstRow} />}
      {read && <ColumnChoice table={read} mapping={mapping} onName={name} />}
      {read && <DayForms days={days} onSay={say} />}
      {read && <Preview table={read} mapping={mapping} days={days} />}
    </ImportDialog>
  )
}

function neededOf(mapping: Mapping, isOpen: boolean): Needs | null {
  const { twice, isNobody } = faultsOf(mapping)
  if (twice.length > 0 || isNobody) return 'columns'
  return isOpen ? 'days' : null
}

/** A file that cannot be read here: the server reports what is wrong with it. */
const sentAsItIs = (file: File): Omit<Source, 'send'> => ({
  file,
  table: null,
  pupils: new Map(),
  fileWith: () => file,
  columnsOf: () => [],
  headingOf: (path) => path,
  headingAt: () => '',
})

/** The largest number of cells of the first row that are shown. */
const MAX_SHOWN = 6

type SourceProps = { onChoose: (file: File | null) => void; file: File | null; rows: number | null }

/** A file, or rows pasted from a spreadsheet; the last input counts. */
function ListSource({ onChoose, file, rows }: SourceProps) {
  const { t } = useTranslation('students')
  const [pasted, setPasted] = useState('')
  return (
    <>
      <TableFile
        chosen={file && pasted === '' ? { name: file.name, rows } : null}
        onChoose={(chosen) => {
          setPasted('')
          onChoose(chosen)
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
            setPasted(target.value)
            onChoose(target.value.trim() ? new File([target.value], 'pasted.csv', { type: 'text/csv' }) : null)
          }}
        />
      </details>
    </>
  )
}

/** What the first row of a list without known headings is; null until a person says it. */
type FirstRow = { cells: readonly string[]; count: number; is: 'headings' | 'pupil' | null }

/**
 * The list below its headings; undefined while it is open what the first row is, since a pupil would be lost with it. A person's answer is
 * kept while lists with the same first row are chosen.
 */
function useRead(table: ReadTable | null | undefined, name: string) {
  const [said, setSaid] = useState<{ key: string; is: FirstRow['is'] } | null>(null)
  const isAsked = useMemo(() => Boolean(table && !hasHeadings(table)), [table])
  const cells = table?.lines[0]?.cells ?? []
  const key = JSON.stringify(cells)
  const is = said?.key === key ? said.is : null
  const read = useMemo(() => {
    if (!table) return table
    if (!isAsked) return fromHeadings(table, name)
    if (is === null) return undefined
    return is === 'pupil' ? belowNoHeadings(table, name) : table
  }, [table, name, isAsked, is])
  const firstRow: FirstRow | null = isAsked && table ? { cells, count: table.lines.length, is } : null
  return { read, firstRow, sayFirstRow: (answer: FirstRow['is']) => setSaid({ key, is: answer }) }
}

/** Asks whether the first row has headings or a pupil; the answer can be changed. */
function FirstRowChoice({ of: { cells, count, is }, onSay }: { of: FirstRow; onSay: (is: FirstRow['is']) => void }) {
  const { t } = useTranslation(['students', 'app'])
  const text = firstOf(cells.filter(Boolean), MAX_SHOWN)
  return (
    <>
      <SelectField
        label={t('firstRow.is')}
        hint={is === null ? undefined : text}
        value={is ?? ''}
        onChange={({ target }) => onSay(target.value as FirstRow['is'])}
      >
        {is === null && <option value="">{t('app:action.choose')}</option>}
        <Options of={(['headings', 'pupil'] as const).map((id) => ({ id, name: t(`firstRow.${id}`) }))} />
      </SelectField>
      {is === null && <Notice tone="warn">{t('firstRow.open', { text })}</Notice>}
      {is === 'pupil' && <Notice tone="info">{t('firstRow.all', { count })}</Notice>}
    </>
  )
}

/** The column of each heading, guessed or chosen by the person. */
function useMapping(table: ReadTable | null | undefined) {
  const head = table ? headOf(table) : []
  const [chosen, setChosen] = useState<{ head: string; mapping: Mapping } | null>(null)
  // The choice is kept while a list with the same headings is pasted or chosen again.
  const key = JSON.stringify(head)
  const mapping = useMemo(() => (chosen?.head === key ? chosen.mapping : guessColumns(JSON.parse(key))), [key, chosen])
  const name = (at: number, column: Column | null) =>
    setChosen({ head: key, mapping: mapping.map((one, place) => (place === at ? column : one)) })
  return { mapping, name, key }
}

type Props = { report: ImportReport; yearId: string; onMade: () => void }

/** Classes of the list that the year does not have, each with its number of pupils, and a button that adds them. */
function MissingClasses({ report, yearId, onMade }: Props) {
  const { t } = useTranslation('students')
  const missing = missingClasses(report)
  const [leaders, setLeaders] = useState<Readonly<Record<string, string>>>({})
  const make = useMutation({
    mutationFn: async () => {
      for (const { name } of missing) {
        const classTeacherId = leaders[name]
        await client.classes.create({ body: { name, academicYearId: yearId, ...(classTeacherId && { classTeacherId }) } })
      }
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
      <div className={layout['columns']}>
        {missing.map(({ name }) => (
          <ClassTeacherField
            key={name}
            label={t('missing.teacherOf', { name })}
            value={leaders[name] ?? ''}
            onChange={(id) => setLeaders({ ...leaders, [name]: id })}
          />
        ))}
      </div>
      <FailureNotice failure={make.error} />
    </>
  )
}

/** The first rows as they will be read, so that a wrongly assigned column is seen before sending. */
function Preview({ table, mapping, days }: { table: ReadTable; mapping: Mapping; days: DaysRead }) {
  const { t } = useTranslation('students')
  const { columns, rows } = firstRows(table, mapping)
  if (columns.length === 0 || rows.length === 0) return null
  const shownText = (text: string, column: Column) => {
    if (column === 'gender' && (text === 'male' || text === 'female' || text === 'other')) return t(text)
    const value = isDayColumn(column) && !days.isOpen ? days.read(text) : null
    return value ? day(value) : text || '–'
  }
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
          cell: ({ texts }: (typeof rows)[number]) => shownText(texts[at] ?? '', column),
        }))}
      />
    </div>
  )
}

type ColumnChoiceProps = { table: ReadTable; mapping: Mapping; onName: (at: number, column: Column | null) => void }

/** Assigns the columns of the list; known headings are assigned already. */
function ColumnChoice({ table, mapping, onName }: ColumnChoiceProps) {
  const { t } = useTranslation('students')
  const { twice, isNobody } = faultsOf(mapping)
  const shown = headOf(table)
    .map((heading, at) => ({ at, heading, column: mapping[at] ?? null, examples: examplesOf(table, at) }))
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
