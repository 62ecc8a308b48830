import type { ClassSummary } from '@markbook/shared/contract/calculations'
import { useTranslation } from 'react-i18next'
import { Card, numberCell, Table } from '../../components/page.tsx'
import { figure, percent } from '../../words/format.ts'
import styles from './results.module.css'

type Figures = Pick<
  ClassSummary,
  | 'total_students'
  | 'ranked_students'
  | 'class_average'
  | 'median'
  | 'highest'
  | 'lowest'
  | 'pass_count'
  | 'fail_count'
  | 'pass_rate'
  | 'distribution'
>
const rate = (value: number | null) => (value === null ? '–' : percent(value))

/** The class in figures: as a whole, by subject, by letter, by gender. */
export function SummaryView({ summary }: { summary: ClassSummary }) {
  const { t } = useTranslation('results')
  const tiles = [
    ['pupils', `${summary.ranked_students} / ${summary.total_students}`],
    ['mean', figure(summary.class_average)],
    ['median', figure(summary.median)],
    ['highest', figure(summary.highest)],
    ['lowest', figure(summary.lowest)],
    ['passRate', rate(summary.pass_rate)],
  ] as const
  return (
    <>
      <dl className={styles['tiles']}>
        {tiles.map(([word, value]) => (
          <div key={word} className={styles['tile']}>
            <dt>{t(`summary.${word}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Card title={t('summary.bySubject')}>
        <BySubject summary={summary} />
      </Card>
      <Card title={t('summary.byGender')}>
        <ByGender summary={summary} />
      </Card>
    </>
  )
}

function BySubject({ summary }: { summary: ClassSummary }) {
  const { t } = useTranslation('results')
  const letters = summary.distribution.map(({ letter }) => letter)
  const rows: (Figures & { key: string; name: string })[] = [
    ...summary.subjects.map((subject) => ({ ...subject, key: subject.subject_id, name: subject.subject_name })),
    { ...summary, key: 'overall', name: t('overall') },
  ]
  const heads = ['pupils', 'mean', 'median', 'highest', 'lowest', 'passed', 'passRate'] as const
  return (
    <Table label={t('summary.bySubject')}>
      <thead>
        <tr>
          <th scope="col" className={styles['head']}>
            {t('subject')}
          </th>
          {heads.map((head) => (
            <th key={head} scope="col" className={numberCell}>
              {t(`summary.${head}`)}
            </th>
          ))}
          {letters.map((letter) => (
            <th key={letter} scope="col" className={numberCell}>
              {letter}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row" className={styles['head']}>
              {row.name}
            </th>
            <td className={numberCell}>{row.ranked_students}</td>
            {[row.class_average, row.median, row.highest, row.lowest].map((value, at) => (
              <td key={heads[at + 1]} className={numberCell}>
                {figure(value)}
              </td>
            ))}
            <td className={numberCell}>{row.pass_count}</td>
            <td className={numberCell}>{rate(row.pass_rate)}</td>
            {letters.map((letter) => (
              <td key={letter} className={numberCell}>
                {row.distribution.find((one) => one.letter === letter)?.count ?? 0}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function ByGender({ summary }: { summary: ClassSummary }) {
  const { t } = useTranslation('results')
  return (
    <Table label={t('summary.byGender')}>
      <thead>
        <tr>
          <th scope="col">{t('summary.gender')}</th>
          <th scope="col" className={numberCell}>
            {t('summary.pupils')}
          </th>
          <th scope="col" className={numberCell}>
            {t('summary.mean')}
          </th>
          <th scope="col" className={numberCell}>
            {t('summary.passRate')}
          </th>
        </tr>
      </thead>
      <tbody>
        {summary.by_gender.map(({ gender, count, class_average, pass_rate }) => (
          <tr key={gender}>
            <th scope="row">{t(`gender.${gender}`)}</th>
            <td className={numberCell}>{count}</td>
            <td className={numberCell}>{figure(class_average)}</td>
            <td className={numberCell}>{rate(pass_rate)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
