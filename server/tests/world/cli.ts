import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Fault, faults, type Outcome } from './members.ts'
import { type Run, replayOf, simulate } from './run.ts'

/** `npm run sim`: what it is told is in scripts/sim.mjs. The seeds are shared out among as many processes as there are cores. */
const asked = new Map<string, string>()
for (let at = 2; at < process.argv.length; at += 2) asked.set((process.argv[at] ?? '').replace(/^--/, ''), process.argv[at + 1] ?? '')
const number = (name: string, otherwise: number) => Number(asked.get(name) ?? otherwise)
const [from, count, events] = [number('seed', 1), number('seeds', 20), number('events', 200)]
const jobs = Math.min(count, number('jobs', availableParallelism()))

function runOf(): Run {
  const chosen = asked.get('faults')?.split(',')
  const only = chosen && new Set(chosen.filter((name): name is Fault => (faults as readonly string[]).includes(name)))
  return { events, ...(asked.has('laptops') && { laptops: number('laptops', 3) }), ...(only && { faults: only }) }
}

type Told = Outcome & { seed: number }

/** The seeds of one process: every so many-th. */
async function work(first: number, step: number, tell: (told: Told) => void): Promise<void> {
  for (let seed = from + first; seed < from + count; seed += step) tell({ seed, ...(await simulate(seed, runOf())) })
}

const began = performance.now()
let [done, failed] = [0, 0]
function tell({ seed, failures, trace }: Told): void {
  done += 1
  if (asked.has('trace')) console.log(trace.join('\n'))
  if (failures.length > 0) {
    failed += 1
    console.log(`✗ seed ${seed}: ${failures.length} findings. ${replayOf(seed, events)}`)
    for (const failure of failures.slice(0, number('show', 3)))
      console.log(`    ${failure.split('\n').slice(0, 6).join(' | ').slice(0, 600)}`)
  }
  if (done % 25 === 0) console.log(`  ${done} of ${count} seeds, ${failed} failing, ${Math.round((performance.now() - began) / 1000)} s`)
}

const inProcess = (first: number) =>
  new Promise<void>((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--first', String(first), '--jobs', String(jobs)])
    child.on('message', (told) => tell(told as Told))
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a process of the simulation ended with ${code}`))))
  })

if (asked.has('first')) {
  const traces = asked.has('trace')
  await work(number('first', 0), jobs, ({ trace, ...told }) => process.send?.({ ...told, trace: traces ? trace : [] }))
  process.exit(0)
}
if (jobs > 1) await Promise.all(Array.from({ length: jobs }, (_, first) => inProcess(first)))
else await work(0, 1, tell)
console.log(`${count} seeds of ${events} events in ${Math.round((performance.now() - began) / 1000)} s: ${failed} failing`)
process.exit(failed > 0 ? 1 : 0)
