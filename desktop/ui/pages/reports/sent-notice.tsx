import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { askWhole } from '../../api/queries.ts'
import { Notice } from '../../components/page.tsx'

/** Says on a page of marks that report books of the class were sent: a changed mark will not be in them. */
export function SentNotice({ classId, termId }: { classId: string; termId: string }) {
  const { t } = useTranslation('reports')
  const entries = useQuery(askWhole('reports', 'entries', { query: { studentGroupId: classId, termId, reportType: 'term' } }))
  const sent = new Set(entries.data?.flatMap(({ report_book_id, status }) => (status === 'sent_to_ministry' ? [report_book_id] : [])))
  return sent.size > 0 ? <Notice>{t('sentNotice.marks', { count: sent.size })}</Notice> : null
}
