import { cpus, totalmem } from 'node:os'
import { type Finding, isHit, shownMeasure, shownTarget } from './finding.ts'

const HEADINGS = ['', 'What', 'Control', 'Target', 'Measured', 'Figures: ours / control', 'Again']
const cellsOf = (finding: Finding) => [
  isHit(finding) ? 'met' : 'MISSED',
  finding.what,
  finding.control,
  shownTarget(finding),
  shownMeasure(finding),
  finding.figure,
  `\`npm run bench -- ${finding.name ?? ''}\``,
]

/** The table as a terminal shows it. */
export function tableOf(findings: readonly Finding[]): string {
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

export type Machine = { postgres: string | undefined; pairs: number; day: string }

const WHAT = 1
const lineOf = (cells: readonly (string | undefined)[]) => `| ${cells.join(' | ')} |`
const whatOf = (line: string) => line.split(' | ')[WHAT]

/** docs/benchmarks.md, all but what people wrote under its last heading. Rows that were not measured now stay as they were `before`. */
export function documentOf(findings: readonly Finding[], { postgres, pairs, day }: Machine, before: string): string {
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
