import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import { contractPlugin } from './desktop/ui/api/contract-plugin.ts'
import { wordsPlugin } from './desktop/ui/words/plugin.ts'

/** Tests whose outcome may differ by database: they run on SQLite and on Postgres. Every other test runs once, with those on SQLite. */
const onBothDatabases = ['server/features/**/*.test.ts', 'server/store/**/*.test.ts', 'server/tests/**/*.test.ts']
/** Among those folders, what never asks a database, and what is refused before one is asked. */
const onceAllTheSame = [
  'server/features/columns.test.ts',
  'server/features/academic-years/roll-over.issues.test.ts',
  'server/features/auth/totp.test.ts',
  'server/features/shapes/offsets.test.ts',
  'server/features/shapes/where.test.ts',
  'server/store/backup/content/*.test.ts',
  'server/store/backup/keep.test.ts',
  'server/store/backup/schedule.test.ts',
  'server/store/encryption.test.ts',
  'server/store/history-chain.test.ts',
  'server/store/postgres.test.ts',
  'server/store/semaphore.test.ts',
  'server/features/deletions.test.ts',
  'server/tests/http/**/*.test.ts',
  'server/tests/lan.test.ts',
  'server/tests/minimal-client.test.ts',
  'server/tests/processes/keyring.test.ts',
  'server/store/backup/of-laptop.test.ts',
  'server/store/sqlite.*.test.ts',
  'server/tests/vectors.test.ts',
  'server/tests/world/options.test.ts',
]
/** Tests that kill, measure or wait for minutes: they run in `npm run test:all`. */
const slow = '**/*.slow.test.ts'
const never = ['**/node_modules/**', '**/dist/**', slow]

/**
 * What runs: `first` in `npm test`, which must answer within ten minutes; `rest` in `npm run test:rest`; all where it is not set. A test
 * belongs to the rest where it costs more than a mistake that it alone would show is likely: whoever changes what it tests runs it by name.
 */
const part = process.env['TEST_PART']
/** On SQLite `npm test` leaves out what starts the program as people do, and scenes of replication, which its simulated worlds live too. */
const restOnSqlite = [
  'server/tests/scenarios/**/*.test.ts',
  'server/tests/processes/**/*.test.ts',
  'server/tests/{audit,backup-process,console-code,doctor,issues,lan,lost-database,mail-down,process}.test.ts',
  'server/tests/world/central.test.ts',
  'desktop/shell/window.test.ts',
]
/**
 * On Postgres `npm test` runs the store and most features. In the rest are what crosses several servers, backups by `pg_dump`, and features
 * whose tests are long and seldom differ by database.
 */
const restOnPostgres = [
  'server/tests/**/*.test.ts',
  'server/store/backup/**/*.test.ts',
  'server/features/{auth,avatars,imports,jobs,sessions}/**/*.test.ts',
]
/** In a browser `npm test` does what a teacher does each day. */
const restInBrowser = ['desktop/ui/**/!(marks|reports|sign-in).browser.test.ts']
/** What of a project runs in this part; `rest`: what `npm test` leaves out of `all`. */
const partOf = (all: readonly string[], rest: readonly string[]) => ({
  include: [...(part === 'rest' ? rest : all)],
  exclude: [...never, ...(part === 'first' ? rest : [])],
})

/** Programs that tests start keep nothing in the keyring of whoever runs them. */
process.env['DBUS_SESSION_BUS_ADDRESS'] = 'unix:path=/nowhere'

/** A slow and busy machine is given the time that it needs. */
const common = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000, interval: 50 } },
  // Documents have the day of the machine that makes them.
  env: { TZ: 'UTC' },
  pool: 'forks' as const,
  // The files of a worker share its modules: to import them anew for each file took longer than the tests.
  isolate: false,
}

/** They measure, kill, and put other modules in the place of real ones: each has a process, and they run one by one. */
const slowly = { ...common, include: [slow], exclude: ['**/node_modules/**', '**/dist/**', '**/.cache/**'], isolate: true, maxWorkers: 1 }

const onPostgres = partOf(onBothDatabases, restOnPostgres)

/**
 * A `globalSetup` runs in the process of Vitest 4.1, which fails where a module from the cache makes an error. Projects share cached modules
 * only where they have the same plugins.
 */
const cacheForWorkers: Plugin = {
  name: 'cache for workers alone',
  configureVitest: ({ experimental_defineCacheKeyGenerator: keep }) =>
    keep(({ environment }) => (environment.name === '__vitest__' ? false : undefined)),
}

export default defineConfig({
  test: {
    // One more than there may be cores: with two, the cores had nothing to do in a sixth of the time.
    maxWorkers: 3,
    // Modules as they were transformed, by content: projects that run one after the other share them, and so do later runs.
    experimental: { fsModuleCache: true, fsModuleCachePath: join(import.meta.dirname, '.cache', 'vitest') },
    projects: [
      {
        plugins: [cacheForWorkers],
        test: {
          ...common,
          name: 'sqlite',
          // What runs once is here too: projects do not share workers, and each worker imports the program anew.
          ...partOf(['{shared,sync,server,scripts,desktop/shell}/**/*.test.ts'], restOnSqlite),
          env: { TEST_DATABASE: 'sqlite' },
        },
      },
      {
        plugins: [cacheForWorkers],
        test: {
          ...common,
          name: 'postgres',
          include: onPostgres.include,
          exclude: [...onPostgres.exclude, ...onceAllTheSame],
          env: { TEST_DATABASE: 'postgres' },
          globalSetup: ['server/testing/cluster.setup.ts'],
        },
      },
      {
        plugins: [contractPlugin(), wordsPlugin()],
        test: {
          ...common,
          name: 'app',
          environment: 'happy-dom',
          include: ['desktop/ui/**/*.test.{ts,tsx}'],
          exclude: [...never, '**/*.browser.test.ts'],
        },
      },
      {
        plugins: [cacheForWorkers],
        test: {
          ...common,
          name: 'browser',
          ...partOf(['desktop/ui/**/*.browser.test.ts'], restInBrowser),
          globalSetup: ['desktop/ui/tests/app.setup.ts'],
          setupFiles: ['desktop/ui/tests/presses.setup.ts'],
        },
      },
      { test: { ...slowly, name: 'slow-sqlite', env: { TEST_DATABASE: 'sqlite' } } },
      {
        plugins: [cacheForWorkers],
        test: {
          ...slowly,
          name: 'slow-postgres',
          env: { TEST_DATABASE: 'postgres' },
          globalSetup: ['server/testing/cluster.setup.ts'],
        },
      },
    ],
  },
})
