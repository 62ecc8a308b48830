import type { Report } from '@markbook/shared/contract/reports'
import { lacksApproval, waitsForApproval } from '@markbook/shared/domain/report-moves'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Badge, Notice } from '../../components/page.tsx'

type Approved = Pick<Report, 'status' | 'approved_at' | 'class_teacher_remark'>

/** What the school says of approvals, as the rules take it. */
export const useAsking = () => ({ approves_reports: useQuery(ask('schools', 'mine')).data?.approves_reports ?? null })

/** Says to a class teacher what the books still wait for before they can be published. */
export function ApprovalNotice({ books }: { books: readonly Approved[] }) {
  const { t } = useTranslation('reports')
  const asking = useAsking()
  const isOwn = !isAdmin(useProfile())
  const lacking = books.some((book) => book.status !== 'sent_to_ministry' && lacksApproval(asking, book))
  return isOwn && lacking ? <Notice>{t('approval.how')}</Notice> : null
}

/** Where a book stands with its approval, in a school that asks for one; nothing of what was sent. */
export function ApprovalBadge({ book }: { book: Approved }) {
  const { t } = useTranslation('reports')
  const asking = useAsking()
  if (asking.approves_reports !== true || book.status === 'sent_to_ministry') return null
  if (!lacksApproval(asking, book)) return <Badge tone="good">{t('approval.approved')}</Badge>
  return waitsForApproval(asking, book) ? <Badge tone="warn">{t('approval.waits')}</Badge> : <Badge>{t('approval.notYet')}</Badge>
}
