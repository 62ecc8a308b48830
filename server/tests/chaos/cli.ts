import { parseArgs } from 'node:util'
import { startCluster } from '../../testing/cluster.ts'
import { endPrograms } from '../../testing/program.ts'
import { chaos } from './run.ts'
import { schoolYear } from './year/run.ts'

/** `npm run test:chaos [-- --seed 1 --minutes 2 --year]`: docs/testing.md. Ends with 0 where nothing was lost. */
function optionsAsked() {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '1' }, minutes: { type: 'string' }, year: { type: 'boolean', default: false } },
  })
  const { year } = values
  const [seed, minutes] = [Number(values.seed), Number(values.minutes ?? (year ? 20 : 2))]
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('--seed is a whole number.')
  if (!(minutes > 0 && minutes <= 600)) throw new Error('--minutes is how long faults happen, at most 600.')
  return { seed, minutes, year }
}

async function main(): Promise<number> {
  const { seed, minutes, year } = optionsAsked()
  const cluster = await startCluster()
  process.once('SIGINT', () => void Promise.all([endPrograms(), cluster.stop()]).then(() => process.exit(130)))
  console.log(`Seed ${seed}, ${year ? `a school year in ${minutes} minutes` : `${minutes} minutes of faults`}, on ${cluster.description}.`)
  const run = { seed, ms: minutes * 60_000, cluster: cluster.url, tell: console.log }
  const { failures, summary, figures } = await (year ? schoolYear(run) : chaos(run)).finally(cluster.stop)
  for (const failure of failures.slice(0, 20)) console.log(`✗ ${failure}`)
  if (failures.length > 20) console.log(`… and ${failures.length - 20} more`)
  const verdict = failures.length === 0 ? 'Nothing was lost' : `FAILED, ${failures.length} findings`
  console.log(
    `${verdict}. Seed ${seed}: ${summary}.${failures.length === 0 ? '' : ` Again: npm run test:chaos -- --seed ${seed} --minutes ${minutes}${year ? ' --year' : ''}`}`,
  )
  for (const line of figures ?? []) console.log(line)
  return failures.length === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
