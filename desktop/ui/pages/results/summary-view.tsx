import type { ClassSummary } from '@markbook/shared/contract/calculations'
import { mayShowByGender } from '@markbook/shared/domain/summary'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Answer, Card, Facts } from '../../components/page.tsx'
import { type Column, figureColumn, Table } from '../../components/table.tsx'
import { figure, percent } from '../../words/format.ts'
import styles from './results.module.css'

type Figures = Omit<ClassSummary['subjects'][number], 'subject_id' | 'subject_name' | 'subject_code'>
const rate = (value: number | null) => (value === null ? '–' : percent(value))

const figures = [
  ['mean', 'class_average'],
  ['median', 'median'],
  ['highest', 'highest'],
  ['lowest', 'lowest'],
] as const

/** The statistics of a class: overall, by subject and letter, and by gender. */
export function SummaryView({ classId, termId }: { classId: string; termId: string }) {
  const { t } = useTranslation('results')
  const query = useQuery(ask('calculations', 'classSummary', { query: { termId, studentGroupId: classId } }))
  return (
    <Answer of={query}>
      {(summary) => (
        <>
          <Facts
            className={styles['tiles']}
            of={[
              [t('summary.pupils'), `${summary.ranked_students} / ${summary.total_students}`],
              ...figures.map(([word, of]) => [t(`summary.${word}`), figure(summary[of])] as const),
              [t('summary.passRate'), rate(summary.pass_rate)],
            ]}
          />
          <Card title={t('summary.bySubject')}>
            <BySubject summary={summary} />
          </Card>
          <Card title={t('summary.byGender')}>
            {mayShowByGender(summary.by_gender.map(({ count }) => count)) ? (
              <Table
                label={t('summary.byGender')}
                rows={summary.by_gender}
                keyOf={({ gender }) => gender}
                columns={[
                  { head: t('summary.gender'), cell: ({ gender }) => t(`gender.${gender}`) },
                  { head: t('summary.pupils'), look: 'number', cell: ({ count }) => count },
                  { head: t('summary.mean'), look: 'number', cell: (row) => figure(row.class_average) },
                  { head: t('summary.passRate'), look: 'number', cell: (row) => rate(row.pass_rate) },
                ]}
              />
            ) : (
              <p>{t('summary.fewOfGender')}</p>
            )}
          </Card>
        </>
      )}
    </Answer>
  )
}

type SummaryRow = Figures & { key: string; name: string }

function BySubject({ summary }: { summary: ClassSummary }) {
  const { t } = useTranslation('results')
  const rows: SummaryRow[] = [
    ...summary.subjects.map((subject) => ({ ...subject, key: subject.subject_id, name: subject.subject_name })),
    { ...summary, key: 'overall', name: t('overall') },
  ]
  const columns: Column<SummaryRow>[] = [
    { head: t('subject'), className: styles['head'], cell: ({ name }) => name },
    { head: t('summary.pupils'), look: 'number', cell: (row) => row.ranked_students },
    ...figures.map(([word, of]) => figureColumn(t(`summary.${word}`), (row: SummaryRow) => row[of])),
    { head: t('summary.passed'), look: 'number', cell: (row) => row.pass_count },
    { head: t('summary.passRate'), look: 'number', cell: (row) => rate(row.pass_rate) },
    ...summary.distribution.map(({ letter }) => ({
      head: letter,
      look: 'number' as const,
      cell: ({ distribution }: SummaryRow) => distribution.find((one) => one.letter === letter)?.count ?? 0,
    })),
  ]
  return <Table label={t('summary.bySubject')} columns={columns} rows={rows} keyOf={({ key }) => key} />
}
