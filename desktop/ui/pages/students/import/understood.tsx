import { useTranslation } from 'react-i18next'
import { Table } from '../../../components/page.tsx'
import { firstRows, type Mapping } from './mapping.ts'
import type { ReadTable } from './table.ts'

/** The first rows as they will be read, so that a column that was taken for another is seen before anything is sent. */
export function Understood({ table, mapping }: { table: ReadTable; mapping: Mapping }) {
  const { t } = useTranslation('students')
  const { columns, rows } = firstRows(table, mapping)
  if (columns.length === 0 || rows.length === 0) return null
  const genderAt = columns.indexOf('gender')
  const said = (text: string, at: number) =>
    at === genderAt && (text === 'male' || text === 'female' || text === 'other') ? t(text) : text || '–'
  return (
    <div>
      <p>{t('columns.understood')}</p>
      <Table label={t('columns.understood')}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {t(`columns.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, texts }) => (
            <tr key={row}>
              {columns.map((column, at) => (
                <td key={column}>{said(texts[at] ?? '', at)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}
