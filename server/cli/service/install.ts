import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../make-folder.ts'
import { readSettings } from '../settings/settings-file.ts'
import { type Host, must } from './host.ts'
import { firstSettings, isUnitPath, unitOf } from './unit.ts'

export const SERVICE = 'markbook'
export const UNIT_FILE = '/etc/systemd/system/markbook.service'
/** The path of the unit in the Debian package. */
export const PACKAGED_UNIT = '/usr/lib/systemd/system/markbook.service'
const COMMAND_FILE = '/usr/local/bin/markbook'

/** `program`: the bundle that `node` runs; `dataDir`: used where the settings file does not name a folder. */
export type InstallOptions = { user: string; node: string; program: string; configFile: string; dataDir: string }
type Log = (line: string) => void

/** The data folder, the port and the backup folders in the settings file of the machine, or the defaults. */
function settledBy({ configFile, dataDir }: InstallOptions, { root }: Host): { dataDir: string; port: number; writes: string[] } {
  const path = root + configFile
  const settings = existsSync(path) ? readSettings(path).settings : {}
  const { DATA_DIR = dataDir, PORT = '3000', BACKUP_DIR, BACKUP_COPY_DIR } = settings
  return { dataDir: DATA_DIR, port: Number(PORT), writes: [BACKUP_DIR, BACKUP_COPY_DIR].filter((path) => path !== undefined) }
}

/** The text of the unit. Throws for a path that a unit cannot have. */
export function unitText(options: InstallOptions, host: Host): string {
  const settled = settledBy(options, host)
  for (const path of [options.node, options.program, options.configFile, settled.dataDir, ...settled.writes])
    if (!isUnitPath(path)) throw new Error(`A service needs whole paths, that begin with /: ${path} is none.`)
  return unitOf({ ...options, ...settled, args: ['start'] })
}

/**
 * Makes the account, the data folder, the settings and the unit, and starts the service; `log` gets a line for each. Throws, before it
 * changes anything, without root, without systemd, or where the account could not read the program.
 */
export function installService(options: InstallOptions, host: Host, log: Log): void {
  if (!host.isRoot) throw new Error('Installing a service needs the rights of root: sudo markbook service install')
  if (!host.hasSystemd)
    throw new Error('systemd does not run here. To write the unit for another machine: markbook service install --to markbook.service')
  if (existsSync(host.root + PACKAGED_UNIT)) throw new Error(cameWithPackage(options, host))
  const unit = unitText(options, host)
  const { dataDir } = settledBy(options, host)
  for (const path of [options.node, options.program, dataDir]) assertReachable(path, host.root, path === dataDir)
  makeAccount(options, dataDir, host, log)
  makeDataFolder(dataDir, options.user, host, log)
  writeSettings(options, host, log)
  writeCommand(options, host, log)
  write(at(host, UNIT_FILE), unit, 0o644)
  log(`Wrote the unit ${UNIT_FILE}`)
  must(host, 'systemctl', ['daemon-reload'])
  must(host, 'systemctl', ['enable', SERVICE])
  must(host, 'systemctl', ['restart', SERVICE])
  log('Enabled and started it: it starts with the machine, and again whenever it ends.')
}

/** A unit in /etc would hide the one of the package, which then could not renew it. */
function cameWithPackage(options: InstallOptions, host: Host): string {
  if (existsSync(host.root + UNIT_FILE))
    return `There are two units: that of the package, and ${UNIT_FILE}, which hides it. Take the second away: sudo markbook service uninstall`
  const { writes } = settledBy(options, host)
  const lines = ['The service came with its package; nothing was changed. After a change of settings: sudo systemctl restart markbook']
  if (writes.length > 0)
    lines.push(
      `To let it write to ${writes.join(' and ')}:`,
      '  sudo mkdir -p /etc/systemd/system/markbook.service.d',
      `  printf '[Service]\\n${writes.map((path) => `ReadWritePaths=-${path}\\n`).join('')}' | sudo tee /etc/systemd/system/markbook.service.d/backups.conf`,
      '  sudo systemctl daemon-reload && sudo systemctl restart markbook',
    )
  return lines.join('\n')
}

/** A path below the root of the host; makes its folder. */
function at({ root }: Host, path: string): string {
  const folder = dirname(root + path)
  if (existsSync(folder)) return root + path
  makeFolder(folder)
  chmodSync(folder, 0o755)
  return root + path
}

/** `chmod` after the write, because the mode of `writeFileSync` is reduced by the umask. */
function write(path: string, text: string, mode: number): void {
  writeFileSync(path, text, { mode })
  chmodSync(path, mode)
}

/** Throws where the account of the service may not read a path, such as a program in the home of a person. */
function assertReachable(path: string, root: string, isOwn: boolean): void {
  for (let folder = isOwn ? dirname(path) : path; folder !== '/'; folder = dirname(folder)) {
    const mode = statSync(root + folder, { throwIfNoEntry: false })?.mode
    if (mode !== undefined && (mode & 0o001) === 0 && (folder !== path || (mode & 0o004) === 0))
      throw new Error(`The account of the service may not enter ${folder}. Move the program to /opt/markbook, or open that folder.`)
  }
}

function makeAccount({ user }: InstallOptions, dataDir: string, host: Host, log: Log): void {
  if (host.run('id', ['-u', user]).status === 0) return
  must(host, 'useradd', ['--system', '--user-group', '--home-dir', dataDir, '--no-create-home', '--shell', '/usr/sbin/nologin', user])
  log(`Made the account ${user}, which nobody can sign in with.`)
}

function makeDataFolder(dataDir: string, user: string, host: Host, log: Log): void {
  makeFolder(host.root + dataDir, 0o700)
  must(host, 'chown', ['-R', '--no-dereference', `${user}:${user}`, host.root + dataDir])
  log(`The marks are in ${dataDir}`)
}

/** Writes the first settings; existing settings are not changed. */
function writeSettings({ configFile, user, dataDir }: InstallOptions, host: Host, log: Log): void {
  const path = at(host, configFile)
  if (existsSync(path)) {
    log(`The settings in ${configFile} stay as they are.`)
    return
  }
  write(path, firstSettings(dataDir), 0o640)
  must(host, 'chown', [`root:${user}`, path])
  log(`Wrote settings to begin with: ${configFile}`)
}

function writeCommand({ node, program }: InstallOptions, host: Host, log: Log): void {
  const path = at(host, COMMAND_FILE)
  if (existsSync(path)) return
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  write(path, `#!/bin/sh\nexec ${quoted(node)} ${quoted(program)} "$@"\n`, 0o755)
  log(`Wrote the command ${COMMAND_FILE}`)
}

/** Stops the service and removes the unit. Marks, settings and account stay. */
export function uninstallService(options: InstallOptions, host: Host, log: Log): void {
  const { dataDir } = settledBy(options, host)
  if (!existsSync(host.root + UNIT_FILE)) {
    if (existsSync(host.root + PACKAGED_UNIT)) throw new Error('The service came with its package: sudo apt remove markbook-server')
    throw new Error('No service of Markbook is installed here.')
  }
  if (!host.isRoot) throw new Error('Removing a service needs the rights of root: sudo markbook service uninstall')
  if (host.hasSystemd) must(host, 'systemctl', ['disable', '--now', SERVICE])
  rmSync(host.root + UNIT_FILE)
  if (host.hasSystemd) must(host, 'systemctl', ['daemon-reload'])
  log(`Stopped the service and removed ${UNIT_FILE}.`)
  if (existsSync(host.root + PACKAGED_UNIT)) log('That of the package stays. To start it: sudo systemctl enable --now markbook')
  log(`The marks in ${dataDir}, the settings in ${options.configFile} and the account ${options.user} stay.`)
}

/** Whether the unit is installed and enabled, and its state in systemd's word; `unknown` without systemd. */
export function serviceState(host: Host): { installed: boolean; enabled: boolean; active: string } {
  const ask = (verb: string) => (host.hasSystemd ? host.run('systemctl', [verb, SERVICE]).output.split('\n')[0] || 'unknown' : 'unknown')
  const installed = [UNIT_FILE, PACKAGED_UNIT].some((path) => existsSync(host.root + path))
  return { installed, enabled: ask('is-enabled') === 'enabled', active: ask('is-active') }
}
