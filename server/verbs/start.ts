import { join } from 'node:path'
import type { Command } from 'commander'
import { banner, DEMO_ACCOUNTS } from '../banner.ts'
import { seedStory } from '../seed/seed.ts'
import { type Running, startServer } from '../start.ts'
import { configure } from './environment.ts'
import { explain } from './explain.ts'

export const startVerb = (program: Command) =>
  program
    .command('start')
    .description('migrate the database and serve the school')
    .option('--demo', 'serve a school told as a story, in a folder of its own, to try things out')
    .action(start)

/** The demo never touches a school's own data: on SQLite it has a folder of its own. */
const demoSettings = () => ({ DATA_DIR: join(process.env['DATA_DIR'] ?? './data', 'demo') })

async function start({ demo = false }: { demo?: boolean }) {
  const config = configure(demo ? demoSettings() : {})
  const running = await startServer(config)
  stopOnSignal(running)
  if (demo) await seedStory(running.node.services.store, { again: true })
  console.log(banner({ ...config, port: running.port }, demo ? DEMO_ACCOUNTS : []))
}

function stopOnSignal(running: Running) {
  let stopping = false
  const stop = () => {
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
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
}
