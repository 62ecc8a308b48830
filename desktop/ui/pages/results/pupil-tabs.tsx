import { useTranslation } from 'react-i18next'
import { ViewTabs } from './class-page.tsx'
import type { PupilSearch } from './results-search.ts'

const views = ['all', 'term', 'year'] as const
type View = (typeof views)[number]
type Props = { shown: View; studentId: string; classId: string }

/** The tabs of a pupil's pages: overview, results of the term, results of the year. */
export function PupilTabs({ shown, studentId, classId }: Props) {
  const { t } = useTranslation('results')
  const linkOf = (view: View) =>
    view === 'all'
      ? { to: '/students/$studentId' as const, params: { studentId } }
      : {
          to: '/results/$classId/students/$studentId' as const,
          params: { classId, studentId },
          search: (view === 'year' ? { view } : {}) as PupilSearch,
        }
  return (
    <ViewTabs
      label={t('views.label')}
      views={views}
      shown={shown}
      textOf={(view) => (view === 'all' ? t('views.all') : t(`views.${view}`))}
      linkOf={linkOf}
    />
  )
}
