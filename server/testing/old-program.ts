import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/**
 * The server of an earlier commit as one bundle, with the packages of this checkout; null where the history lacks the commit (a shallow
 * clone, an archive). Built once, into `.cache`.
 */
export function oldProgram(commit: string): string | null {
  const folder = join(root, '.cache', `program-${commit}`)
  const bundle = join(folder, 'dist', 'markbook.mjs')
  if (existsSync(bundle)) return bundle
  const archive = archiveOf(commit)
  if (!archive) return null
  const building = `${folder}.${process.pid}`
  rmSync(building, { recursive: true, force: true })
  mkdirSync(join(building, 'node_modules', '@markbook'), { recursive: true })
  execFileSync('tar', ['-x', '-C', building], { input: archive })
  linkPackages(building)
  const script = 'const { ensureServerBuilt } = await import("./scripts/build.mjs"); await ensureServerBuilt()'
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: building })
  // Another test may have finished first.
  if (!existsSync(folder)) renameSync(building, folder)
  rmSync(building, { recursive: true, force: true })
  return bundle
}

function archiveOf(commit: string): Buffer | null {
  try {
    const folders = ['shared', 'sync', 'server', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json']
    return execFileSync('git', ['archive', commit, ...folders], { cwd: root, maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return null
  }
}

/** Links the packages of this checkout, except the commit's own folders. */
function linkPackages(folder: string): void {
  const packages = join(root, 'node_modules')
  for (const name of readdirSync(packages)) if (name !== '@markbook') symlinkSync(join(packages, name), join(folder, 'node_modules', name))
  for (const own of ['shared', 'sync', 'server']) symlinkSync(join('..', '..', own), join(folder, 'node_modules', '@markbook', own))
}
