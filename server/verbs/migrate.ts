import type { Command } from 'commander'
import { openStore } from '../start.ts'
import { configure } from './environment.ts'

export const migrateVerb = (program: Command) =>
  program.command('migrate').description('bring the database to the current version and stop').action(migrate)

async function migrate() {
  const store = await openStore(configure())
  await store.close()
  console.log('The database is up to date.')
}
