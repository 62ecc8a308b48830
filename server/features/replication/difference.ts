import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { limits } from '@markbook/shared/limits'
import type { KeptDifference } from '@markbook/shared/tables/replication'
import type { Peer } from '../../store/peer-row.ts'
import { ago } from './ago.ts'

type Compared = Pick<SyncStatus, 'compared_at' | 'difference'>

/** The result of comparing this node with its first parent, as far as it is reported now. */
export function comparisonOf(parents: readonly Peer[], nowMs: number): Compared {
  const [first] = parents
  if (!first) return { compared_at: null, difference: null }
  const { compared_at, difference } = first
  if (!difference || !isReported(difference, parents.length, nowMs)) return { compared_at, difference: null }
  const { found_at, healed_at, tables } = difference
  return {
    compared_at,
    difference: { found_at, healed_at, tables: tables.map(({ table, here, there }) => ({ entity: table, here, there })) },
  }
}

/**
 * Whether a difference is reported. The parents of a laptop may differ while one has not yet received the other's rows; only a lasting
 * difference is.
 */
function isReported({ found_at, healed_at }: KeptDifference, parents: number, nowMs: number): boolean {
  const { repairReportedMs, parentsDifferMs: between } = limits.sync.compare
  if (healed_at !== null && nowMs - Date.parse(healed_at) > repairReportedMs) return false
  const lasted = (healed_at === null ? nowMs : Date.parse(healed_at)) - Date.parse(found_at)
  return parents === 1 || lasted > between
}

/** Whether a difference is open. */
export const differs = ({ difference }: Pick<SyncStatus, 'difference'>): boolean => difference?.healed_at === null

/** The sentence about a difference, for the end of the status; empty without one. */
export function differenceSentence(
  { difference, parent, is_laptop }: Pick<SyncStatus, 'difference' | 'parent' | 'is_laptop'>,
  nowMs: number,
): string {
  if (!difference) return ''
  const name = parent?.name ?? 'its parent'
  if (difference.healed_at === null)
    return ` ${is_laptop ? 'This laptop' : 'This server'} and ${name} do not hold the same. They merge again by themselves; if it stays so for days, ask for help.`
  return ` A difference from ${name} was found ${ago(nowMs - Date.parse(difference.found_at))} ago, and is mended.`
}
