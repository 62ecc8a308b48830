import type { LaptopHoldings } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Notice } from '../../components/page.tsx'
import { moment } from '../../words/format.ts'

/** Says what a laptop still stores of a school, where the laptop or its person does not belong to it any more. */
export function HoldingsNotice({ holds }: { holds: LaptopHoldings }) {
  const { t } = useTranslation('sign-in')
  const { why, school, pupils, marks, as_of } = holds
  if (!why) return null
  const what = { school, pupils: t('holds.pupils', { count: pupils }), marks: t('holds.marks', { count: marks }) }
  return (
    <Notice tone="warn">
      <strong>{t(`holds.${why}`, { school })}</strong>
      <span>{as_of ? t('holds.asOf', { ...what, at: moment(as_of) }) : t('holds.still', what)}</span>
      <span>{t('holds.do')}</span>
    </Notice>
  )
}

/** The same on the pages before those of a school, for a person whose membership has ended. */
export function OwnHoldings() {
  const { data } = useQuery(ask('replication', 'holdings'))
  return data ? <HoldingsNotice holds={data} /> : null
}
