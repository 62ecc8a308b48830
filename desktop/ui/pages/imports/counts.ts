import type { ImportReport } from '@markbook/shared/contract/imports'
import { useTranslation } from 'react-i18next'
import { enumerated } from '../../words/format.ts'

const outcomes = ['created', 'updated', 'unchanged', 'errors', 'awaitsClass'] as const
type Counts = Pick<ImportReport, 'created' | 'updated' | 'unchanged' | 'errors'> & { awaitsClass?: number }

/** Returns a function that lists the counts above 0: «2 new, 1 row that cannot be taken». */
export function useCounts(): (report: Counts) => string {
  const { t } = useTranslation('app')
  return (report) => {
    const counts = outcomes.flatMap((outcome) => {
      const count = report[outcome] ?? 0
      return count > 0 ? [t(`import.count.${outcome}`, { count })] : []
    })
    return counts.length > 0 ? `${enumerated(counts)}.` : ''
  }
}
