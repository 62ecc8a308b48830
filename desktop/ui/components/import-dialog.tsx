import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useContext, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReplyOf } from '../api/queries.ts'
import { enumerated } from '../words/format.ts'
import { Closing } from './closing.ts'
import { Dialog } from './dialog.tsx'
import { Form, SaveActions, TextField } from './field.tsx'
import { Badge, FailureNotice, Notice } from './page.tsx'
import { Table } from './table.tsx'
import { tell } from './toasts.tsx'

type Report = ReplyOf<'imports', 'students'>
type Issue = Report['rows'][number]['issues'][number]
/** The table's own names for a report. */
type TableNames = {
  /** The pupil of each row, where the table could be read. */
  pupils?: ReadonlyMap<number, string> | null | undefined
  /** The heading of a column that the server names by `path`. */
  headingOf?: (path: string) => string
}
type Props = TableNames & {
  title: string
  lead: ReactNode
  /** The source of the table: a template to download, a file to choose. */
  children: ReactNode
  /** The table to send; null while none is ready. With another one, the report of the previous table is removed. */
  table: File | null
  /** Shown beside the report: a way to correct what it found. `again` checks the table once more. */
  remedy?: ((report: Report, again: () => void) => ReactNode) | undefined
  /** Sends the table: a dry run reports every row and changes nothing, the other writes everything or nothing. */
  send: (form: FormData, dryRun: boolean) => Promise<Report>
  onDone: () => Promise<unknown>
}

/** Imports a table: first a dry run that reports each row, then all rows in one write. */
export function ImportDialog({ title, lead, children, table, remedy, send, onDone, ...names }: Props) {
  const { t } = useTranslation('app')
  const close = useContext(Closing)
  const sending = useMutation({
    mutationFn: async ({ of, dryRun }: { of: File; dryRun: boolean }) => {
      const form = new FormData()
      form.append('file', of)
      const report = await send(form, dryRun)
      if (dryRun || report.errors > 0) return report
      await onDone()
      tell(t('import.done'))
      close?.()
      return report
    },
  })
  const isBusy = sending.isPending
  const { data: report, error: failure } = sending.variables?.of === table ? sending : { data: undefined, error: null }
  const run = (dryRun: boolean) => table && sending.mutate({ of: table, dryRun })
  const writes = report?.errors === 0 ? report.created + report.updated : 0
  return (
    <Dialog wide title={title} lead={lead}>
      <Form onSend={() => run(writes === 0)}>
        {children}
        <FailureNotice failure={failure} />
        {isBusy && <p role="status">{t('import.looking')}</p>}
        {report && <Outcome {...names} report={report} remedy={remedy?.(report, () => run(true))} />}
        <SaveActions
          action={writes > 0 ? t('import.write', { count: writes }) : t('import.look')}
          disabled={!table}
          busy={isBusy}
          busyWord={t(sending.variables?.dryRun ? 'import.looking' : 'import.writing')}
        />
      </Form>
    </Dialog>
  )
}

const ACCEPTED = '.xlsx,.csv,.tsv,.txt,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export function TableFile({ onChoose }: { onChoose: (file: File | null) => void }) {
  const { t } = useTranslation('app')
  return <TextField label={t('import.file')} type="file" accept={ACCEPTED} onChange={({ target }) => onChoose(target.files?.[0] ?? null)} />
}

/** One fault as text, several as a list. */
function Faults({ issues }: { issues: readonly string[] }) {
  if (issues.length < 2) return issues[0]
  return (
    <ul>
      {issues.map((issue) => (
        <li key={issue}>{issue}</li>
      ))}
    </ul>
  )
}

/** The most rows of a report that are shown. */
const MAX_ROWS = 200

const outcomes = ['created', 'updated', 'unchanged', 'errors'] as const

function Outcome({ report, pupils, headingOf = (path) => path, remedy }: TableNames & { report: Report; remedy: ReactNode }) {
  const { t, i18n } = useTranslation('app')
  /** What is wrong with a cell: translated where the app has a sentence for it. */
  const sentence = ({ code, values, message }: Issue) =>
    code && i18n.exists(`import.fault.${code}`, { ns: 'app' }) ? t(`import.fault.${code as 'required'}`, { ...values }) : message
  /** The counts that are not 0: «2 new, 1 row that cannot be taken». */
  const counts = outcomes.flatMap((outcome) => (report[outcome] > 0 ? [t(`import.count.${outcome}`, { count: report[outcome] })] : []))
  const top = useRef<HTMLDivElement>(null)
  // The report is below the fields of the form.
  useEffect(() => {
    if (report) top.current?.scrollIntoView({ block: 'nearest' })
  }, [report])
  // Faults first; unchanged rows are not listed.
  const listed = [
    ...report.rows.filter(({ action }) => action === 'error'),
    ...report.rows.filter(({ action }) => action === 'create' || action === 'update'),
  ]
  const { created, updated, errors } = report
  return (
    <>
      <div ref={top}>
        <Notice tone={errors > 0 ? 'bad' : 'good'}>
          {counts.length > 0 && `${enumerated(counts)}.`} {errors > 0 && t('import.fix')}
          {errors + created + updated === 0 && t('import.nothing')}
        </Notice>
        {remedy}
      </div>
      {listed.length > 0 && (
        <Table
          label={t('import.what')}
          rows={listed.slice(0, MAX_ROWS)}
          keyOf={({ row }) => row}
          columns={[
            { head: t('import.row'), cell: ({ row }) => (row === 1 ? t('import.heading') : row) },
            pupils != null && { head: t('import.pupil'), cell: ({ row }) => pupils.get(row) ?? '' },
            {
              head: t('import.what'),
              cell: ({ action, issues }) => (
                <>
                  <Badge tone={action === 'error' ? 'bad' : 'good'}>{t(`import.${action}`)}</Badge>{' '}
                  <Faults issues={issues.map((issue) => t('import.column', { column: headingOf(issue.path), message: sentence(issue) }))} />
                </>
              ),
            },
          ]}
        />
      )}
      {listed.length > MAX_ROWS && <p>{t('import.rest', { count: listed.length - MAX_ROWS })}</p>}
    </>
  )
}
