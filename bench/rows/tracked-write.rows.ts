import { type Bench, most } from '../bench-row.ts'
import { copyOfSchool } from '../fill.ts'
import { pairsIn } from '../measure.ts'
import { startProgram } from '../processes.ts'
import type { Spent } from '../program.ts'
import { median, medianRatio } from '../statistics.ts'

export const trackedWrite: Bench = async ({ pairs }) => {
  const program = await startProgram(
    'tracked-write',
    await copyOfSchool('year', 'tracked-write'),
    await copyOfSchool('year', 'tracked-write-plain'),
  )
  const { ours, control } = await pairsIn<Spent>(program, pairs)
  const of = (spent: readonly Spent[], figure: keyof Spent) => spent.map((each) => each[figure])
  const ratio = (figure: keyof Spent) => medianRatio(of(ours, figure), of(control, figure))
  const cpu = (spent: readonly Spent[]) => `${median(of(spent, 'cpuMicros')).toFixed(0)} µs`
  const time = (spent: readonly Spent[]) => `${median(of(spent, 'ms')).toFixed(2)} ms`
  return [
    {
      what: 'a tracked write of 40 marks',
      control: 'the same 40 upserts in a plain transaction, by CPU',
      target: most(2.5),
      measured: ratio('cpuMicros'),
      figure: `CPU ${cpu(ours)} / ${cpu(control)}; time ${time(ours)} / ${time(control)} (${ratio('ms').toFixed(2)} ×)`,
    },
  ]
}
