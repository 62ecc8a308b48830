import { createContext, type ReactNode, useContext, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import { type Column, figureColumn, Table } from '../../components/table.tsx'
import { useMatches } from '../../components/use-matches.ts'
import { figure, number } from '../../words/format.ts'
import styles from './chart.module.css'
import type { Bin, Spread } from './distribution.ts'

/** The widths of a chart in its own units, which are about pixels. */
const WIDE = 640
const NARROW = 350

/** A chart fits a telephone without scrolling, since nobody sees what must be scrolled to. */
const useWidth = (): number => (useMatches('(max-width: 640px)') ? NARROW : WIDE)

type ChartProps = {
  title: string
  desc: string
  height: number
  /** The figures of the chart as a table. */
  table: ReactNode
  /** The signs of the chart and their meanings. */
  keys: readonly (readonly [width: number, sign: ReactNode, meaning: string])[]
  children: ReactNode
}

/** Shows the description of a mark below its chart. */
const Describe = createContext<(words: string) => void>(() => {})

/**
 * A chart with a name and a description. Its marks can be focused, and their descriptions are shown below; the figures follow as a table.
 */
function Chart({ title, desc, height, table, keys, children }: ChartProps) {
  const { t } = useTranslation('results')
  const width = useWidth()
  const id = useId()
  const isTouch = useMatches('(pointer: coarse)')
  const [description, describe] = useState('')
  return (
    <figure className={layout['stack']} aria-labelledby={`${id}-title`}>
      <div className={styles['scroll']}>
        {/* biome-ignore lint/a11y/useSemanticElements: no fieldset is a drawing. */}
        <svg
          viewBox={`0 0 ${width} ${height}`}
          className={styles['chart']}
          data-narrow={width === NARROW || undefined}
          role="group"
          aria-labelledby={`${id}-title ${id}-desc`}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-desc`}>{desc}</desc>
          <Describe value={describe}>{children}</Describe>
        </svg>
      </div>
      <p className={styles['description']} aria-hidden="true">
        {description || t(isTouch ? 'chart.tap' : 'chart.point')}
      </p>
      <ul className={layout['legend']}>
        {keys.map(([across, sign, meaning]) => (
          <li key={meaning}>
            <svg className={styles['key']} width={across} height={16} aria-hidden="true">
              {sign}
            </svg>{' '}
            {meaning}
          </li>
        ))}
      </ul>
      <details>
        <summary>{t('chart.table')}</summary>
        {table}
      </details>
    </figure>
  )
}

type MarkProps = { words: string; x: number; y: number; width: number; height: number; children: ReactNode }

/** One mark of a chart. `words`: its description; `x` to `height`: its focus ring. */
function Mark({ words, children, ...box }: MarkProps) {
  const describe = useContext(Describe)
  const show = () => describe(words)
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a picture that is reached by keyboard, to have its value.
    <g className={styles['mark']} role="img" aria-label={words} tabIndex={0} onFocus={show} onMouseEnter={show} onClick={show}>
      {children}
      <rect className={styles['reach']} rx={4} {...box} />
    </g>
  )
}

/** The position of the bars. */
const bars = { left: 40, top: 24, base: 220 }
/** The width that the text «70–79.5» needs. */
const MIN_RANGE = 44

/** At most five grid lines, at whole numbers. */
const gridOf = (most: number): number[] => {
  const step = Math.max(1, Math.ceil(most / 4))
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step)
}

/** The number of pupils in each band. Bands below the pass mark are hatched, so that colour is not the only sign. */
export function Histogram({ title, bins }: { title: string; bins: readonly Bin[] }) {
  const { t } = useTranslation('results')
  const width = useWidth()
  const hatch = useId()
  const grid = gridOf(Math.max(1, ...bins.map(({ count }) => count)))
  const top = grid.at(-1) ?? 1
  const heightOf = (count: number) => ((bars.base - bars.top) * count) / top
  const step = (width - bars.left - 10) / bins.length
  const rangeOf = ({ minimum, below }: Bin) =>
    below === null ? t('chart.from', { minimum: number(minimum) }) : t('chart.range', { minimum: number(minimum), below: number(below) })
  /** The range below a bar, shortened where there is little room. */
  const shortRangeOf = (bin: Bin) => {
    if (width === WIDE) return rangeOf(bin)
    return step < MIN_RANGE ? '' : `${number(bin.minimum)}${bin.below === null ? '+' : `–${number(bin.below)}`}`
  }
  const wordsOf = (bin: Bin) => t('chart.bar', { letter: bin.letter, range: rangeOf(bin), count: bin.count })
  const total = bins.reduce((sum, { count }) => sum + count, 0)
  const columns: Column<Bin>[] = [
    { head: t('letter'), cell: ({ letter }) => letter },
    { head: t('chart.results'), cell: rangeOf },
    { head: t('summary.pupils'), look: 'number', cell: ({ count }) => count },
  ]
  return (
    <Chart
      title={title}
      desc={t('chart.histogram', { count: total })}
      height={280}
      keys={[
        [16, <rect key="bar" className={styles['bar']} width={16} height={16} />, t('chart.passing')],
        [16, <rect key="failing" className={styles['failing']} fill={`url(#${hatch})`} width={16} height={16} />, t('chart.failing')],
      ]}
      table={<Table wide label={title} columns={columns} rows={bins} keyOf={({ letter }) => letter} />}
    >
      <defs>
        <pattern id={hatch} width={8} height={8} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line className={styles['hatch']} x1={0} x2={0} y1={0} y2={8} />
        </pattern>
      </defs>
      {grid.map((count) => (
        <g key={count}>
          <line
            className={styles[count === 0 ? 'axis' : 'line']}
            x1={bars.left}
            x2={width - 10}
            y1={bars.base - heightOf(count)}
            y2={bars.base - heightOf(count)}
          />
          <text className={styles['soft']} x={bars.left - 8} y={bars.base - heightOf(count) + 4} textAnchor="end">
            {count}
          </text>
        </g>
      ))}
      {bins.map((bin, at) => {
        const x = bars.left + at * step
        return (
          <Mark key={bin.letter} words={wordsOf(bin)} x={x + 2} y={bars.top - 18} width={step - 4} height={bars.base - bars.top + 18}>
            <rect
              className={styles[bin.isPass ? 'bar' : 'failing']}
              {...(!bin.isPass && { fill: `url(#${hatch})` })}
              x={x + step * 0.15}
              y={bars.base - heightOf(bin.count)}
              width={step * 0.7}
              height={heightOf(bin.count)}
            />
            <text x={x + step / 2} y={bars.base - heightOf(bin.count) - 6} textAnchor="middle">
              {bin.count}
            </text>
            <text x={x + step / 2} y={bars.base + 20} textAnchor="middle" fontWeight="700">
              {bin.letter}
            </text>
            <text className={styles['soft']} x={x + step / 2} y={bars.base + 40} textAnchor="middle">
              {shortRangeOf(bin)}
            </text>
          </Mark>
        )
      })}
    </Chart>
  )
}

export type SubjectSpread = { id: string; name: string; spread: Spread | null }
/** The position of the rows. */
const plots = { right: 20, top: 26, row: 40 }
/** The space for the names beside them, and the largest number of letters. */
const names = { [WIDE]: { left: 150, letters: 18 }, [NARROW]: { left: 104, letters: 12 } } as const
const namesAt = (width: number) => names[width === NARROW ? NARROW : WIDE]
const shortened = (name: string, letters: number) => (name.length > letters ? `${name.slice(0, letters - 1)}…` : name)
const placeAt = (width: number) => (percent: number) => {
  const { left } = namesAt(width)
  return left + ((width - left - plots.right) * percent) / 100
}

/** Box plots of the subjects on one scale. */
export function SpreadChart({ title, subjects, passMark }: { title: string; subjects: readonly SubjectSpread[]; passMark: number }) {
  const { t } = useTranslation('results')
  const width = useWidth()
  const xOf = placeAt(width)
  const bottom = plots.top + subjects.length * plots.row
  const columns: Column<SubjectSpread>[] = [
    { head: t('subject'), cell: ({ name }) => name },
    ...(['mean', 'median', 'lower', 'upper', 'lowest', 'highest'] as const).map((part) =>
      figureColumn(t(`spread.${part}`), ({ spread }: SubjectSpread) => spread?.[part]),
    ),
  ]
  return (
    <Chart
      title={title}
      desc={t('chart.comparison', { count: subjects.length })}
      height={bottom + 28}
      keys={[
        [16, <Diamond key="mean" x={8} y={8} />, t('chart.mean')],
        [
          24,
          <g key="middle">
            <rect className={styles['box']} x={1} y={2} width={22} height={12} />
            <line className={styles['median']} x1={12} x2={12} y1={2} y2={14} />
          </g>,
          t('chart.middle'),
        ],
        [24, <line key="reach" className={styles['whisker']} x1={0} x2={24} y1={8} y2={8} />, t('chart.reach')],
      ]}
      table={<Table wide label={title} columns={columns} rows={subjects} keyOf={({ id }) => id} />}
    >
      {[0, 25, 50, 75, 100].map((percent) => (
        <g key={percent}>
          <line className={styles['line']} x1={xOf(percent)} x2={xOf(percent)} y1={plots.top - 6} y2={bottom} />
          <text className={styles['soft']} x={xOf(percent)} y={bottom + 18} textAnchor="middle">
            {percent}
          </text>
        </g>
      ))}
      <g>
        <line className={styles['pass']} x1={xOf(passMark)} x2={xOf(passMark)} y1={plots.top - 6} y2={bottom} />
        <text className={styles['soft']} x={xOf(passMark)} y={plots.top - 10} textAnchor="middle">
          {t('chart.passMark', { mark: number(passMark) })}
        </text>
      </g>
      {subjects.map((subject, at) => (
        <SpreadRow key={subject.id} subject={subject} width={width} middle={plots.top + at * plots.row + plots.row / 2} />
      ))}
    </Chart>
  )
}

function SpreadRow({ subject: { name, spread }, width, middle }: { subject: SubjectSpread; width: number; middle: number }) {
  const { t } = useTranslation('results')
  const xOf = placeAt(width)
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
    <Mark words={words} x={2} y={middle - plots.row / 2 + 2} width={width - 4} height={plots.row - 4}>
      <text x={8} y={middle + 4}>
        {shortened(name, namesAt(width).letters)}
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

const spark = { bar: 7, height: 20 } as const

/** A small histogram of a column, with a bar for each band of the scale. Its label has the counts. */
export function DistributionSpark({ name, bins }: { name: string; bins: readonly Bin[] }) {
  const { t } = useTranslation('results')
  const most = Math.max(1, ...bins.map(({ count }) => count))
  const words = t('chart.spark', { name, counts: bins.map(({ letter, count }) => `${letter} ${count}`).join(', ') })
  return (
    <svg
      className={styles['spark']}
      role="img"
      aria-label={words}
      width={bins.length * spark.bar}
      height={spark.height}
      viewBox={`0 0 ${bins.length * spark.bar} ${spark.height}`}
    >
      <title>{words}</title>
      {bins.map(({ letter, count, isPass }, at) => (
        <rect
          key={letter}
          className={styles[isPass ? 'bar' : 'under']}
          x={at * spark.bar}
          y={spark.height - 1 - ((spark.height - 1) * count) / most}
          width={spark.bar - 1}
          height={1 + ((spark.height - 1) * count) / most}
        />
      ))}
    </svg>
  )
}

/** A result between 0 and 100 as a bar, with a line at the pass mark. The figure is beside it. */
export const ResultBar = ({ result, passMark }: { result: number; passMark: number }) => (
  <svg className={styles['result']} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect className={styles['track']} width={100} height={10} />
    <rect className={styles[result < passMark ? 'under' : 'bar']} width={result} height={10} />
    <line className={styles['atPass']} x1={passMark} x2={passMark} y1={0} y2={10} />
  </svg>
)

const line = { step: 28, height: 24 } as const

/** The results of the terms in order, as a line; the figures are beside it. Renders nothing for fewer than two. */
export function TermLine({ results }: { results: readonly (number | null)[] }) {
  const points = results.flatMap((result, at) =>
    result === null ? [] : [[4 + at * line.step, line.height - 4 - ((line.height - 8) * result) / 100] as const],
  )
  const last = points.at(-1)
  if (points.length < 2 || !last) return null
  const width = 8 + (results.length - 1) * line.step
  return (
    <svg className={styles['course']} width={width} height={line.height} viewBox={`0 0 ${width} ${line.height}`} aria-hidden="true">
      <polyline points={points.map((point) => point.join(',')).join(' ')} />
      <circle cx={last[0]} cy={last[1]} r={3} />
    </svg>
  )
}
