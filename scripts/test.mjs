// `npm test`: installs what is missing, checks, and runs the tests on SQLite and of the app, and the first ones on Postgres and in a browser.
// `npm test -- path …`: only these tests, without Postgres; `--project postgres` and other options are passed to vitest.
// `npm run test:watch [-- path …]`: runs them again after every change.
// `npm run test:rest`: the others: scenes of replication, tests on Postgres and in a browser, those that start processes.
// `npm run test:all`: every test, also the slow ones in their long form, 500 simulated worlds, and the packages.
// docs/testing.md says what runs when, and how long it takes.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { check } from './check.mjs'
import { root } from './install.mjs'

const [mode, ...asked] = /^--(watch|rest|all)$/.test(process.argv[2] ?? '') ? process.argv.slice(2) : ['', ...process.argv.slice(2)]

/** What vitest.config.ts keeps; a module that was changed is there once more. */
const cachedModules = join(root, '.cache', 'vitest')
if (existsSync(cachedModules) && readdirSync(cachedModules).length > 10_000) rmSync(cachedModules, { recursive: true })

const vitest = (...args) => [join('node_modules', 'vitest', 'vitest.mjs'), ...args]

const quick = ['sqlite', 'app', 'browser'].map((name) => `--project=${name}`)
const reportFile = join(root, '.cache', 'tests.json')
const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]

const run = (args, env = {}) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1

/** Runs the steps in order, and ends after one that failed, unless its `again` succeeds. */
function runAll(steps) {
  for (const { title, step, env, again } of steps) {
    const started = Date.now()
    console.log(`\n${title} …`)
    const status = run(step, env)
    if (status !== 0 && !again?.()) process.exit(status)
    console.log(`${title}: ${Math.round((Date.now() - started) / 1000)} s`)
  }
}

/**
 * Returns whether at most three files failed, and these pass when they run alone: a busy machine can be too slow for a browser or a
 * process. A file that draws random cases is not repeated, since it would draw others.
 */
function failedFilesPassAlone() {
  const failed = JSON.parse(readFileSync(reportFile, 'utf8')).testResults.filter(({ status }) => status === 'failed')
  const files = failed.map(({ name }) => relative(root, name))
  if (files.length === 0 || files.length > 3 || files.some(drawsAtRandom)) return false
  console.log(`\nOnce more, alone: ${files.join(', ')} …`)
  if (run(vitest('run', ...files, '--maxWorkers=1')) !== 0) return false
  console.log(`UNSTABLE: ${files.join(', ')} passed only when run alone.`)
  return true
}

const drawsAtRandom = (file) => readFileSync(join(root, file), 'utf8').includes("from 'fast-check'")

const testsOf = (title, projects, env) => ({ title, step: vitest('run', ...projects, ...report), env, again: failedFilesPassAlone })
const everyProject = [...quick, '--project=postgres']
const first = testsOf('Tests on SQLite and of the app, first ones on Postgres and in a browser', everyProject, { TEST_PART: 'first' })
const rest = testsOf(
  'The rest: scenes of replication, on Postgres, in a browser, and with processes',
  everyProject.toSpliced(everyProject.indexOf('--project=app'), 1),
  {
    TEST_PART: 'rest',
  },
)
const LONG = { TEST_LONG: '1' }
const all = testsOf('Tests on SQLite, on Postgres and in a browser', everyProject, LONG)
const someWorlds = (count, events, ...more) => ({
  title: `${count} simulated worlds of replication, each with its own faults`,
  step: [
    '--import',
    'tsx',
    join('server', 'tests', 'world', 'cli.ts'),
    '--seeds',
    String(count),
    '--events',
    String(events),
    '--central',
    '20',
    ...more,
  ],
})
const slow = {
  title: 'Slow tests in their long form',
  step: vitest('run', '--project=slow-sqlite', '--project=slow-postgres'),
  env: LONG,
}
const packages = { title: 'Packages', step: ['--import', 'tsx', join('scripts', 'test-packages.mjs')] }

if (mode === '--watch') process.exit(run(vitest('watch', ...quick, ...asked)))
if (asked.length > 0) process.exit(run(vitest('run', ...(asked.some((one) => one.startsWith('--project')) ? [] : quick), ...asked)))
if (mode === '--rest') runAll([rest])
else {
  if (!(await check())) process.exit(1)
  runAll(
    mode === '--all'
      ? [all, slow, someWorlds(100, 200), someWorlds(500, 200, '--structure', '0'), packages]
      : [first, someWorlds(100, 100)],
  )
}
