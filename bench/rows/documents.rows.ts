import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, most, within } from '../bench-row.ts'
import { copyOfSchool } from '../fill.ts'
import { inTurns, pairsIn } from '../measure.ts'
import { load, SECRET, startProgram } from '../processes.ts'
import type { Drawn } from '../programs/report-cards.ts'
import type { Written } from '../programs/workbook.ts'
import { get, signIn } from '../requests.ts'
import { median, medianRatio } from '../statistics.ts'

const MEGABYTE = 1_048_576

export const reportCards: Bench = async ({ pairs }) => {
  const program = await startProgram('report-cards')
  const { ours, control } = await pairsIn<Drawn>(program, pairs)
  const cpu = (drawn: readonly Drawn[]) => drawn.map(({ cpuMicros }) => cpuMicros)
  const ms = (drawn: readonly Drawn[]) => (median(cpu(drawn)) / 1_000).toFixed(0)
  const size = ([first]: readonly Drawn[]) => ((first?.bytes ?? 0) / 1_024).toFixed(0)
  return [
    {
      what: 'report cards for a class of 40, one document',
      control: 'pdf-lib drawing the same lines, laid out already, by CPU',
      target: most(0.35),
      measured: medianRatio(cpu(ours), cpu(control)),
      figure: `CPU ${ms(ours)} ms / ${ms(control)} ms; ${size(ours)} KB / ${size(control)} KB`,
    },
  ]
}

async function written(side: 'ours' | 'control'): Promise<Written> {
  const program = await startProgram('workbook', side)
  const found = await program.ask<Written>('write')
  await program.stop()
  return found
}

export const workbook: Bench = async ({ pairs }) => {
  const { ours, control } = await inTurns(
    pairs,
    () => written('ours'),
    () => written('control'),
  )
  const cpu = (of: readonly Written[]) => of.map(({ cpuMicros }) => cpuMicros)
  const seconds = (of: readonly Written[]) => (median(cpu(of)) / 1_000_000).toFixed(2)
  const peak = (of: readonly Written[]) => Math.max(...of.map(({ peakBytes }) => peakBytes)) / MEGABYTE
  return [
    {
      what: 'a workbook of 100,000 rows and 10 columns',
      control: 'hand-written xlsx of the same cells, by CPU',
      target: most(2),
      measured: medianRatio(cpu(ours), cpu(control)),
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
}

export const meDuringJobs: Bench = async ({ pairs }) => {
  const folder = await copyOfSchool('year', 'drawing')
  const { teacher } = await signIn('year', { folder })
  const program = await startProgram('drawing', folder, SECRET)
  const job = { port: program.port, connections: 2, count: 1_500, requests: [get('/api/auth/me', teacher)] }
  await load(job)
  const [idle, busy]: [number[], number[]] = [[], []]
  for (let pair = 0; pair < pairs; pair += 1) {
    idle.push((await load(job)).p99)
    await program.ask('draw', true)
    busy.push((await load(job)).p99)
    await program.ask('draw', false)
    await pause(2_000)
  }
  return [
    {
      what: 'p99 of `me` while report cards of a class and workbooks are made',
      control: 'p99 of `me` while nothing is',
      target: most(8),
      measured: medianRatio(busy, idle),
      figure: `${median(busy).toFixed(2)} ms / ${median(idle).toFixed(2)} ms`,
    },
  ]
}
