import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'

/** Says in the line under a grid that report books of the class were sent: a changed mark will not be in them. */
export function SentNotice({ classId, termId }: { classId: string; termId: string }) {
  const { t } = useTranslation('reports')
  const { data } = useQuery(ask('reports', 'sent', { query: { studentGroupId: classId, termId, reportType: 'term' } }))
  return data && data.sent > 0 ? <strong role="status">{t('sentNotice.marks', { count: data.sent })}</strong> : null
}
