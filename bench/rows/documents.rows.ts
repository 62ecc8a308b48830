import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, byCpu, most, within } from '../bench-row.ts'
import { copyOfSchool } from '../fill.ts'
import { inTurns, pairsIn } from '../measure.ts'
import { load, startProgram } from '../processes.ts'
import type { Drawn } from '../programs/report-cards.ts'
import type { Written } from '../programs/workbook.ts'
import { get, signIn } from '../requests.ts'
import { startOn } from '../school-server.ts'
import { medianOf, ratioOf } from '../statistics.ts'

const MEGABYTE = 1_048_576

export const reportCards: Bench = async ({ pairs }) => {
  const found = await pairsIn<Drawn>(await startProgram('report-cards'), pairs)
  const size = (rounds: readonly Drawn[]) => `${(medianOf(rounds, 'bytes') / 1_024).toFixed(0)} KB`
  const more = `${size(found.ours)} / ${size(found.control)}`
  const control = 'pdf-lib drawing the same lines, laid out already'
  return [byCpu(found, 'report cards for a class of 40, one document', control, most(0.35), more)]
}

const written = (side: 'ours' | 'control') => async (): Promise<Written> => {
  const program = await startProgram('workbook', side)
  const found = await program.ask<Written>('write')
  await program.stop()
  return found
}

export const workbook: Bench = async ({ pairs }) => {
  const found = await inTurns(pairs, written('ours'), written('control'))
  const size = (of: readonly Written[]) => `${(medianOf(of, 'bytes') / MEGABYTE).toFixed(1)} MB`
  const peak = (of: readonly Written[]) => Math.max(...of.map(({ peakBytes }) => peakBytes)) / MEGABYTE
  const [ours, control] = [peak(found.ours), peak(found.control)]
  const more = `${size(found.ours)} / ${size(found.control)}`
  return [
    byCpu(found, 'a workbook of 100,000 rows and 10 columns', 'hand-written xlsx of the same cells', most(2), more),
    {
      what: 'memory of the process that writes it',
      control: 'the process of the hand-written one',
      target: within(250, 'MB'),
      measured: ours,
      figure: `${ours.toFixed(0)} MB / ${control.toFixed(0)} MB`,
    },
  ]
}

export const meDuringJobs: Bench = async ({ pairs }) => {
  const folder = await copyOfSchool('year')
  const { teacher } = await signIn('year', { folder })
  const program = await startOn(folder, 'drawing')
  const job = { port: program.port, connections: 2, count: 1_500, requests: [get('/api/auth/me', teacher)] }
  await load(job)
  const busy = async () => {
    await program.ask('draw', true)
    const found = await load(job)
    await program.ask('draw', false)
    await pause(2_000)
    return found
  }
  const { ours: idle, control: drawing } = await inTurns(pairs, () => load(job), busy)
  return [
    {
      what: 'p99 of `me` while report cards of a class and workbooks are made',
      control: 'p99 of `me` while nothing is',
      target: most(8),
      measured: ratioOf({ ours: drawing, control: idle }, 'p99'),
      figure: `${medianOf(drawing, 'p99').toFixed(2)} ms / ${medianOf(idle, 'p99').toFixed(2)} ms`,
    },
  ]
}
