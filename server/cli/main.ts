import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { version } from '../version.ts'
import { auditCommand } from './commands/audit.ts'
import { backupCommand } from './commands/backup.ts'
import { certCommand } from './commands/cert.ts'
import { codeCommand } from './commands/code.ts'
import { configCommand } from './commands/config.ts'
import { demoCommand } from './commands/demo.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { importCommand } from './commands/import.ts'
import { issuesCommand } from './commands/issues.ts'
import { joinCommand } from './commands/join.ts'
import { migrateCommand } from './commands/migrate.ts'
import { nodeCommand } from './commands/node.ts'
import { reportsCommand } from './commands/reports.ts'
import { restoreCommand } from './commands/restore.ts'
import { seedCommand } from './commands/seed.ts'
import { serviceCommand } from './commands/service.ts'
import { startCommand } from './commands/start.ts'
import { statusCommand } from './commands/status.ts'
import { syncCommand } from './commands/sync.ts'
import { explain } from './explain.ts'
import { ignoreOutputErrors, printNoCommands } from './printed.ts'
import { unlockForCommand } from './settings/environment.ts'

/** By the headings of `markbook --help`. */
const commands = {
  'Run a server:': [startCommand, demoCommand, statusCommand, doctorCommand, auditCommand, codeCommand],
  'Import and export:': [importCommand, exportCommand, reportsCommand],
  'Work with other servers and laptops:': [joinCommand, nodeCommand, syncCommand, issuesCommand],
  'Back up:': [backupCommand, restoreCommand],
  'Set up:': [certCommand, serviceCommand, configCommand, migrateCommand, seedCommand],
}

const WRONG_USAGE = 2

/** The program with all its commands. */
export function createProgram(): Command {
  const program = new Command('markbook').description('School grading and reporting that keeps working when the internet does not')
  program.version(version)
  for (const [heading, group] of Object.entries(commands)) {
    program.commandsGroup(heading)
    for (const add of group) add(program)
  }
  program.commandsGroup('Help:').helpCommand('help [command]', 'print the help of a command')
  return program.addHelpText('after', HELP)
}

const HELP = `
Each command has its own help, with examples and exit codes: markbook backup --help

Examples:
  $ markbook start --lan
  $ markbook doctor`

/** Runs the command. Exits with 0, with 1 and a line about the error, with 2 on wrong usage, or with a code of the command's help. */
export async function main(args: readonly string[]): Promise<void> {
  // Files of this process have marks, names and secrets: no other account may read them.
  process.umask(0o077)
  ignoreOutputErrors()
  printNoCommands()
  try {
    const program = createProgram().hook('preAction', (_, command) => unlockFor(command))
    for (const command of withSubcommands(program))
      command.exitOverride(({ exitCode }) => process.exit(exitCode === 1 ? WRONG_USAGE : exitCode))
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    console.error(explain(error))
    process.exit(error instanceof CommanderError ? error.exitCode : 1)
  }
}

/** The commands that run a server unlock the database themselves, after they have changed to the account of the data folder. */
const unlockFor = async (command: Command) => {
  if (!SERVERS.has(command.name())) await unlockForCommand(command.opts<{ dataDir?: string }>().dataDir)
}
const SERVERS = new Set(['start', 'demo'])

const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)]

const runsItself = process.argv[1]?.endsWith(join('cli', 'main.ts')) || process.argv[1]?.endsWith('markbook.mjs')
if (runsItself) await main(process.argv.slice(2))
