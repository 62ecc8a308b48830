// The programs that are needed to make a package, besides npm packages.
import { spawnSync } from 'node:child_process'

export const isThere = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).error === undefined

const needs = {
  deb: [['dpkg-deb', '--version'], 'dpkg-deb is not on this machine; it comes with Debian and Ubuntu.'],
  win: [['makensis', '-VERSION'], 'makensis is not on this machine: sudo apt install nsis'],
}

/** A sentence about the program that is missing to make a package; null where none is. */
export function lacks(kind) {
  const [command, sentence] = needs[kind.split('-')[0]]
  return isThere(...command) ? null : `${sentence} It was not made.`
}
