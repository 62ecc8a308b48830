// Makes node_modules match the lock file. `node scripts/install.mjs` installs everything; a start calls the functions below, which leave
// out the packages for tests, checks and packaging (the devDependencies).
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withProgress } from './progress.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** npm writes this file when an installation is complete. */
const record = join(root, 'node_modules', '.package-lock.json')
const compiled = join(root, 'node_modules', 'better-sqlite3', 'build', 'Release')
const addon = join(compiled, 'better_sqlite3.node')

const packagesIn = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return null
  }
}

function npm(...args) {
  const running = spawn('npm', [...args, '--no-audit', '--no-fund', '--progress=false', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    // node-gyp compiles on every core. -O2 is the level of SQLite's own builds; the default -O3 takes a fifth longer and makes nothing
    // faster.
    env: { CFLAGS: '-O2', CXXFLAGS: '-O2', ...process.env, JOBS: 'max' },
    shell: process.platform === 'win32',
  })
  return new Promise((resolve) => {
    running.on('error', () => resolve(1))
    running.on('exit', (code) => resolve(code ?? 1))
  }).then((code) => {
    if (code === 0) return
    console.error('The packages could not be installed. Is the network there? Nothing was started.')
    process.exit(code)
  })
}

/**
 * Installs packages that are missing or have another version than in the lock file; ends the process where that fails. Updates
 * devDependencies that are installed, and never removes them. With devDependencies the install scripts run in a second step, so that its
 * progress is shown; without, `ensureCompiled` runs the one that is needed.
 */
export async function ensureInstalled({ development }) {
  const installed = packagesIn(record)
  const packages = Object.entries(packagesIn(join(root, 'package-lock.json'))).filter(
    ([path, { link, dev }]) => path.startsWith('node_modules/') && !link && (development || !dev),
  )
  // An optional package that is absent is for another system. An alias of npm has the same name and version as another package.
  const isSame = (path, { version, integrity }) => installed?.[path]?.version === version && installed[path].integrity === integrity
  const isCurrent = ([path, wanted]) => (existsSync(join(root, path)) ? isSame(path, wanted) : wanted.optional === true)
  if (installed && packages.every(isCurrent)) return
  // Without this file an interrupted installation is repeated.
  rmSync(record, { force: true })
  const hasDevelopment = development || Object.values(installed ?? {}).some(({ dev }) => dev)
  const command = installed ? ['install', '--no-save'] : ['ci']
  const options = hasDevelopment ? [] : ['--omit=dev']
  const expected = packages.filter(([, { optional }]) => !optional).map(([path]) => join(root, path, 'package.json'))
  const share = () => Math.round((expected.filter((path) => existsSync(path)).length / expected.length) * 100)
  await withProgress('installing packages', () => npm(...command, ...options, '--ignore-scripts'), share)
  if (!hasDevelopment) return removeSourceMaps()
  renameSync(record, `${record}.new`)
  await withProgress('compiling SQLite and setting up test tools (about a minute)', () => npm('rebuild'))
  removeIntermediates()
  renameSync(`${record}.new`, record)
}

/** The SQLite addon: downloaded where there is a build for this system, else compiled. */
export async function ensureCompiled() {
  if (existsSync(addon)) return
  await withProgress('compiling SQLite (about a minute)', () => npm('rebuild', 'better-sqlite3'))
  removeIntermediates()
}

/** The compiler's other output beside the addon, 18 MB. */
function removeIntermediates() {
  for (const name of readdirSync(compiled)) if (join(compiled, name) !== addon) rmSync(join(compiled, name), { recursive: true })
}

/** Only debuggers read them; 60 MB. */
function removeSourceMaps() {
  const packages = join(root, 'node_modules')
  for (const path of readdirSync(packages, { recursive: true })) if (path.endsWith('.map')) rmSync(join(packages, path), { force: true })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await ensureInstalled({ development: true })
  await ensureCompiled()
}
