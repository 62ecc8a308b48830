// `npm test`: installs what is missing, checks, runs every test on SQLite and on Postgres, and lives 500 simulated worlds of replication.
// Arguments go to vitest, which then runs alone.
// `npm run test:long`: the tests that have a long form (server/testing/long.ts), in that form.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from './check.mjs'
import { ensureInstalled, root } from './install.mjs'

ensureInstalled()
const long = process.argv[2] === '--long'
const filters = process.argv.slice(long ? 3 : 2)
if (filters.length === 0 && !long && !check()) process.exit(1)
const chosen = long && filters.length === 0 ? withLongForm() : filters
// Long forms measure and kill: side by side they would disturb each other.
const how = long ? ['--no-file-parallelism'] : []
const { status } = spawnSync(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...chosen, ...how], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...(long && { TEST_LONG: '1' }) },
})
if (status !== 0 || long || filters.length > 0) process.exit(status ?? 1)
const worlds = ['--seeds', '500', '--events', '200', '--central', '20']
console.log('500 simulated worlds of replication (sync/SPEC.md, «Proof»), each with its own faults …')
process.exit(spawnSync(process.execPath, [join(root, 'scripts', 'sim.mjs'), ...worlds], { cwd: root, stdio: 'inherit' }).status ?? 1)

function withLongForm() {
  const tests = readdirSync(join(root, 'server'), { recursive: true }).filter((file) => file.endsWith('.test.ts'))
  return tests.map((file) => join('server', file)).filter((file) => readFileSync(join(root, file), 'utf8').includes("testing/long.ts'"))
}
