import { copyOfSchool } from '../fill.ts'
import { type Bench, most } from '../finding.ts'
import { median } from '../measure.ts'
import { startProgram } from '../processes.ts'
import type { Pair } from '../programs/door.ts'

export const door: Bench = {
  name: 'door',
  async run({ pairs }) {
    const program = await startProgram('door', await copyOfSchool('year', 'door'), await copyOfSchool('year', 'door-plain'))
    const found: Pair[] = []
    await program.ask<Pair>({ pair: true }, 'pair')
    for (let pair = 0; pair < pairs; pair += 1) found.push(await program.ask<Pair>({ pair: true }, 'pair'))
    await program.stop()
    const of = (side: 'ours' | 'control', figure: 'cpuMicros' | 'ms') => median(found.map((pair) => pair[side][figure]))
    const ratio = (figure: 'cpuMicros' | 'ms') => median(found.map(({ ours, control }) => ours[figure] / control[figure]))
    return [
      {
        what: 'the write door, 40 marks',
        control: 'the same 40 upserts in a plain transaction, by CPU',
        target: most(2.5),
        measured: ratio('cpuMicros'),
        figure: `CPU ${of('ours', 'cpuMicros').toFixed(0)} µs / ${of('control', 'cpuMicros').toFixed(0)} µs; time ${of('ours', 'ms').toFixed(2)} ms / ${of('control', 'ms').toFixed(2)} ms (${ratio('ms').toFixed(2)} ×)`,
      },
    ]
  },
}
