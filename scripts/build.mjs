// Builds the app into dist/app and bundles the server into dist/markbook.mjs, each where a source is newer.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './install.mjs'

export const bundle = join(root, 'dist', 'markbook.mjs')

const newest = (folder) =>
  readdirSync(folder, { withFileTypes: true }).reduce((latest, entry) => {
    if (entry.name === 'node_modules') return latest
    const path = join(folder, entry.name)
    const time = entry.isDirectory() ? newest(path) : /\.(tsx?|json|css|html|svg)$/.test(entry.name) ? statSync(path).mtimeMs : 0
    return Math.max(latest, time)
  }, 0)

/** The app that every server serves, with each file packed once here instead of at every request. */
export const app = join(root, 'dist', 'app')

export function ensureAppBuilt() {
  const sources = Math.max(
    ...['shared', 'desktop/ui'].map((room) => newest(join(root, room))),
    statSync(join(root, 'package-lock.json')).mtimeMs,
  )
  const page = join(app, 'index.html')
  if (existsSync(page) && statSync(page).mtimeMs >= sources) return
  console.log('Building the app …')
  buildApp()
}

export function buildApp() {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  // A test runner that asks for it has a mode of its own, with which libraries would be built for looking at their faults.
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', vite, 'build', 'desktop/ui', '--logLevel', 'warn'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) throw new Error('the app could not be built')
  pack(app)
}

function pack(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) pack(path)
    else if (/\.(js|css|html|svg|json)$/.test(entry.name)) writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
  }
}

export async function ensureBuilt() {
  ensureAppBuilt()
  const sources = Math.max(
    ...['shared', 'sync', 'server'].map((room) => newest(join(root, room))),
    statSync(join(root, 'package-lock.json')).mtimeMs,
  )
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= sources) return
  await buildTo(bundle)
}

/** `outfile` lies in dist: from there the bundle finds its packages and the migrations. Beside it: the worker that makes documents, its fonts. */
export async function buildTo(outfile) {
  const folder = dirname(outfile)
  await bundleOne('cli.ts', outfile)
  await bundleOne('documents/workers/worker.ts', join(folder, 'papers-worker.mjs'))
  copyFonts(join(folder, 'fonts'))
}

export function copyFonts(folder) {
  const source = join(root, 'node_modules', '@embedpdf', 'fonts-latin')
  mkdirSync(folder, { recursive: true })
  for (const face of ['Regular', 'SemiBold', 'Italic']) {
    copyFileSync(join(source, 'fonts', `NotoSans-${face}.ttf`), join(folder, `NotoSans-${face}.ttf`))
  }
  copyFileSync(join(source, 'LICENSE'), join(folder, 'LICENSE'))
}

async function bundleOne(entry, outfile) {
  const { build } = await import('esbuild')
  const { dependencies } = JSON.parse(readFileSync(join(root, 'server', 'package.json'), 'utf8'))
  await build({
    entryPoints: [join(root, 'server', entry)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
    external: Object.keys(dependencies).filter((name) => !name.startsWith('@markbook/')),
  })
}
