import type { WaitingFile } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Answer, Card, Table } from '../../components/page.tsx'
import styles from './sync.module.css'

/** The frame hears every change of the status; lists are looked at again beside it. */
export const EVERY = 10_000

export const Head = ({ columns }: { columns: readonly string[] }) => (
  <thead>
    <tr>
      {columns.map((column) => (
        <th key={column} scope="col">
          {column}
        </th>
      ))}
    </tr>
  </thead>
)

/** What a row's file is called at school. */
const KINDS = ['report_book_pdf', 'class_report_file', 'user_profile', 'school'] as const
const kindOf = ({ entity }: WaitingFile) => KINDS.find((kind) => kind === entity) ?? 'other'

/** Papers and pictures travel after the marks; which of them, and which way. */
export function WaitingFiles() {
  const { t } = useTranslation('sync')
  const files = useQuery({ ...ask('replication', 'files'), refetchInterval: EVERY })
  return (
    <Card title={t('files')}>
      <p>{t('filesLead')}</p>
      <Answer of={files} empty={t('filesNone')}>
        {(rows) => (
          <Table label={t('files')}>
            <Head columns={[t('what'), t('way'), t('tries')]} />
            <tbody>
              {rows.map((file) => (
                <tr key={`${file.entity} ${file.row_id}`}>
                  <th scope="row">
                    {t(`file.${kindOf(file)}`)} <span className={styles['where']}>{file.where}</span>
                  </th>
                  <td>{t(file.way)}</td>
                  <td>{file.tries}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Answer>
    </Card>
  )
}
