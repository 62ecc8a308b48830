// `npm run test:packages [name …]`: makes the packages (names as in `npm run package`) and tries them as they are installed. Prints which
// ones this machine lacks tools for, and leaves them out.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lacking, lookInto, openScreen, startProgram, until } from '../desktop/shell/display.fixtures.ts'
import { chromiumPath } from '../desktop/ui/tests/chromium.ts'
import { makeDeb } from './package/deb.mjs'
import { isThere, lacks } from './package/tools.mjs'
import { makeInstaller } from './package/windows.mjs'

const folder = mkdtempSync(join(tmpdir(), 'markbook-packages-'))

/** Starts a server, waits until it is ready, requests files that a package may lack, and stops it. */
async function tryServer(command, args, env, { canStop = true, cwd = folder } = {}) {
  const log = join(folder, `${env.PORT}.log`)
  // A file, because wine passes no pipes to a program without a console.
  const file = openSync(log, 'w')
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', file, file] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const ask = async (path) => {
    const reply = await fetch(`http://127.0.0.1:${env.PORT}${path}`)
    return reply.ok ? reply.text() : undefined
  }
  await until(() => ask('/readyz'), 'the server is ready', 90_000).catch((error) => {
    throw new Error(`${error.message}\n${readFileSync(log, 'utf8')}`)
  })
  for (const path of ['/', '/docs', '/docs/swagger-ui-bundle.js', '/openapi.json']) assert.ok(await ask(path), `${path} is served`)
  child.kill('SIGTERM')
  const code = await ended
  closeSync(file)
  if (canStop) assert.deepEqual([code, /Stopped\./.test(readFileSync(log, 'utf8'))], [0, true])
}

/** Checks that the licences of server and app are in the package, and that the bill of materials names each of these packages. */
function readBill(program) {
  const { bomFormat, components } = JSON.parse(readFileSync(join(program, 'sbom.cdx.json'), 'utf8'))
  assert.equal(bomFormat, 'CycloneDX')
  const named = new Set(components.map(({ name, version }) => `${name} ${version}`))
  const licences = readFileSync(join(program, 'THIRD-PARTY.txt'), 'utf8').matchAll(/^(\S+ \d+\.\d+\.\S+) \(/gm)
  const licensed = [...licences].map(([, name]) => name)
  for (const part of ['hono', 'react-dom', 'workbox-precaching'])
    assert.ok(
      licensed.some((name) => name.startsWith(`${part} `)),
      part,
    )
  const missing = licensed.filter((name) => !named.has(name))
  assert.deepEqual(missing, [], 'in the bill of materials')
}

async function tryDeb(file) {
  const at = join(folder, 'desktop')
  execFileSync('dpkg-deb', ['-x', file, at])
  assert.ok(existsSync(join(at, 'usr', 'share', 'applications', 'markbook.desktop')))
  readBill(join(at, 'usr', 'lib', 'markbook-desktop', 'program'))
  if (lacking || !chromiumPath) return 'its window was not opened: Xvfb or Chromium is not on this machine'
  const screen = await openScreen()
  const environment = { XDG_DATA_HOME: join(folder, 'data'), XDG_RUNTIME_DIR: folder, DISPLAY: screen.name }
  const command = [join(at, 'usr', 'bin', 'markbook-desktop')]
  const started = performance.now()
  const program = startProgram(environment, [], command)
  const { browser, page } = await lookInto(join(folder, 'data', 'markbook', 'window'))
  await page.getByLabel('Address of the school’s server').waitFor()
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  assert.equal(await startProgram(environment, ['--quit'], command).ended, 0)
  assert.equal(await program.ended, 0, program.output())
  await browser.close().catch(() => {})
  screen.close()
  return `its window was usable after ${seconds} s`
}

async function tryDebServer(file) {
  const at = join(folder, 'server')
  execFileSync('dpkg-deb', ['-x', file, at])
  readBill(join(at, 'usr', 'lib', 'markbook-server', 'program'))
  const environment = { PATH: process.env.PATH, DATA_DIR: join(folder, 'marks'), PORT: '38417', MARKBOOK_CONFIG: '' }
  const command = join(at, 'usr', 'bin', 'markbook')
  const run = (...args) => execFileSync(command, args, { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  run('seed', 'story')
  await tryServer(command, ['start'], environment)
  assert.match(run('backup'), /Backed up and verified/)
  // Tests the workers, their bundle and the fonts.
  run('reports', '--school', 'St Brigid’s', '--class', '3B', '--term', 'michaelmas', '--out', join(folder, 'reports'))
  return 'it served, backed up and made the report cards of a class'
}

/** Installs into a Windows folder of its own. */
function underWine(file, installed) {
  const environment = { ...process.env, WINEPREFIX: join(folder, 'wine'), WINEDEBUG: '-all' }
  const wine = (...args) => execFileSync('wine', args, { env: environment, stdio: 'ignore', timeout: 180_000 })
  if (!existsSync(environment.WINEPREFIX)) {
    wine('wineboot', '-i')
    wine('reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f')
  }
  wine(file, '/S')
  const place = join(environment.WINEPREFIX, 'drive_c', installed.replace('USER', process.env.USER ?? 'root'))
  assert.ok(existsSync(place), `${place} was installed`)
  return { environment, place, wine }
}

const tryWindows = (name, installed, port) => async (file) => {
  if (!isThere('wine', '--version')) return 'it was made, but not tried: wine is not on this machine (sudo apt install wine)'
  const { environment, place, wine } = underWine(file, installed)
  // The settings that the installer wrote would serve the network.
  const env = { ...environment, PORT: String(port), LAN: 'false', DATA_DIR: 'C:\\marks' }
  await tryServer('wine', [join(place, name), 'program/markbook.mjs', 'start', '--new'], env, { canStop: false, cwd: place })
  wine(join(place, 'uninstall.exe'), '/S')
  await until(() => !existsSync(join(place, name)) || undefined, 'it is uninstalled', 60_000)
  return 'it was installed, served and was uninstalled under wine'
}

const USER = 'users/USER/AppData/Local/Programs/Markbook'
const packages = {
  deb: [makeDeb, tryDeb],
  'deb-server': [makeDeb, tryDebServer],
  win: [makeInstaller, tryWindows('Markbook.exe', USER, 38_418)],
  'win-server': [makeInstaller, tryWindows('markbook.exe', 'Program Files/Markbook Server', 38_419)],
}

const wanted = process.argv.slice(2)
try {
  for (const [kind, [make, attempt]] of Object.entries(packages).filter(([name]) => wanted.length === 0 || wanted.includes(name))) {
    const missing = lacks(kind)
    if (missing) {
      console.log(`- ${kind}: ${missing}`)
      continue
    }
    const started = performance.now()
    const file = await make(kind, folder, { quick: true })
    const outcome = await attempt(file)
    console.log(`✓ ${kind}: ${outcome} (${((performance.now() - started) / 1_000).toFixed(0)} s)`)
  }
} finally {
  if (existsSync(join(folder, 'wine'))) spawnSync('wineserver', ['-k', '-w'], { env: { ...process.env, WINEPREFIX: join(folder, 'wine') } })
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}
process.exit(0)
