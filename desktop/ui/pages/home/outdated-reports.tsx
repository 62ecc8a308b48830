import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { useOutdatedCounts } from '../reports/book-queries.ts'

export type OutdatedReports = { classId: string; type: 'term' | 'year_end'; count: number }

/** The number of report books of a class that are older than the marks, with a link to them. */
export function OutdatedReportsLink({ reports: { classId, type, count }, name }: { reports: OutdatedReports; name: string }) {
  const { t } = useTranslation(['home', 'app'])
  return (
    <Link
      to="/reports/$classId"
      params={{ classId }}
      search={{ ...(type === 'year_end' && { type }) }}
      aria-label={`${t('app:label', { label: name })} ${t(`behind.${type}`, { count })}`}
    >
      {t(`behind.${type}`, { count })}
    </Link>
  )
}

/** The report books of these classes that are older than the marks; classes that are still loading are left out. */
export function useOutdatedReports(classIds: readonly string[]): OutdatedReports[] {
  const { year, term } = useChosenTerm()
  const types = year?.grading_model === 'year_based' ? (['term', 'year_end'] as const) : (['term'] as const)
  const scopes = term ? classIds.flatMap((classId) => types.map((type) => ({ classId, termId: term.id, type }))) : []
  const counts = useOutdatedCounts(scopes)
  return scopes.flatMap(({ classId, type }, at) => {
    const count = counts[at] ?? 0
    return count > 0 ? [{ classId, type, count }] : []
  })
}
