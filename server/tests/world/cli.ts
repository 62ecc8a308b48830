import { replayOf, simulate } from './run.ts'
import { type Fault, faults } from './world.ts'

const asked = new Map<string, string>()
for (let at = 2; at < process.argv.length; at += 2) asked.set((process.argv[at] ?? '').replace(/^--/, ''), process.argv[at + 1] ?? '')
const number = (name: string, otherwise: number) => Number(asked.get(name) ?? otherwise)
const [from, count, events] = [number('seed', 1), number('seeds', 20), number('events', 200)]
const chosen = asked.get('faults')
const only =
  chosen === undefined
    ? undefined
    : new Set(chosen.split(',').filter((name): name is Fault => (faults as readonly string[]).includes(name)))
const began = performance.now()
let failed = 0
for (let seed = from; seed < from + count; seed += 1) {
  const { failures, trace } = await simulate(seed, {
    events,
    ...(asked.has('laptops') && { laptops: number('laptops', 3) }),
    ...(only && { faults: only }),
  })
  if (asked.has('trace')) console.log(trace.join('\n'))
  if (failures.length > 0) {
    failed += 1
    console.log(`✗ seed ${seed}: ${failures.length} findings. ${replayOf(seed, events)}`)
    for (const failure of failures.slice(0, number('show', 3)))
      console.log(`    ${failure.split('\n').slice(0, 6).join(' | ').slice(0, 600)}`)
  } else if ((seed - from + 1) % 25 === 0 || count <= 10) {
    console.log(`  ${seed - from + 1} of ${count} seeds, ${failed} failing, ${Math.round((performance.now() - began) / 1000)} s`)
  }
}
console.log(`${count} seeds of ${events} events in ${Math.round((performance.now() - began) / 1000)} s: ${failed} failing`)
process.exit(failed > 0 ? 1 : 0)
