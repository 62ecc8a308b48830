import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Notice } from '../../components/page.tsx'

/** A grid may be open while a class teacher sends the books. */
const POLL_MS = 60_000

/** Says on a page of marks that report books of the class were sent: a changed mark will not be in them. */
export function SentNotice({ classId, termId }: { classId: string; termId: string }) {
  const { t } = useTranslation('reports')
  const { data } = useQuery({
    ...ask('reports', 'sent', { query: { studentGroupId: classId, termId, reportType: 'term' } }),
    refetchInterval: POLL_MS,
  })
  return data && data.sent > 0 ? <Notice>{t('sentNotice.marks', { count: data.sent })}</Notice> : null
}
