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

/** The server's bundle is beside this one; started from the sources, it is in dist. */
function serverProgram(): Program {
  const paths = [join(import.meta.dirname, 'markbook.mjs'), join(import.meta.dirname, '..', '..', 'dist', 'markbook.mjs')]
  const bundle = paths.find((path) => existsSync(path))
  if (!bundle) throw new Error('The server has not been built yet: npm start builds it.')
  return { command: process.execPath, args: [bundle, 'start'] }
}

/** Exit codes: 0 the window was closed, or the command was forwarded; 1 the program cannot start, and prints the reason. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
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
    command: values.quit ? 'quit' : 'open',
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
