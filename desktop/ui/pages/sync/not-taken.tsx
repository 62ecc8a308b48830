import type { RefusedWrite } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Answer, Card, FailureNotice, Table } from '../../components/page.tsx'
import { moment } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { useEntityName, useRefusal } from './naming.ts'
import styles from './sync.module.css'
import { ToldValue } from './told-value.tsx'
import { EVERY, Head } from './waiting-files.tsx'

type From = RefusedWrite['from']

/** What was not taken and nobody has put aside: of this computer by the one above it, and by this one of each that sends to it. */
export function NotTaken() {
  const refused = useQuery({ ...ask('replication', 'refused'), refetchInterval: EVERY })
  return (
    <Answer of={refused}>
      {(rows) => byComputer(rows.filter(isUnseen)).map(([from, own]) => <NotTakenFrom key={from?.id ?? 'here'} from={from} rows={own} />)}
    </Answer>
  )
}

const isUnseen = ({ seen_at }: RefusedWrite) => seen_at === null

function byComputer(rows: readonly RefusedWrite[]): [From, RefusedWrite[]][] {
  const groups = new Map<string | null, [From, RefusedWrite[]]>()
  for (const row of rows) {
    const key = row.from?.id ?? null
    const group = groups.get(key) ?? [row.from, []]
    group[1].push(row)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function NotTakenFrom({ from, rows }: { from: From; rows: readonly RefusedWrite[] }) {
  const { t } = useTranslation('sync')
  const entityName = useEntityName()
  const seen = useSave('replication', 'seen')
  const refusal = useRefusal(from ? 'refusalHere' : 'refusal')
  const title = useTitle(from)
  return (
    <Card title={title}>
      <p>{from ? t('notTaken.lead', { node: from.name ?? t('elsewhere') }) : t('refusedLead')}</p>
      <FailureNotice failure={seen.error} />
      <Table label={title}>
        <Head columns={[t('what'), t('column.value'), t('who'), t('when'), t('why'), t('putAside')]} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                {entityName(row.entity)} <span className={styles['where']}>{row.where}</span>
              </th>
              <td>
                <Written row={row} />
              </td>
              <td>{row.actor ? nameOf(row.actor) : t('service')}</td>
              <td>{moment(row.at)}</td>
              <td>{refusal(row.code)}</td>
              <td>
                <Button size="small" disabled={seen.isPending} onClick={() => seen.mutate({ params: { id: row.id } })}>
                  {t('seenIt')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

/** A laptop is called by whose it is; the name of the machine is for whoever looks for it. */
function useTitle(from: From): string {
  const { t } = useTranslation('sync')
  if (!from) return t('refused')
  return from.user ? t('notTaken.ofLaptop', { name: nameOf(from.user) }) : t('notTaken.ofServer', { node: from.name ?? t('elsewhere') })
}

/** What could not be read, and what stands for more, says nothing of a value. */
function Written({ row: { code, value, out_of } }: { row: RefusedWrite }) {
  const { t } = useTranslation('sync')
  if (code === 'malformed' || code === 'more') return null
  if (value === null) return t('deleted')
  return Object.keys(value).length === 0 ? t('notTaken.tooLong') : <ToldValue value={value} outOf={out_of} />
}
