import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isCi } from '../../testing/ci.ts'
import { type Cluster, startCluster } from '../../testing/cluster.ts'
import { makeTemplate } from '../../testing/database.ts'
import type { Fault, Outcome } from './members.ts'
import { optionsIn } from './options.ts'
import { type Run, replayOf, simulate } from './run.ts'

/**
 * `npm run sim -- --seeds 100 [--seed 1] [--events 200] [--central 10] [--faults a,b] [--also c] [--structure 0] [--laptops 0] [--jobs 2]
 * [--show 3] [--trace 1]`: simulated worlds, shared out among as many processes as there are cores. `--central 10`: every tenth has its
 * centre on Postgres. `--faults`: in place of those that the seeds have; `--also`: besides. `--structure 0`: people make no teaching sets
 * and no categories.
 */
const asked = optionsAsked()
const number = (name: string, otherwise: number) => Number(asked.get(name) ?? otherwise)
const [from, count, events] = [number('seed', 1), number('seeds', 20), number('events', 200)]
/** Every so many-th seed has its centre on Postgres; 0 for none. */
const central = number('central', 0)
const isCentral = (seed: number) => central > 0 && seed % central === 0
const jobs = Math.min(count, number('jobs', availableParallelism()))

function optionsAsked() {
  try {
    return optionsIn(process.argv.slice(2))
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

function runOf(seed: number): Run {
  const named = (option: string) => asked.get(option)?.split(',') as Fault[]
  const cluster = isCentral(seed) ? asked.get('cluster') : undefined
  return {
    events,
    ...(asked.has('laptops') && { laptops: number('laptops', 3) }),
    ...(asked.has('faults') && { faults: new Set(named('faults')) }),
    ...(asked.has('also') && { also: named('also') }),
    ...(asked.get('structure') === '0' && { hasStructure: false }),
    ...(cluster !== undefined && { cluster }),
  }
}

type WorldReport = Outcome & { seed: number }
type Taken = { take: true }

/** One process: it asks for the next seed until there is none. */
function work(): void {
  process.on('message', async (seed: number) => {
    const { trace, failures } = await simulate(seed, runOf(seed))
    process.send?.({ seed, failures, trace: asked.has('trace') ? trace : [] } satisfies WorldReport)
  })
  process.send?.({ take: true } satisfies Taken)
}

const began = performance.now()
const seconds = () => Math.round((performance.now() - began) / 1000)
let [next, done, failed] = [from, 0, 0]
function tell({ seed, failures, trace }: WorldReport): void {
  done += 1
  if (asked.has('trace')) console.log(trace.join('\n'))
  if (failures.length > 0) {
    failed += 1
    console.log(`✗ seed ${seed}: ${failures.length} findings. ${replayOf(seed, events)}${isCentral(seed) ? ` --central ${central}` : ''}`)
    for (const failure of failures.slice(0, number('show', 3)))
      console.log(`    ${failure.split('\n').slice(0, 6).join(' | ').slice(0, 600)}`)
  }
  if (done % 25 === 0) console.log(`  ${done} of ${count} seeds, ${failed} failing, ${seconds()} s`)
}

const inProcess = (more: readonly string[]) =>
  new Promise<void>((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), ...more, '--works', '1'])
    child.on('message', (told: WorldReport | Taken) => {
      if ('seed' in told) tell(told)
      if (next >= from + count) return child.disconnect()
      child.send(next)
      next += 1
    })
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a process of the simulation ended with ${code}`))))
  })

const onPostgres = [...Array(count).keys()].filter((at) => isCentral(from + at)).length

/** Where Postgres cannot be had every centre is on SQLite, and the first and the last line say so; but in CI that is a failure. */
async function clusterForAll(): Promise<Cluster | undefined> {
  if (onPostgres === 0) return undefined
  try {
    const cluster = await startCluster()
    await makeTemplate(cluster.url)
    return cluster
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.log(`No Postgres is to be had here: ${reason}`)
    console.log(
      `${onPostgres} of the ${count} worlds should have their centre on it, and have it on SQLite instead: that much is not proved.`,
    )
    if (!isCi) return undefined
    console.log('In CI (the variable CI is set) that is a failure. Install Postgres there.')
    process.exit(1)
  }
}

async function share(): Promise<void> {
  const cluster = await clusterForAll()
  try {
    const more = cluster ? ['--cluster', cluster.url] : []
    await Promise.all(Array.from({ length: jobs }, () => inProcess(more)))
  } finally {
    await cluster?.stop()
  }
  const centres =
    central === 0
      ? ''
      : cluster
        ? `, every ${central}th with its centre on ${cluster.description}`
        : `, none of the ${onPostgres} on Postgres that should be`
  console.log(`${count} seeds of ${events} events in ${seconds()} s${centres}: ${failed} failing`)
  process.exit(failed > 0 ? 1 : 0)
}

if (asked.has('works')) work()
else await share()
