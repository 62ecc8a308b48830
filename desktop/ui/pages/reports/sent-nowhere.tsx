import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Notice } from '../../components/page.tsx'

/** Says before books are sent from a school's server without a centre that nobody gets them. */
export function SentNowhere() {
  const { t } = useTranslation('reports')
  const { data } = useQuery(ask('replication', 'status'))
  return data?.state === 'alone' && data.may_join ? <Notice tone="warn">{t('send.nowhere')}</Notice> : null
}
