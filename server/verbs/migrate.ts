import type { Command } from 'commander'
import { openStore } from '../start.ts'
import { configure } from './environment.ts'

export const migrateVerb = (program: Command) =>
  program
    .command('migrate')
    .description('bring the database to the current version and stop; the server must be stopped')
    .addHelpText('after', HELP)
    .action(migrate)

const HELP = `
A start does the same by itself. A database that holds something is backed up first.

Examples:
  $ markbook migrate
  $ markbook backup && markbook migrate     where BACKUPS=false, on one instance of a central server

Exit codes:
  0  the database is of this version now
  1  it was refused: a server runs, the backup failed, or the database is of a newer Markbook
  2  wrong usage`

async function migrate() {
  const store = await openStore(configure())
  await store.close()
  console.log('The database is up to date.')
}
