import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReplyOf } from '../api/queries.ts'
import { enumerated } from '../words/format.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Actions, Form, TextField } from './field.tsx'
import { Badge, FailureNotice, Notice, Table } from './page.tsx'
import { useToasts } from './toasts.tsx'

type Report = ReplyOf<'imports', 'students'>
/** How a report speaks of the table: whom a row is about, and what stands above the column that the server calls so. */
export type Spoken = { pupilOf: (row: number) => string; headingOf: (path: string) => string }

type Issue = Report['rows'][number]['issues'][number]
type Props = {
  title: string
  lead: ReactNode
  /** Where the table comes from: an empty one to download, a file to choose. */
  children: ReactNode
  /** The table to send; null while there is none that could be. Another function is another table, and what was said of the one before goes. */
  table: (() => File) | null
  spoken?: Spoken | undefined
  /** What can be done about what the report says, beside it: `again` looks at the table once more. */
  remedy?: ((report: Report, again: () => void) => ReactNode) | undefined
  /** Sends the table: a dry run reports every row and changes nothing, the other writes everything or nothing. */
  send: (form: FormData, dryRun: boolean) => Promise<Report>
  onDone: () => Promise<unknown>
  onClose: () => void
}
type Answered = { of: Props['table']; report: Report | null; failure: unknown }

/** A table of the school into the service: first what would happen, row by row, then all of it at once. */
export function ImportDialog({ title, lead, children, table, spoken, remedy, send, onDone, onClose }: Props) {
  const { t } = useTranslation('app')
  const { tell } = useToasts()
  const [answered, setAnswered] = useState<Answered | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [isWriting, setWriting] = useState(false)
  const { report, failure } = answered?.of === table && answered ? answered : { report: null, failure: null }
  const run = async (dryRun: boolean) => {
    if (!table) return
    setBusy(true)
    setWriting(!dryRun)
    setAnswered(null)
    try {
      const form = new FormData()
      form.append('file', table())
      const answer = await send(form, dryRun)
      setAnswered({ of: table, report: answer, failure: null })
      if (dryRun || answer.errors > 0) return
      await onDone()
      tell(t('import.done'))
      onClose()
    } catch (error) {
      setAnswered({ of: table, report: null, failure: error })
    } finally {
      setBusy(false)
    }
  }
  const writes = report && report.errors === 0 ? report.created + report.updated : 0
  return (
    <Dialog open wide title={title} lead={lead} onClose={onClose}>
      <Form onSend={() => void run(writes === 0)}>
        {children}
        <FailureNotice failure={failure} />
        {isBusy && <p role="status">{t('import.looking')}</p>}
        {report && <Outcome report={report} spoken={spoken} remedy={remedy?.(report, () => void run(true))} />}
        <Actions>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            look="primary"
            disabled={!table}
            busy={isBusy}
            busyWord={t(isWriting ? 'import.writing' : 'import.looking')}
          >
            {writes > 0 ? t('import.write', { count: writes }) : t('import.look')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

const ACCEPTED = '.xlsx,.csv,.tsv,.txt,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export function TableFile({ onChoose }: { onChoose: (file: File | null) => void }) {
  const { t } = useTranslation('app')
  return <TextField label={t('import.file')} type="file" accept={ACCEPTED} onChange={({ target }) => onChoose(target.files?.[0] ?? null)} />
}

/** One in its line, several under each other. */
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

/** The first of a long table: whoever corrects 200 rows begins at the top. */
const SHOWN = 200

/** What is wrong with a cell, in the language of whoever reads it where the app has the sentence. */
function useFaultSentence(): (issue: Issue) => string {
  const { t, i18n } = useTranslation('app')
  return ({ code, values, message }) =>
    code && i18n.exists(`import.fault.${code}`, { ns: 'app' }) ? t(`import.fault.${code as 'required'}`, { ...values }) : message
}

/** Only what there is: «2 new, 1 row cannot be taken». */
function useCounts(): (report: Report) => string {
  const { t } = useTranslation('app')
  return ({ created, updated, unchanged, errors }) =>
    enumerated([
      ...(created > 0 ? [t('import.count.created', { count: created })] : []),
      ...(updated > 0 ? [t('import.count.updated', { count: updated })] : []),
      ...(unchanged > 0 ? [t('import.count.unchanged', { count: unchanged })] : []),
      ...(errors > 0 ? [t('import.count.errors', { count: errors })] : []),
    ])
}

function Outcome({ report, spoken, remedy }: { report: Report; spoken: Spoken | undefined; remedy: ReactNode }) {
  const { t } = useTranslation('app')
  const sentence = useFaultSentence()
  const counts = useCounts()
  const top = useRef<HTMLDivElement>(null)
  // It stands below the columns of the list: whoever pressed sees what came of it.
  useEffect(() => {
    if (report) top.current?.scrollIntoView({ block: 'nearest' })
  }, [report])
  // What is wrong comes first, what stays as it is does not take room.
  const told = [
    ...report.rows.filter(({ action }) => action === 'error'),
    ...report.rows.filter(({ action }) => action === 'create' || action === 'update'),
  ]
  const { created, updated, unchanged, errors } = report
  return (
    <>
      <div ref={top}>
        <Notice tone={errors > 0 ? 'bad' : 'good'}>
          {errors + created + updated + unchanged > 0 && `${counts(report)}.`} {errors > 0 && t('import.fix')}
          {errors + created + updated === 0 && t('import.nothing')}
        </Notice>
        {remedy}
      </div>
      {told.length > 0 && (
        <Table label={t('import.what')}>
          <thead>
            <tr>
              <th scope="col">{t('import.row')}</th>
              {spoken && <th scope="col">{t('import.pupil')}</th>}
              <th scope="col">{t('import.what')}</th>
            </tr>
          </thead>
          <tbody>
            {told.slice(0, SHOWN).map(({ row, action, issues }) => (
              <tr key={row}>
                <th scope="row">{row === 1 ? t('import.heading') : row}</th>
                {spoken && <td>{spoken.pupilOf(row)}</td>}
                <td>
                  <Badge tone={action === 'error' ? 'bad' : 'good'}>{t(`import.${action}`)}</Badge>{' '}
                  <Faults
                    issues={issues.map((issue) =>
                      t('import.column', { column: spoken?.headingOf(issue.path) ?? issue.path, message: sentence(issue) }),
                    )}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {told.length > SHOWN && <p>{t('import.rest', { count: told.length - SHOWN })}</p>}
    </>
  )
}
