import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The machine to install a service on. `root` is put before every path; the tests give a folder. */
export type Host = {
  isRoot: boolean
  hasSystemd: boolean
  root: string
  run(command: string, args: readonly string[]): { status: number; output: string }
}

export const thisHost = (): Host => ({
  isRoot: process.getuid?.() === 0,
  hasSystemd: existsSync('/run/systemd/system'),
  root: '',
  run: (command, args) => {
    const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
    return { status: status ?? 1, output: `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim() }
  },
})

/** Runs a command; throws with its output where it fails. */
export function must(host: Host, command: string, args: readonly string[]): void {
  const { status, output } = host.run(command, args)
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')} failed: ${output || `it ended with ${status}`}`)
}
