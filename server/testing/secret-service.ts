import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The keyring of a Linux desktop, unlocked and empty, on its own bus. */
export type SecretService = {
  /** The value of `DBUS_SESSION_BUS_ADDRESS`. */
  address: string
  stop(): Promise<void>
}

const PROGRAMS = ['dbus-daemon', 'gnome-keyring-daemon']
const isInstalled = (name: string) => (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)))
export const hasSecretService = PROGRAMS.every(isInstalled)

/** Throws where this machine has none. */
export async function startSecretService(): Promise<SecretService> {
  const folder = mkdtempSync(join(tmpdir(), 'markbook-keyring-'))
  const own = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_RUNTIME_DIR: folder }
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], { env: own, stdio: ['ignore', 'pipe', 'ignore'] })
  const address = await firstLine(bus)
  const keyring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets', `--control-directory=${folder}`], {
    env: { ...own, DBUS_SESSION_BUS_ADDRESS: address },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  keyring.stdin?.end('the password of an account')
  await firstLine(keyring)
  return {
    address,
    stop: async () => {
      for (const each of [keyring, bus]) await end(each)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const firstLine = (program: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    program.once('error', reject)
    program.once('exit', (code) => reject(new Error(`${program.spawnfile} ended with ${code}`)))
    program.stdout?.once('data', (text) => resolve(String(text).trim()))
  })

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  const ended = new Promise((resolve) => program.once('exit', resolve))
  program.kill('SIGKILL')
  await ended
}
