import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Notice } from '../../components/page.tsx'
import { isSentNowhere } from '../../frame/sync-status.ts'

/** Whether nobody gets the books that are sent, since this is a school's server without a centre. */
function useSentNowhere(): boolean {
  const { data } = useQuery(ask('replication', 'status'))
  return data !== undefined && isSentNowhere(data)
}

/** Says before books are sent from a school's server without a centre that nobody gets them. */
export function SentNowhere() {
  const { t } = useTranslation('reports')
  return useSentNowhere() ? <Notice tone="warn">{t('send.nowhere')}</Notice> : null
}
