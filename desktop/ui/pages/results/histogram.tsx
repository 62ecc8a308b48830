import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import { type Column, Table } from '../../components/table.tsx'
import { number } from '../../words/format.ts'
import styles from './chart.module.css'
import { Chart, Mark } from './chart.tsx'
import type { Bin } from './distribution.ts'

const WIDTH = 640
const HEIGHT = 280
const LEFT = 40
const TOP = 24
const BASE = 220

/** At most five grid lines, at whole numbers. */
const gridOf = (most: number): number[] => {
  const step = Math.max(1, Math.ceil(most / 4))
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step)
}

/** The number of pupils in each band. Bands under the pass mark are hatched, so that colour is not needed. */
export function Histogram({ title, bins }: { title: string; bins: readonly Bin[] }) {
  const { t } = useTranslation('results')
  const hatch = useId()
  const grid = gridOf(Math.max(1, ...bins.map(({ count }) => count)))
  const top = grid.at(-1) ?? 1
  const heightOf = (count: number) => ((BASE - TOP) * count) / top
  const step = (WIDTH - LEFT - 10) / bins.length
  const rangeOf = ({ minimum, below }: Bin) =>
    below === null ? t('chart.from', { minimum: number(minimum) }) : t('chart.range', { minimum: number(minimum), below: number(below) })
  const wordsOf = (bin: Bin) => t('chart.bar', { letter: bin.letter, range: rangeOf(bin), count: bin.count })
  const total = bins.reduce((sum, { count }) => sum + count, 0)
  return (
    <Chart
      title={title}
      desc={t('chart.histogram', { count: total })}
      width={WIDTH}
      height={HEIGHT}
      keys={<Keys hatch={hatch} />}
      table={<BinTable title={title} bins={bins} rangeOf={rangeOf} />}
    >
      {(describe) => (
        <>
          <Hatch id={hatch} />
          {grid.map((count) => (
            <g key={count}>
              <line
                className={styles[count === 0 ? 'axis' : 'line']}
                x1={LEFT}
                x2={WIDTH - 10}
                y1={BASE - heightOf(count)}
                y2={BASE - heightOf(count)}
              />
              <text className={styles['soft']} x={LEFT - 8} y={BASE - heightOf(count) + 4} textAnchor="end">
                {count}
              </text>
            </g>
          ))}
          {bins.map((bin, at) => {
            const x = LEFT + at * step
            return (
              <Mark
                key={bin.letter}
                words={wordsOf(bin)}
                describe={describe}
                x={x + 2}
                y={TOP - 18}
                width={step - 4}
                height={BASE - TOP + 18}
              >
                <rect
                  className={styles[bin.isPass ? 'bar' : 'failing']}
                  {...(!bin.isPass && { fill: `url(#${hatch})` })}
                  x={x + step * 0.15}
                  y={BASE - heightOf(bin.count)}
                  width={step * 0.7}
                  height={heightOf(bin.count)}
                />
                <text x={x + step / 2} y={BASE - heightOf(bin.count) - 6} textAnchor="middle">
                  {bin.count}
                </text>
                <text x={x + step / 2} y={BASE + 20} textAnchor="middle" fontWeight="700">
                  {bin.letter}
                </text>
                <text className={styles['soft']} x={x + step / 2} y={BASE + 40} textAnchor="middle">
                  {rangeOf(bin)}
                </text>
              </Mark>
            )
          })}
        </>
      )}
    </Chart>
  )
}

const Hatch = ({ id }: { id: string }) => (
  <defs>
    <pattern id={id} width={8} height={8} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <line className={styles['hatch']} x1={0} x2={0} y1={0} y2={8} />
    </pattern>
  </defs>
)

function Keys({ hatch }: { hatch: string }) {
  const { t } = useTranslation('results')
  return (
    <ul className={layout['legend']}>
      <li>
        <svg className={styles['key']} width={16} height={16} aria-hidden="true">
          <rect className={styles['bar']} width={16} height={16} />
        </svg>{' '}
        {t('chart.passing')}
      </li>
      <li>
        <svg className={styles['key']} width={16} height={16} aria-hidden="true">
          <rect className={styles['failing']} fill={`url(#${hatch})`} width={16} height={16} />
        </svg>{' '}
        {t('chart.failing')}
      </li>
    </ul>
  )
}

function BinTable({ title, bins, rangeOf }: { title: string; bins: readonly Bin[]; rangeOf: (bin: Bin) => string }) {
  const { t } = useTranslation('results')
  const columns: Column<Bin>[] = [
    { head: t('letter'), cell: ({ letter }) => letter },
    { head: t('chart.results'), cell: rangeOf },
    { head: t('summary.pupils'), look: 'number', cell: ({ count }) => count },
  ]
  return <Table label={title} columns={columns} rows={bins} keyOf={({ letter }) => letter} />
}
