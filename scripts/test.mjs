// `npm test`: installs what is missing, checks, and runs every test but the slow ones, each on every database on which it may differ.
// `npm test -- path …`: these tests alone, without Postgres; `--project postgres` and vitest's other options go along.
// `npm run test:watch [-- path …]`: the same again after every change.
// `npm run test:all`: also the slow tests in their long form, 500 simulated worlds, and the packages.
// docs/testing.md says what runs when, and how long it takes.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { check } from './check.mjs'
import { root } from './install.mjs'

const [mode, ...rest] = /^--(watch|all)$/.test(process.argv[2] ?? '') ? process.argv.slice(2) : ['', ...process.argv.slice(2)]

const vitest = (...args) => [join('node_modules', 'vitest', 'vitest.mjs'), ...args]
const worlds = (count) => [
  '--import',
  'tsx',
  join('server', 'tests', 'world', 'cli.ts'),
  '--seeds',
  String(count),
  '--events',
  '200',
  '--central',
  '20',
]
const quick = ['once', 'sqlite', 'app', 'shell', 'browser'].map((name) => `--project=${name}`)
const report = ['--reporter=default', '--reporter=json', '--outputFile.json=.cache/tests.json']

const run = (args, env = {}) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1

/** Each step begins only where the one before it succeeded. */
function runAll(steps) {
  for (const { title, step, env } of steps) {
    const started = Date.now()
    console.log(`\n${title} …`)
    const status = run(step, env)
    if (status !== 0) process.exit(status)
    console.log(`${title}: ${Math.round((Date.now() - started) / 1000)} s`)
  }
}

const tests = { title: 'Tests on SQLite, on Postgres and in a browser', step: vitest('run', ...quick, '--project=postgres', ...report) }
const someWorlds = (count) => ({ title: `${count} simulated worlds of replication, each with its own faults`, step: worlds(count) })
const slow = {
  title: 'Slow tests in their long form',
  step: vitest('run', '--project=slow-sqlite', '--project=slow-postgres'),
  env: { TEST_LONG: '1' },
}
const packages = { title: 'Packages', step: ['--import', 'tsx', join('scripts', 'test-packages.mjs')] }

if (mode === '--watch') process.exit(run(vitest('watch', ...quick, ...rest)))
if (rest.length > 0) process.exit(run(vitest('run', ...(rest.some((one) => one.startsWith('--project')) ? [] : quick), ...rest)))
if (!check()) process.exit(1)
runAll(mode === '--all' ? [tests, slow, someWorlds(500), packages] : [tests, someWorlds(100)])
