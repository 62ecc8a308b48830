import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, within } from '../bench-row.ts'
import { startProgram } from '../processes.ts'
import { end, serveSchool } from '../school-server.ts'
import { median } from '../statistics.ts'

const MEGABYTE = 1_048_576
const rest = () => pause(3_000)

export const start: Bench = async ({ pairs }) => {
  const [readyMs, rss]: [number[], number[]] = [[], []]
  for (let round = 0; round < pairs; round += 1) {
    const school = await serveSchool('year')
    readyMs.push(school.program.readyMs)
    await rest()
    rss.push((await school.program.usage()).rssBytes)
    await end(school)
  }
  const hello = await startProgram('node-hello')
  await rest()
  const { rssBytes } = await hello.usage()
  const control = 'node hello'
  const [readySeconds, megabytes] = [median(readyMs) / 1_000, median(rss) / MEGABYTE]
  return [
    {
      what: 'start to ready',
      control,
      target: within(2, 's'),
      measured: readySeconds,
      figure: `${control} ${hello.readyMs.toFixed(0)} ms`,
    },
    {
      what: 'memory at rest',
      control,
      target: within(120, 'MB'),
      measured: megabytes,
      figure: `${control} ${(rssBytes / MEGABYTE).toFixed(0)} MB`,
    },
  ]
}
