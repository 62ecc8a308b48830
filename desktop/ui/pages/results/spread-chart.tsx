import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import { figureColumn, Table } from '../../components/table.tsx'
import { figure, number } from '../../words/format.ts'
import styles from './chart.module.css'
import { Chart, Mark } from './chart.tsx'
import type { Spread } from './distribution.ts'

export type SubjectSpread = { id: string; name: string; spread: Spread | null }
const WIDTH = 640
const LEFT = 150
const RIGHT = 20
const TOP = 26
const ROW = 40
const xOf = (percent: number) => LEFT + ((WIDTH - LEFT - RIGHT) * percent) / 100
const shortened = (name: string) => (name.length > 18 ? `${name.slice(0, 17)}…` : name)

/** Box plots of the subjects on one scale. */
export function SpreadChart({ title, subjects, passMark }: { title: string; subjects: readonly SubjectSpread[]; passMark: number }) {
  const { t } = useTranslation('results')
  const bottom = TOP + subjects.length * ROW
  return (
    <Chart
      title={title}
      desc={t('chart.comparison', { count: subjects.length })}
      width={WIDTH}
      height={bottom + 28}
      keys={<Keys />}
      table={<SpreadTable title={title} subjects={subjects} />}
    >
      {(describe) => (
        <>
          {[0, 25, 50, 75, 100].map((percent) => (
            <g key={percent}>
              <line className={styles['line']} x1={xOf(percent)} x2={xOf(percent)} y1={TOP - 6} y2={bottom} />
              <text className={styles['soft']} x={xOf(percent)} y={bottom + 18} textAnchor="middle">
                {percent}
              </text>
            </g>
          ))}
          <g>
            <line className={styles['pass']} x1={xOf(passMark)} x2={xOf(passMark)} y1={TOP - 6} y2={bottom} />
            <text className={styles['soft']} x={xOf(passMark)} y={TOP - 10} textAnchor="middle">
              {t('chart.passMark', { mark: number(passMark) })}
            </text>
          </g>
          {subjects.map((subject, at) => (
            <SpreadRow key={subject.id} subject={subject} middle={TOP + at * ROW + ROW / 2} describe={describe} />
          ))}
        </>
      )}
    </Chart>
  )
}

function SpreadRow({
  subject: { name, spread },
  middle,
  describe,
}: {
  subject: SubjectSpread
  middle: number
  describe: (words: string) => void
}) {
  const { t } = useTranslation('results')
  const words = spread
    ? t('chart.row', {
        subject: name,
        mean: figure(spread.mean),
        lower: figure(spread.lower),
        upper: figure(spread.upper),
        lowest: figure(spread.lowest),
        highest: figure(spread.highest),
      })
    : t('chart.rowNone', { subject: name })
  return (
    <Mark words={words} describe={describe} x={2} y={middle - ROW / 2 + 2} width={WIDTH - 4} height={ROW - 4}>
      <text x={8} y={middle + 4}>
        {shortened(name)}
      </text>
      {spread && (
        <>
          <line className={styles['whisker']} x1={xOf(spread.lowest)} x2={xOf(spread.highest)} y1={middle} y2={middle} />
          <rect
            className={styles['box']}
            x={xOf(spread.lower)}
            y={middle - 9}
            width={Math.max(1, xOf(spread.upper) - xOf(spread.lower))}
            height={18}
          />
          <line className={styles['median']} x1={xOf(spread.median)} x2={xOf(spread.median)} y1={middle - 9} y2={middle + 9} />
          <Diamond x={xOf(spread.mean)} y={middle} />
        </>
      )}
    </Mark>
  )
}

const Diamond = ({ x, y }: { x: number; y: number }) => (
  <path className={styles['mean']} d={`M${x} ${y - 7} L${x + 7} ${y} L${x} ${y + 7} L${x - 7} ${y} Z`} />
)

function Keys() {
  const { t } = useTranslation('results')
  return (
    <ul className={layout['legend']}>
      <li>
        <svg className={styles['key']} width={16} height={16} aria-hidden="true">
          <Diamond x={8} y={8} />
        </svg>{' '}
        {t('chart.mean')}
      </li>
      <li>
        <svg className={styles['key']} width={24} height={16} aria-hidden="true">
          <rect className={styles['box']} x={1} y={2} width={22} height={12} />
          <line className={styles['median']} x1={12} x2={12} y1={2} y2={14} />
        </svg>{' '}
        {t('chart.middle')}
      </li>
      <li>
        <svg className={styles['key']} width={24} height={16} aria-hidden="true">
          <line className={styles['whisker']} x1={0} x2={24} y1={8} y2={8} />
        </svg>{' '}
        {t('chart.reach')}
      </li>
    </ul>
  )
}

function SpreadTable({ title, subjects }: { title: string; subjects: readonly SubjectSpread[] }) {
  const { t } = useTranslation('results')
  const columns = [
    { head: t('subject'), cell: ({ name }: SubjectSpread) => name },
    ...(['mean', 'median', 'lower', 'upper', 'lowest', 'highest'] as const).map((part) =>
      figureColumn(t(`spread.${part}`), ({ spread }: SubjectSpread) => spread?.[part]),
    ),
  ]
  return <Table label={title} columns={columns} rows={subjects} keyOf={({ id }) => id} />
}
