// Brings node_modules to what the lock file says; the other scripts call it first, so that each works on a fresh clone.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const packagesIn = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return null
  }
}

/** npm writes down what it installed; a package of the lock that is absent there is one for another machine, or missing. */
function isCurrent() {
  const wanted = packagesIn(join(root, 'package-lock.json'))
  const installed = packagesIn(join(root, 'node_modules', '.package-lock.json'))
  if (!installed) return false
  return Object.entries(wanted).every(([path, { version, link, optional }]) => {
    if (!path.startsWith('node_modules/') || link) return true
    return installed[path] ? installed[path].version === version : optional === true
  })
}

/** Installs where nothing is installed yet or the lock file has changed since. Ends the program where that fails. */
export function ensureInstalled() {
  if (isCurrent()) return
  // npm writes it anew when it is done: an installation that was broken off is begun again.
  rmSync(join(root, 'node_modules', '.package-lock.json'), { force: true })
  console.log('Installing what the lock file names (a minute or two, the first time) …')
  const started = Date.now()
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error('The packages could not be installed. Is the network there? Nothing was started.')
    process.exit(status ?? 1)
  }
  console.log(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`)
}
