import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../api/queries.ts'
import { isAdmin, useProfile } from '../api/session.ts'
import { type OpenWork, type SyncSummary, syncSummaryOf } from './sync-summary.ts'

/** The open work of the school for an administrator, of their own for a teacher. */
export function useOpenWork(status: SyncStatus | null | undefined): OpenWork {
  const all = isAdmin(useProfile())
  const { open_conflicts = 0, refused = 0, refused_below = 0, held = 0, copies = 0 } = status ?? {}
  const own = useQuery({ ...ask('replication', 'conflicts', { query: { status: 'open' } }), enabled: !all && open_conflicts > 0 })
  const notTaken = useQuery({ ...ask('replication', 'refused'), enabled: !all && refused + refused_below > 0 })
  if (all) return { decisions: open_conflicts, stuck: held + refused, below: refused_below, copies }
  const unseen = notTaken.data?.filter(({ seen_at }) => seen_at === null) ?? []
  return {
    decisions: open_conflicts > 0 ? (own.data?.filter(({ may_decide }) => may_decide).length ?? 0) : 0,
    stuck: refused > 0 ? unseen.filter(({ from }) => from === null).length : 0,
    below: refused_below > 0 ? unseen.filter(({ from }) => from !== null).length : 0,
    // Only an administrator can revoke a copied computer.
    copies: 0,
  }
}

/** The most important fact about replication for this person; null while the status is unknown. */
export function useSyncSummary(status: SyncStatus | null | undefined): SyncSummary | null {
  const { t } = useTranslation('sync')
  const work = useOpenWork(status)
  return status ? syncSummaryOf(t, status, work, Date.now()) : null
}
