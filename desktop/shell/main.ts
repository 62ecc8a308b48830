import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { thisMachine } from './config.ts'
import type { Program } from './server.ts'
import { runShell } from './shell.ts'

const HELP = `Markbook: the teachers' program. It opens its window, or brings the one that is open to the front.

  --quit              close the Markbook of this user that runs
  --browser <path>    show the window with this Edge, Chrome or Chromium
  --browser-flag <x>  one more argument for the browser; may be given several times`

/** The server's bundle lies beside this one; from the sources it was built into dist. */
function serverProgram(): Program {
  const places = [join(import.meta.dirname, 'markbook.mjs'), join(import.meta.dirname, '..', '..', 'dist', 'markbook.mjs')]
  const bundle = places.find((path) => existsSync(path))
  if (!bundle) throw new Error('The server has not been built yet: npm start builds it.')
  return { command: process.execPath, args: [bundle, 'start'] }
}

/** Exit codes: 0 the window was closed, or the one that runs already has heard; 1 it cannot start, and says why. */
export async function main(given: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...given],
    options: {
      quit: { type: 'boolean' },
      browser: { type: 'string' },
      'browser-flag': { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  return runShell({
    machine: thisMachine(),
    program: serverProgram(),
    wish: values.quit ? 'quit' : 'open',
    browser: values.browser ?? null,
    flags: values['browser-flag'] ?? [],
    locale: Intl.DateTimeFormat().resolvedOptions().locale,
  })
}

process.umask(0o077)
main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  },
)
