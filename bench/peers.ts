import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './places.ts'

const folder = join(root, 'bench', 'peers')
type Packages = { packages: Record<string, { version?: string; optional?: boolean }> }
const read = (path: string) => (JSON.parse(readFileSync(path, 'utf8')) as Packages).packages

function isInstalled(): boolean {
  const installed = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(installed)) return false
  const here = read(installed)
  return Object.entries(read(join(folder, 'package-lock.json'))).every(
    ([path, { version, optional }]) => path === '' || (here[path] ? here[path].version === version : optional === true),
  )
}

/** Installs the other programs that replicate, once. Answers why not where they cannot be installed on this machine. */
export function installPeers(): string | null {
  if (isInstalled()) return null
  console.error('Installing the programs to measure against …')
  const { status, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, encoding: 'utf8' })
  return status === 0 ? null : (stderr.trim().split('\n')[0] ?? 'npm ci failed')
}
