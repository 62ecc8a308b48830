import type { Command } from 'commander'
import { openStore } from '../../start.ts'
import { addCommand } from '../help.ts'
import { configureToMigrate } from '../settings/environment.ts'

export const migrateCommand = (program: Command) =>
  addCommand(program, 'migrate', 'bring the database to the current version and stop; the server must be stopped', {
    about: 'A start does the same by itself. A database that holds something is backed up first.',
    examples: ['markbook migrate', 'markbook backup && markbook migrate     where BACKUPS=false, on one instance of a central server'],
    exits: {
      0: 'the database is of this version now',
      1: 'it was refused: a server runs, the backup failed, or the database is of a newer Markbook',
    },
  }).action(migrate)

async function migrate() {
  const store = await openStore(await configureToMigrate())
  await store.close()
  console.log('The database is up to date.')
}
