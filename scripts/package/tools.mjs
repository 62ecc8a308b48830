// What a package is made with, beside npm's packages.
import { spawnSync } from 'node:child_process'

export const isThere = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).error === undefined

const needs = {
  deb: [['dpkg-deb', '--version'], 'dpkg-deb is not on this machine; it comes with Debian and Ubuntu.'],
  win: [['makensis', '-VERSION'], 'makensis is not on this machine: sudo apt install nsis'],
}

/** What is missing for a package, in a sentence; null where nothing is. */
export function lacks(kind) {
  const [command, sentence] = needs[kind.split('-')[0]]
  return isThere(...command) ? null : `${sentence} It was not made.`
}
