import { join } from 'node:path'
import { Command } from 'commander'
import { banner, DEMO_ACCOUNTS } from './banner.ts'
import { type Config, ConfigError, readConfig, readDotEnv } from './config.ts'
import { seedStory } from './seed/seed.ts'
import { openStore, startServer } from './start.ts'

/** The program: `markbook start`, `markbook migrate`, `markbook seed`. Ends the process with 0, or 1 and one clear line. */
export async function main(args: readonly string[]): Promise<void> {
  const program = new Command('markbook').description('School grading and reporting that keeps working when the internet does not')
  program
    .command('start')
    .description('migrate the database and serve the school')
    .option('--demo', 'serve a school told as a story, in a folder of its own, to try things out')
    .action(start)
  program.command('migrate').description('bring the database to the current version and stop').action(migrate)
  program
    .command('seed')
    .description('fill an empty database: with the story of St Brigid’s, or with the marks of 395 real pupils')
    .argument('<what>', 'story or real')
    .action(seed)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
}

const configure = (more: Record<string, string> = {}): Config =>
  readConfig({ ...readDotEnv(join(process.cwd(), '.env')), ...process.env, ...more })

async function start({ demo = false }: { demo?: boolean }) {
  const config = configure(demo ? demoSettings() : {})
  const running = await startServer(config)
  if (demo) await seedStory(running.node.services.store, { again: true })
  console.log(banner({ ...config, port: running.port }, demo ? DEMO_ACCOUNTS : []))
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      console.log('\nFinishing what is in flight …')
      running.stop().then(
        () => process.exit(0),
        (error) => {
          console.error(explain(error))
          process.exit(1)
        },
      )
    })
  }
}

/** The demo never touches a school's own data: on SQLite it has a folder of its own. */
const demoSettings = () => ({ DATA_DIR: join(process.env['DATA_DIR'] ?? './data', 'demo') })

async function migrate() {
  const store = await openStore(configure())
  await store.close()
  console.log('The database is up to date.')
}

async function seed(what: string) {
  const config = configure()
  if (what === 'story') {
    const store = await openStore(config)
    await seedStory(store, { again: false }).finally(() => store.close())
  } else if (what === 'real') throw new ConfigError('soon')
  else throw new ConfigError(`There is no ${what} to seed: it is story or real.`)
}

type Known = { code?: string; port?: number; message?: string }

/** One line for a person; what is unexpected keeps its trace. */
function explain(error: unknown): string {
  const { code, port, message } = error as Known
  if (code === 'EADDRINUSE') return `Port ${port} is taken by another program. Stop it, or choose another with PORT=3001.`
  if (code === 'EACCES') return `This account may not use that port or folder: ${message}`
  if (code === 'ECONNREFUSED') return 'The database of DATABASE_URL does not answer. Is PostgreSQL running there?'
  if (error instanceof ConfigError) return error.message
  return error instanceof Error && !('code' in error) ? error.message : String((error as Error).stack ?? error)
}

const runsItself = process.argv[1]?.endsWith('cli.ts') || process.argv[1]?.endsWith('markbook.mjs')
if (runsItself) await main(process.argv.slice(2))
