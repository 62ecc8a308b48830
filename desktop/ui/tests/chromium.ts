import { existsSync } from 'node:fs'

const firstOf = (...paths: string[]) => paths.find((path) => existsSync(path)) ?? null
const chosen = process.env['CHROMIUM'] ? [process.env['CHROMIUM']] : []

/** Null where this machine has no Chromium: then the tests that need one are skipped. */
export const chromiumPath = firstOf(
  ...chosen,
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
)

/** The same engine without the program around it, where the machine has it: a page without a window takes a third less time. */
export const headlessPath = firstOf(...chosen, '/usr/bin/chromium-headless-shell') ?? chromiumPath

/** A name of this machine, for what is not trusted at a mere address of it. */
export const NAME_OF_THIS_MACHINE = 'markbook.school'

export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${NAME_OF_THIS_MACHINE} 127.0.0.1`,
  // A page of a test lives for a second or two: to optimize its code costs more than that gains.
  '--js-flags=--no-turbofan --no-maglev',
] as const
