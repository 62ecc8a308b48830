import { copyOfSchool, dropCopy } from '../fill.ts'
import { type Bench, most, within } from '../finding.ts'
import { median } from '../measure.ts'
import { load, startProgram } from '../processes.ts'
import type { DrawnPair } from '../programs/papers.ts'
import type { Written } from '../programs/workbook.ts'
import { get, SECRET, signIn } from '../requests.ts'

const MEGABYTE = 1_048_576

export const papers: Bench = {
  name: 'papers',
  async run({ pairs }) {
    const program = await startProgram('papers')
    const found: DrawnPair[] = []
    await program.ask<DrawnPair>({ pair: true }, 'pair')
    for (let pair = 0; pair < pairs; pair += 1) found.push(await program.ask<DrawnPair>({ pair: true }, 'pair'))
    await program.stop()
    const of = (side: 'ours' | 'control') => median(found.map((pair) => pair[side].cpuMicros)) / 1_000
    return [
      {
        what: 'report cards for a class of 40, one document',
        control: 'pdf-lib drawing the same lines, laid out already, by CPU',
        target: most(0.35),
        measured: median(found.map(({ ours, control }) => ours.cpuMicros / control.cpuMicros)),
        figure: `CPU ${of('ours').toFixed(0)} ms / ${of('control').toFixed(0)} ms; ${((found[0]?.ours.bytes ?? 0) / 1_024).toFixed(0)} KB / ${((found[0]?.control.bytes ?? 0) / 1_024).toFixed(0)} KB`,
      },
    ]
  },
}

async function written(side: 'ours' | 'control'): Promise<Written> {
  const program = await startProgram('workbook', side)
  const found = await program.ask<Written>({ write: true }, 'written')
  await program.stop()
  return found
}

export const workbook: Bench = {
  name: 'workbook',
  async run({ pairs }) {
    const [ours, control]: [Written[], Written[]] = [[], []]
    for (let pair = 0; pair < pairs; pair += 1) {
      ours.push(await written('ours'))
      control.push(await written('control'))
    }
    const seconds = (of: readonly Written[]) => (median(of.map(({ cpuMicros }) => cpuMicros)) / 1_000_000).toFixed(2)
    const peak = (of: readonly Written[]) => Math.max(...of.map(({ peakBytes }) => peakBytes)) / MEGABYTE
    return [
      {
        what: 'a workbook of 100,000 rows and 10 columns',
        control: 'hand-written xlsx of the same cells, by CPU',
        target: most(2),
        measured: median(ours.map(({ cpuMicros }, at) => cpuMicros / (control[at] as Written).cpuMicros)),
        figure: `CPU ${seconds(ours)} s / ${seconds(control)} s; ${((ours[0]?.bytes ?? 0) / MEGABYTE).toFixed(1)} MB / ${((control[0]?.bytes ?? 0) / MEGABYTE).toFixed(1)} MB`,
      },
      {
        what: 'memory of the process that writes it',
        control: 'the process of the hand-written one',
        target: within(250, 'MB'),
        measured: peak(ours),
        figure: `${peak(ours).toFixed(0)} MB / ${peak(control).toFixed(0)} MB`,
      },
    ]
  },
}

export const drawing: Bench = {
  name: 'drawing',
  async run({ pairs }) {
    const folder = await copyOfSchool('year', 'drawing')
    const { teacher } = await signIn('year', { folder })
    const program = await startProgram('drawing', folder, SECRET)
    const asked = { port: program.port, connections: 2, count: 1_500, requests: [get('/api/auth/me', teacher)] }
    await load(asked)
    const [idle, busy]: [number[], number[]] = [[], []]
    for (let pair = 0; pair < pairs; pair += 1) {
      idle.push((await load(asked)).p99)
      await program.ask<number>({ draw: true }, 'drawing')
      busy.push((await load(asked)).p99)
      await program.ask<number>({ draw: false }, 'drawing')
      await new Promise((resolve) => setTimeout(resolve, 2_000))
    }
    await program.stop()
    dropCopy(folder)
    return [
      {
        what: 'p99 of `me` while report cards of a class and workbooks are made',
        control: 'p99 of `me` while nothing is',
        target: most(8),
        measured: median(busy.map((p99, at) => p99 / (idle[at] as number))),
        figure: `${median(busy).toFixed(2)} ms / ${median(idle).toFixed(2)} ms`,
      },
    ]
  },
}
