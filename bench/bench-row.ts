import { cpus, totalmem } from 'node:os'
import type { Reading } from './measure.ts'
import { medianOf, type Pairs, ratioOf } from './statistics.ts'

/** A target for a value: at least or at most `value`; with the unit `×` it is a multiple of the control. */
export type Target = { bound: 'least' | 'most'; value: number; unit: string }
/** A row of the table. `name`: the benchmark; `measured`: in the unit of the target; `figure`: the values that it was computed from. */
export type BenchRow = { name?: string; what: string; control: string; target: Target; measured: number; figure: string }
/** A benchmark, run by `npm run bench -- <name>`; `pairs`: how often both sides are measured. */
export type Bench = (effort: { pairs: number }) => Promise<BenchRow[]>

export const least = (ratio: number): Target => ({ bound: 'least', value: ratio, unit: '×' })
export const most = (ratio: number): Target => ({ bound: 'most', value: ratio, unit: '×' })
export const within = (value: number, unit: string): Target => ({ bound: 'most', value, unit })

const isHit = ({ target: { bound, value }, measured }: BenchRow): boolean => (bound === 'least' ? measured >= value : measured <= value)
const short = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value < 0.1 ? 3 : 2))

type Spent = { cpuMicros: number }
/** The median CPU time of the rounds, for a cell of the table. */
export function cpuOf(rounds: readonly Spent[]): string {
  const micros = medianOf(rounds, 'cpuMicros')
  if (micros >= 1_000_000) return `${(micros / 1_000_000).toFixed(2)} s`
  return micros >= 10_000 ? `${(micros / 1_000).toFixed(1)} ms` : `${micros.toFixed(0)} µs`
}
const bothCpu = ({ ours, control }: Pairs<Spent>) => `CPU ${cpuOf(ours)} / ${cpuOf(control)}`
/** The requests a second of both sides, for a cell of the table. */
export const bothSpeeds = ({ ours, control }: Pairs<Reading>): string =>
  `${medianOf(ours, 'perSecond').toFixed(0)} / ${medianOf(control, 'perSecond').toFixed(0)} a second`

/** A row for the ratio of CPU times, ours over the control; `more` is added to its figures. */
export const byCpu = (pairs: Pairs<Spent>, what: string, control: string, target: Target, more = ''): BenchRow => ({
  what,
  control: `${control}, by CPU`,
  target,
  measured: ratioOf(pairs, 'cpuMicros'),
  figure: [bothCpu(pairs), more].filter(Boolean).join('; '),
})
/** A row for the ratio of requests a second, ours over the control; `more` is added to its figures. */
export const bySpeed = (pairs: Pairs<Reading>, what: string, control: string, target: Target, more = ''): BenchRow => ({
  what,
  control: `${control}, by requests a second`,
  target,
  measured: ratioOf(pairs, 'perSecond'),
  figure: `${bothCpu(pairs)}; ${bothSpeeds(pairs)}${more}`,
})

const HEADINGS = ['', 'What', 'Control', 'Target', 'Measured', 'Figures: ours / control', 'Again']
function cellsOf(row: BenchRow): string[] {
  const { name = '', what, control, target, measured, figure } = row
  const wanted = `${target.bound === 'least' ? '≥' : '≤'} ${short(target.value)} ${target.unit}`
  return [isHit(row) ? 'met' : 'MISSED', what, control, wanted, `${short(measured)} ${target.unit}`, figure, `\`npm run bench -- ${name}\``]
}

/** The table for a terminal. */
export function tableOf(findings: readonly BenchRow[]): string {
  const rows = [HEADINGS, ...findings.map(cellsOf)]
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
  return lines.map((line) => line.trimEnd()).join('\n')
}

type Machine = { postgres: string | undefined; pairs: number; day: string }

const WHAT = 1
const FIGURE = HEADINGS.indexOf('Figures: ours / control')
const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const isRow = (line: string) => /^\| (met|MISSED) \|/.test(line)

/** The new text of docs/benchmarks.md: rows measured now, with the day; `before`: the text whose other rows and notes stay. */
export function documentOf(findings: readonly BenchRow[], { postgres, pairs, day }: Machine, before: string): string {
  const old = before.split('\n')
  const figures = new Map(old.filter(isRow).map((line) => [line.split(' | ')[WHAT], line]))
  const measured = `${day}, ${pairs} pairs`
  for (const cells of findings.map(cellsOf))
    figures.set(cells[WHAT], lineOf(cells.map((cell, at) => (at === FIGURE ? [cell, measured].filter(Boolean).join('; ') : cell))))
  const lines = [lineOf(HEADINGS), lineOf(HEADINGS.map(() => '---')), ...figures.values()]
  const notes = old
    .slice(old.findLastIndex(isRow) + 1)
    .join('\n')
    .trim()
  const machine = [
    `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`,
    `Node ${process.version}`,
    ...[postgres?.replace(/ from .*/, '') ?? /PostgreSQL [\d.]+/.exec(before)?.[0] ?? []].flat(),
  ]
  return `# Benchmarks

Written by \`npm run bench -- --write\`. Each target is a ratio to a control that ran in the same minute on the same machine, ours and the control in turns, so that the ratio holds where the absolute figures do not. The controls are in [\`bench/controls\`](../bench/controls): the bare minimum for the same answer. The replies of both are compared before anything is measured.

${machine.join('; ')}; medians, of the pairs that a row says.

${[lines.join('\n'), notes].filter(Boolean).join('\n\n')}
`
}
