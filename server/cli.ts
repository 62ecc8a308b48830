import { Command } from 'commander'
import { explain } from './verbs/explain.ts'
import { migrateVerb } from './verbs/migrate.ts'
import { seedVerb } from './verbs/seed.ts'
import { startVerb } from './verbs/start.ts'

const verbs = [startVerb, migrateVerb, seedVerb]

/** The program. Ends the process with 0, or with 1 and one clear line. */
export async function main(args: readonly string[]): Promise<void> {
  const program = new Command('markbook').description('School grading and reporting that keeps working when the internet does not')
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
