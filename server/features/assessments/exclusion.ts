import type { ExclusionInput } from '@markbook/shared/contract/assessments'
import type { z } from 'zod'

type Exclusion = { is_excluded: boolean; exclusion_reason: string | null }

/** The columns after an exclusion: the reason goes with it, and stays where a row that is left out is left out again without one. */
export function exclusionAfter(row: Exclusion, { isExcluded, exclusionReason }: z.output<typeof ExclusionInput>): Exclusion {
  if (!isExcluded) return { is_excluded: false, exclusion_reason: null }
  return { is_excluded: true, exclusion_reason: exclusionReason === undefined ? row.exclusion_reason : exclusionReason }
}
