import type { ClassTerm } from '@markbook/shared/contract/calculations'
import type { GradingScale } from '@markbook/shared/contract/grading-scale'
import { useTranslation } from 'react-i18next'
import { Card, Empty } from '../../components/page.tsx'
import { subjectsOf } from './comparison.ts'
import { distributionOf, spreadOf } from './distribution.ts'
import { Histogram } from './histogram.tsx'
import { SpreadChart } from './spread-chart.tsx'
import { SubjectChoice } from './subject-choice.tsx'
import { useResultsSearch } from './use-results-search.ts'

/** The results as drawings: how they lie in the bands of the scale, and the subjects beside one another. */
export function ChartsView({ result, scale }: { result: ClassTerm; scale: GradingScale }) {
  const { t } = useTranslation('results')
  const { search } = useResultsSearch()
  const subjects = subjectsOf(result)
  const subject = subjects.find(({ id }) => id === search.subject)
  const resultsIn = (subjectId: string) =>
    result.students.map((student) => student.subjects.find(({ subject_id }) => subject_id === subjectId)?.term_composite ?? null)
  const shown = subject ? resultsIn(subject.id) : result.students.map(({ overall_average }) => overall_average)
  const spreads = subjects.map(({ id, name }) => ({ id, name, spread: spreadOf(resultsIn(id)) }))
  if (subjects.length === 0) return <Empty>{t('nothing')}</Empty>
  return (
    <>
      <Card title={t('chart.distribution')} actions={<SubjectChoice subjects={subjects} all={t('overall')} />}>
        <Histogram
          title={t('chart.distributionOf', { subject: subject?.name ?? t('overall') })}
          bins={distributionOf(shown, scale.bands, scale.pass_mark)}
        />
      </Card>
      <Card title={t('chart.subjects')}>
        <SpreadChart title={t('chart.subjects')} subjects={spreads} passMark={scale.pass_mark} />
      </Card>
    </>
  )
}
