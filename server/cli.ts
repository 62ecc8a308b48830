import { Command } from 'commander'
import { backupVerb } from './verbs/backup.ts'
import { certVerb } from './verbs/cert.ts'
import { codeVerb } from './verbs/code.ts'
import { configVerb } from './verbs/config.ts'
import { demoVerb } from './verbs/demo.ts'
import { doctorVerb } from './verbs/doctor.ts'
import { explain } from './verbs/explain.ts'
import { exportVerb } from './verbs/export.ts'
import { importVerb } from './verbs/import.ts'
import { joinVerb } from './verbs/join.ts'
import { migrateVerb } from './verbs/migrate.ts'
import { nodeVerb } from './verbs/node.ts'
import { reportsVerb } from './verbs/reports.ts'
import { restoreVerb } from './verbs/restore.ts'
import { seedVerb } from './verbs/seed.ts'
import { serviceVerb } from './verbs/service.ts'
import { startVerb } from './verbs/start.ts'
import { statusVerb } from './verbs/status.ts'
import { syncVerb } from './verbs/sync.ts'
import { version } from './version.ts'

const verbs = [
  startVerb,
  demoVerb,
  statusVerb,
  doctorVerb,
  codeVerb,
  importVerb,
  exportVerb,
  reportsVerb,
  joinVerb,
  nodeVerb,
  syncVerb,
  backupVerb,
  restoreVerb,
  certVerb,
  serviceVerb,
  configVerb,
  migrateVerb,
  seedVerb,
]

const WRONG_USAGE = 2

/** The program and all its verbs. */
export function createProgram(): Command {
  const program = new Command('markbook').description('School grading and reporting that keeps working when the internet does not')
  program.version(version)
  for (const verb of verbs) verb(program)
  return program.addHelpText('after', HELP)
}

const HELP = `
Each verb explains itself, with examples and its exit codes: markbook backup --help

Examples:
  $ markbook start --lan
  $ markbook doctor`

/** Ends the process with 0, with 1 and one clear line, with 2 on wrong usage, or as a verb's help says. */
export async function main(args: readonly string[]): Promise<void> {
  // Marks, names and secrets: no other account of the machine reads what the program writes.
  process.umask(0o077)
  try {
    const program = createProgram()
    for (const command of withSubcommands(program))
      command.exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? WRONG_USAGE : exitCode))
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
}

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)]

const runsItself = process.argv[1]?.endsWith('cli.ts') || process.argv[1]?.endsWith('markbook.mjs')
if (runsItself) await main(process.argv.slice(2))
