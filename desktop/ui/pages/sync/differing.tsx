import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { useTranslation } from 'react-i18next'
import { Card, Table } from '../../components/page.tsx'
import { moment } from '../../words/format.ts'
import { useEntityName } from './naming.ts'
import { Head } from './waiting-files.tsx'

type Difference = NonNullable<SyncStatus['difference']>

/** What this computer and the one above it did not hold alike, by what it is called at school; for some time also once it is mended. */
export function Differing({ difference: { found_at, healed_at, tables }, parent }: { difference: Difference; parent: string }) {
  const { t } = useTranslation('sync')
  const entityName = useEntityName()
  const title = t(healed_at ? 'differs.titleMended' : 'differs.title')
  return (
    <Card title={title}>
      <p>
        {healed_at
          ? t('differs.leadMended', { found: moment(found_at), healed: moment(healed_at) })
          : t('differs.lead', { parent, at: moment(found_at) })}
      </p>
      <Table label={title}>
        <Head columns={[t('what'), t('differs.here'), t('differs.there')]} />
        <tbody>
          {tables.map(({ entity, here, there }) => (
            <tr key={entity}>
              <th scope="row">{entityName(entity)}</th>
              <td>{here}</td>
              <td>{there}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}
