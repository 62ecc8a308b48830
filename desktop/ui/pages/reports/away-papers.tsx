import type { ReportPdf } from '@markbook/shared/contract/reports'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Badge, Notice } from '../../components/page.tsx'

/** A paper of which the row is here and the file is not, or which the server above has not got. */
export type Away = 'here' | 'school' | 'centre'

/** Where each paper of a book has not come to yet, by the paper's id. Files travel after their rows. */
export function useAwayPapers(reportId: string, isAny: boolean): ReadonlyMap<string, Away> {
  const above = useQuery(ask('replication', 'status')).data?.parent
  const files = useQuery({ ...ask('replication', 'files', { query: { reportId } }), enabled: isAny, refetchInterval: 10_000 })
  return new Map(files.data?.map(({ row_id, way }) => [row_id, way === 'to_come' ? 'here' : (above?.kind ?? 'centre')] as const))
}

/** Of the newest paper, which is the one that counts. */
export function AwayNotice({ pdfs, away }: { pdfs: readonly ReportPdf[]; away: ReadonlyMap<string, Away> }) {
  const { t } = useTranslation('reports')
  const newest = [...pdfs].sort((a, b) => (a.generated_at < b.generated_at ? 1 : -1))[0]
  const place = newest && away.get(newest.id)
  return place ? <Notice tone={place === 'here' ? 'warn' : 'info'}>{t(`paper.away.${place}`)}</Notice> : null
}

export function AwayBadge({ place }: { place: Away | undefined }) {
  const { t } = useTranslation('reports')
  return place ? <Badge tone={place === 'here' ? 'warn' : 'info'}>{t(`paper.notYet.${place}`)}</Badge> : null
}
