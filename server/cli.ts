import { Command } from 'commander'
import { backupVerb } from './verbs/backup.ts'
import { certVerb } from './verbs/cert.ts'
import { codeVerb } from './verbs/code.ts'
import { configVerb } from './verbs/config.ts'
import { explain } from './verbs/explain.ts'
import { migrateVerb } from './verbs/migrate.ts'
import { restoreVerb } from './verbs/restore.ts'
import { seedVerb } from './verbs/seed.ts'
import { serviceVerb } from './verbs/service.ts'
import { startVerb } from './verbs/start.ts'
import { statusVerb } from './verbs/status.ts'
import { version } from './version.ts'

const verbs = [startVerb, migrateVerb, seedVerb, codeVerb, backupVerb, restoreVerb, certVerb, serviceVerb, configVerb, statusVerb]

const WRONG_USAGE = 2

/** The program. Ends the process with 0, with 1 and one clear line, with 2 on wrong usage, or as a verb's help says. */
export async function main(args: readonly string[]): Promise<void> {
  // Marks, names and secrets: no other account of the machine reads what the program writes.
  process.umask(0o077)
  const program = new Command('markbook').description('School grading and reporting that keeps working when the internet does not')
  program.version(version).exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? WRONG_USAGE : exitCode))
  for (const verb of verbs) verb(program)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
}

const runsItself = process.argv[1]?.endsWith('cli.ts') || process.argv[1]?.endsWith('markbook.mjs')
if (runsItself) await main(process.argv.slice(2))
