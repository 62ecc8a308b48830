import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReplyOf } from '../api/queries.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Actions, Form, TextField } from './field.tsx'
import { Badge, FailureNotice, Notice, Table } from './page.tsx'
import { useToasts } from './toasts.tsx'

type Report = ReplyOf<'imports', 'students'>
type Props = {
  title: string
  lead: ReactNode
  /** Above the file: an empty table to download, say. */
  children?: ReactNode
  /** Sends the table: a dry run reports every row and changes nothing, the other writes everything or nothing. */
  send: (form: FormData, dryRun: boolean) => Promise<Report>
  onDone: () => Promise<unknown>
  onClose: () => void
}

/** A table of the school into the service: first what would happen, row by row, then all of it at once. */
export function ImportDialog({ title, lead, children, send, onDone, onClose }: Props) {
  const { t } = useTranslation('app')
  const { tell } = useToasts()
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<Report | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const run = async (dryRun: boolean) => {
    if (!file) return
    setBusy(true)
    setFailure(null)
    try {
      const form = new FormData()
      form.append('file', file)
      const answer = await send(form, dryRun)
      setReport(answer)
      if (dryRun || answer.errors > 0) return
      await onDone()
      tell(t('import.done'))
      onClose()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const writes = report && report.errors === 0 ? report.created + report.updated : 0
  return (
    <Dialog open wide title={title} lead={lead} onClose={onClose}>
      {children}
      <Form onSend={() => void run(writes === 0)}>
        <TextField
          label={t('import.file')}
          type="file"
          accept=".xlsx,.csv,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
          onChange={({ target }) => {
            setFile(target.files?.[0] ?? null)
            setReport(null)
            setFailure(null)
          }}
        />
        <FailureNotice failure={failure} />
        {isBusy && <p role="status">{t('import.looking')}</p>}
        {report && <Outcome report={report} />}
        <Actions>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" look="primary" disabled={!file} busy={isBusy}>
            {writes > 0 ? t('import.write', { count: writes }) : t('import.look')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

/** The first of a long table: whoever corrects 200 rows begins at the top. */
const SHOWN = 200

function Outcome({ report }: { report: Report }) {
  const { t } = useTranslation('app')
  // What is wrong comes first, what stays as it is does not take room.
  const told = [
    ...report.rows.filter(({ action }) => action === 'error'),
    ...report.rows.filter(({ action }) => action === 'create' || action === 'update'),
  ]
  const { created, updated, unchanged, errors } = report
  return (
    <>
      <Notice tone={errors > 0 ? 'bad' : 'good'}>
        {t('import.counts', { created, updated, unchanged, errors })} {errors > 0 && t('import.fix')}
        {errors + created + updated === 0 && t('import.nothing')}
      </Notice>
      {told.length > 0 && (
        <Table label={t('import.what')}>
          <thead>
            <tr>
              <th scope="col">{t('import.row')}</th>
              <th scope="col">{t('import.what')}</th>
            </tr>
          </thead>
          <tbody>
            {told.slice(0, SHOWN).map(({ row, action, issues }) => (
              <tr key={row}>
                <th scope="row">{row === 1 ? t('import.heading') : row}</th>
                <td>
                  <Badge tone={action === 'error' ? 'bad' : 'good'}>{t(`import.${action}`)}</Badge>{' '}
                  {issues.map(({ path, message }) => t('import.column', { column: path, message })).join('; ')}
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
