import { existsSync } from 'node:fs'

const firstOf = (...paths: string[]) => paths.find((path) => existsSync(path)) ?? null
const chosen = process.env['CHROMIUM'] ? [process.env['CHROMIUM']] : []

/** Null without a Chromium on this machine: the tests that need one are skipped. */
export const chromiumPath = firstOf(
  ...chosen,
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
)

/** The headless build of Chromium, where the machine has it: its pages take a third less time. */
export const headlessPath = firstOf(...chosen, '/usr/bin/chromium-headless-shell') ?? chromiumPath

/** A host name of this machine, for features that browsers forbid at an IP address. */
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
  // The page of a test lives for a second or two, too short for optimised code to pay off.
  '--js-flags=--no-turbofan --no-maglev',
] as const
