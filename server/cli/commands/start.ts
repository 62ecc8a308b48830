import { join } from 'node:path'
import type { Command } from 'commander'
import { setupCodeHere } from '../../features/schools/setup-code.ts'
import { startServer } from '../../start.ts'
import { banner } from '../banner.ts'
import { isAbsurd, SET_CLOCK } from '../doctor/clock.ts'
import { explain } from '../explain.ts'
import { addCommand } from '../help.ts'
import { configureServer } from '../settings/environment.ts'

export const startCommand = (program: Command) =>
  addCommand(program, 'start', 'migrate the database and serve the school', {
    examples: [
      'markbook start                    for this machine alone: http://localhost:3000',
      'markbook start --lan              for the whole building: https, a QR code of the address',
      'INSECURE_LAN=1 markbook start     the same without encryption, where devices cannot be told to trust a certificate',
      'markbook start --demo             a school told as a story, to try things out',
      'markbook start --new              a new, empty school, although DATA_DIR is not there yet or a database was here',
    ],
    note: 'Runs until Ctrl+C or SIGTERM.',
    exits: { 0: 'it was stopped', 1: 'it cannot start, and one clear line says why' },
  })
    .option('--lan', 'serve the other devices of the building, by https, and tell the network where')
    .option('--demo', 'serve a school told as a story, in a folder of its own, to try things out')
    .option('--new', 'begin a new, empty school on purpose: in a folder that is not there yet, or where a database is gone or damaged')
    .option('--i-know', 'start although the data folder is in a cloud folder or on a network share, which can damage the database')
    .action(serve)

/** The demo has a data folder of its own on SQLite, so that it never touches the data of a school. */
const demoSettings = () => ({ DATA_DIR: join(process.env['DATA_DIR'] ?? './data', 'demo') })

/** Imported on demand: building the story would add a tenth to the start of every other command. */
async function theStory() {
  const [{ DEMO_ACCOUNTS }, { seedDemo }] = await Promise.all([import('../demo/accounts.ts'), import('../demo/seed-demo.ts')])
  return { accounts: DEMO_ACCOUNTS, seed: seedDemo }
}

type Options = { demo?: boolean; lan?: boolean; new?: boolean; iKnow?: boolean }

/**
 * Runs a server until it is stopped. `new`: begin an empty database on purpose; `iKnow`: accept a data folder on a cloud or network drive.
 */
export async function serve({ demo = false, lan = false, new: anew = false, iKnow = false }: Options) {
  const chosen = { ...(demo && demoSettings()), ...(lan && { LAN: 'true' }) }
  // The folder of a demonstration may always be begun anew, and may be on any drive.
  const said = { anew: anew || demo, isKnown: iKnow || demo }
  const config = await configureServer(chosen, said)
  // The sign-in page shows codes for the demo accounts only at a school node without a mail server.
  const story = demo ? await theStory() : null
  const accounts = config.role === 'school' && !config.smtpUrl ? (story?.accounts ?? []) : []
  let running = await startServer(config, { demo: accounts })
  const signal = stopOnSignal(() => running.stop())
  if (config.windowSecret) stopWithProgram(signal.stop)
  await story?.seed(running.node.services.store)
  const tell = async () => {
    const { services } = running.node
    const setup = await setupCodeHere(services)
    const absurd = isAbsurd({ now: services.clock.now() })
    const notes = [...running.notes, ...(absurd ? [`ATTENTION: ${absurd} Marks are written down with that time. ${SET_CLOCK}`] : [])]
    const whereabouts = { ...running, ...services, notes, urls: running.presence.urls(), setupCode: setup?.isFirst ? setup.code : null }
    console.log(banner(config, whereabouts, story?.accounts ?? []))
  }
  await tell()
  await running.wiped
  if (signal.isStopping()) return
  await running.stop()
  // After a wipe the server starts again at the same address, as a computer that has joined no school.
  running = await startServer(await configureServer({ ...chosen, PORT: String(running.port) }, said))
  await tell()
}

/** Stops where standard input ends: the program that started this server holds it open, and there is no such signal on Windows. */
function stopWithProgram(stop: () => void) {
  process.stdin.on('end', stop).on('error', stop).resume()
}

function stopOnSignal(end: () => Promise<void>): { stop(): void; isStopping(): boolean } {
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    console.log('\nFinishing what is in flight …')
    end().then(
      () => {
        console.log('Stopped.')
        process.exit(0)
      },
      (error) => {
        console.error(explain(error))
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  return { stop, isStopping: () => stopping }
}
