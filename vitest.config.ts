import { defineConfig } from 'vitest/config'
import { gatheredWords } from './desktop/ui/gathered-words.ts'
import { leanContract } from './desktop/ui/lean-contract.ts'

/** Server tests that need a database run twice, once on each; everything else once. */
const database = ['server/features/**/*.test.ts', 'server/store/**/*.test.ts', 'server/tests/**/*.test.ts']
/** What comes after a moment is waited for as long as a slow and busy machine takes. */
const patience = { expect: { poll: { timeout: 30_000, interval: 50 } } }
const common = { testTimeout: 120_000, hookTimeout: 120_000, pool: 'forks' as const, ...patience }

export default defineConfig({
  test: {
    // Two files at a time: most of a test's time is the disk's and the other process's.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['shared/**/*.test.ts', 'sync/**/*.test.ts', 'server/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...database],
        },
      },
      {
        test: {
          ...common,
          name: 'browser',
          include: ['desktop/ui/**/*.browser.test.ts'],
          globalSetup: ['desktop/ui/tests/app.setup.ts'],
        },
      },
      {
        plugins: [leanContract(), gatheredWords()],
        test: {
          ...common,
          name: 'app',
          environment: 'happy-dom',
          include: ['desktop/ui/**/*.test.{ts,tsx}'],
          exclude: ['**/node_modules/**', '**/*.browser.test.ts'],
        },
      },
      { test: { ...common, name: 'shell', include: ['desktop/shell/**/*.test.ts'] } },
      { test: { ...common, name: 'sqlite', include: database, env: { TEST_DATABASE: 'sqlite' } } },
      {
        test: {
          ...common,
          name: 'postgres',
          include: database,
          env: { TEST_DATABASE: 'postgres' },
          globalSetup: ['server/testing/cluster.setup.ts'],
        },
      },
    ],
  },
})
