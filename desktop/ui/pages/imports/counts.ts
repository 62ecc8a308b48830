import type { ImportReport } from '@markbook/shared/contract/imports'
import { useTranslation } from 'react-i18next'
import { enumerated } from '../../words/format.ts'

const outcomes = ['created', 'updated', 'unchanged', 'errors'] as const

/** Returns a function that lists the counts above 0: «2 new, 1 row that cannot be taken». */
export function useCounts(): (report: Pick<ImportReport, (typeof outcomes)[number]>) => string {
  const { t } = useTranslation('app')
  return (report) => {
    const counts = outcomes.flatMap((outcome) => (report[outcome] > 0 ? [t(`import.count.${outcome}`, { count: report[outcome] })] : []))
    return counts.length > 0 ? `${enumerated(counts)}.` : ''
  }
}
