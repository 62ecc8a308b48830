import { cpus, totalmem } from 'node:os'
import type { Compared, Reading } from './measure.ts'

/** A target: at least, or at most, so many times the control. */
export type Target = { bound: 'least' | 'most'; ratio: number } | { bound: 'most'; absolute: number; unit: string }
/** One line of the table. `name` is the benchmark's. `measured` is in the terms of the target; `figure` says what it was made of. */
export type BenchRow = { name?: string; what: string; control: string; target: Target; measured: number; figure: string }
/** A benchmark: what `npm run bench -- <name>` runs. */
export type Bench = (effort: { pairs: number }) => Promise<BenchRow[]>

export const least = (ratio: number): Target => ({ bound: 'least', ratio })
export const most = (ratio: number): Target => ({ bound: 'most', ratio })
export const within = (absolute: number, unit: string): Target => ({ bound: 'most', absolute, unit })

const bound = (target: Target) => ('absolute' in target ? target.absolute : target.ratio)
const isHit = ({ target, measured }: BenchRow): boolean =>
  target.bound === 'least' ? measured >= bound(target) : measured <= bound(target)

const short = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value < 0.1 ? 3 : 2))
const shown = (value: number, target: Target) => ('absolute' in target ? `${short(value)} ${target.unit}` : `${short(value)} ×`)
const shownTarget = ({ target }: BenchRow) => `${target.bound === 'least' ? '≥' : '≤'} ${shown(bound(target), target)}`
const shownMeasure = ({ target, measured }: BenchRow) => shown(measured, target)

const cpu = ({ cpuMicros }: Reading) => (cpuMicros >= 10_000 ? `${(cpuMicros / 1_000).toFixed(1)} ms` : `${cpuMicros.toFixed(0)} µs`)
/** CPU of one request and requests a second: ours, then the control's. */
export const bothFigures = ({ ours, control }: Compared): string =>
  `CPU ${cpu(ours)} / ${cpu(control)}; ${ours.perSecond.toFixed(0)} / ${control.perSecond.toFixed(0)} a second`

const HEADINGS = ['', 'What', 'Control', 'Target', 'Measured', 'Figures: ours / control', 'Again']
const cellsOf = (finding: BenchRow) => [
  isHit(finding) ? 'met' : 'MISSED',
  finding.what,
  finding.control,
  shownTarget(finding),
  shownMeasure(finding),
  finding.figure,
  `\`npm run bench -- ${finding.name ?? ''}\``,
]

/** The table as a terminal shows it. */
export function tableOf(findings: readonly BenchRow[]): string {
  const rows = [HEADINGS, ...findings.map(cellsOf)]
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

type Machine = { postgres: string | undefined; pairs: number; day: string }

const WHAT = 1
const lineOf = (cells: readonly (string | undefined)[]) => `| ${cells.join(' | ')} |`
const whatOf = (line: string) => line.split(' | ')[WHAT]

/** docs/benchmarks.md, all but what people wrote under its last heading. Rows that were not measured now stay as they were `before`. */
export function documentOf(findings: readonly BenchRow[], { postgres, pairs, day }: Machine, before: string): string {
  const rows = findings.map(cellsOf)
  const fresh = new Map(rows.map((row) => [row[WHAT], lineOf(row)]))
  const kept = before.split('\n').filter((line) => /^\| (met|MISSED) \|/.test(line))
  const isKept = new Set(kept.map(whatOf))
  const figures = [...kept.map((line) => fresh.get(whatOf(line)) ?? line), ...rows.filter((row) => !isKept.has(row[WHAT])).map(lineOf)]
  const lines = [lineOf(HEADINGS), lineOf(HEADINGS.map(() => '---')), ...figures]
  const machine = [
    `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`,
    `Node ${process.version}`,
    ...[postgres?.replace(/ from .*/, '') ?? /PostgreSQL [\d.]+/.exec(before)?.[0] ?? []].flat(),
    `${day}, medians of ${pairs} pairs`,
  ]
  return `# Benchmarks

Written by \`npm run bench -- --write\`. Each target is a ratio to a control that ran in the same minute on the same machine, ours and the control in turns, so that the ratio holds where the absolute figures do not. The controls are in [\`bench/controls\`](../bench/controls): the bare minimum for the same answer. The replies of both are compared before anything is measured.

${machine.join('; ')}.

${lines.join('\n')}
`
}
