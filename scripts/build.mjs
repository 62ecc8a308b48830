// Bundles the server into dist/markbook.mjs where a source is newer than the bundle.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'

export const bundle = join(root, 'dist', 'markbook.mjs')

const newest = (folder) =>
  readdirSync(folder, { withFileTypes: true }).reduce((latest, entry) => {
    if (entry.name === 'node_modules') return latest
    const path = join(folder, entry.name)
    const time = entry.isDirectory() ? newest(path) : /\.(ts|json)$/.test(entry.name) ? statSync(path).mtimeMs : 0
    return Math.max(latest, time)
  }, 0)

export async function ensureBuilt() {
  const sources = Math.max(
    ...['shared', 'sync', 'server'].map((room) => newest(join(root, room))),
    statSync(join(root, 'package-lock.json')).mtimeMs,
  )
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= sources) return
  const { build } = await import('esbuild')
  const { dependencies } = JSON.parse(readFileSync(join(root, 'server', 'package.json'), 'utf8'))
  await build({
    entryPoints: [join(root, 'server', 'cli.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
    external: Object.keys(dependencies).filter((name) => !name.startsWith('@markbook/')),
  })
}
