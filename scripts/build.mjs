// Builds the app into dist/app and bundles the server into dist/markbook.mjs, each where a source is newer. `node scripts/build.mjs` first
// installs what this needs.
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ensureCompiled, ensureInstalled, root } from './install.mjs'
import { withProgress } from './progress.mjs'

export const bundle = join(root, 'dist', 'markbook.mjs')
/** The app that every server serves; its files are compressed here once instead of for every request. */
export const app = join(root, 'dist', 'app')
/** A JSON list with the folders of the packages in the app's bundle. The build of the app writes it. */
export const appPackages = join(root, 'dist', 'app-packages.json')

/** Tests are not part of a build. */
const isSource = (name) => /\.([jt]sx?|json|css|html|svg)$/.test(name) && !/\.test\.tsx?$/.test(name)

const newest = (folder) =>
  readdirSync(folder, { withFileTypes: true }).reduce((latest, entry) => {
    if (entry.name === 'node_modules') return latest
    const path = join(folder, entry.name)
    const time = entry.isDirectory() ? newest(path) : isSource(entry.name) ? statSync(path).mtimeMs : 0
    return Math.max(latest, time)
  }, 0)

function isCurrent(built, folders) {
  if (!existsSync(built)) return false
  const sources = [...folders.map((folder) => newest(join(root, folder))), statSync(join(root, 'package-lock.json')).mtimeMs]
  return statSync(built).mtimeMs >= Math.max(...sources)
}

/** Installs, compiles and builds whatever is missing to run Markbook. */
export async function prepare() {
  await ensureInstalled({ development: false })
  await Promise.all([ensureCompiled(), ensureBuilt()])
}

export async function ensureBuilt() {
  await Promise.all([ensureAppBuilt(), ensureServerBuilt()])
}

export async function ensureAppBuilt() {
  const built = [join(app, 'index.html'), appPackages]
  if (!built.every((file) => isCurrent(file, ['shared', 'desktop/ui']))) await withProgress('building the app', buildApp)
}

export async function ensureServerBuilt() {
  if (!isCurrent(bundle, ['shared', 'sync', 'server'])) await withProgress('building the server', () => buildTo(bundle))
}

async function buildApp() {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const running = spawn(process.execPath, ['--import', 'tsx', vite, 'build', 'desktop/ui', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // A test runner sets another NODE_ENV, with which libraries are built for debugging.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const code = await new Promise((resolve) => running.on('exit', resolve))
  if (code !== 0) throw new Error('the app could not be built')
  pack(app)
}

function pack(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) pack(path)
    else if (/\.(js|css|html|svg|json)$/.test(entry.name)) writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }))
  }
}

/**
 * `outfile` must lie in dist, where the bundle finds its packages and the migrations. Also builds the workers for documents, and copies
 * their fonts.
 */
export async function buildTo(outfile) {
  const folder = dirname(outfile)
  await bundleOne('documents/workers/worker.ts', join(folder, 'documents-worker.mjs'))
  copyFonts(join(folder, 'fonts'))
  copyKeyringProgram(folder)
  // Built last: a current `outfile` means that everything else is current.
  await bundleOne('cli/main.ts', outfile)
}

/** Copies the program that asks the keyring in a process of its own (server/keyring/system.ts); it is not bundled. */
export function copyKeyringProgram(folder) {
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(root, 'server', 'keyring', KEYRING_PROGRAM), join(folder, KEYRING_PROGRAM))
}
const KEYRING_PROGRAM = 'keyring-child.mjs'

/** The fonts of server/documents/drawing/fonts.ts, from two packages with the same licence. */
const fonts = {
  'fonts-latin': ['NotoSans-Regular.ttf', 'NotoSans-SemiBold.ttf', 'NotoSans-Italic.ttf'],
  'fonts-arabic': ['NotoNaskhArabic-Regular.ttf', 'NotoNaskhArabic-Bold.ttf'],
}

export function copyFonts(folder) {
  mkdirSync(folder, { recursive: true })
  for (const [name, files] of Object.entries(fonts)) {
    const source = join(root, 'node_modules', '@embedpdf', name)
    for (const file of files) copyFileSync(join(source, 'fonts', file), join(folder, file))
    copyFileSync(join(source, 'LICENSE'), join(folder, 'LICENSE'))
  }
}

/**
 * Packages that stay outside the bundle: they have compiled code, read files beside themselves, or are large and seldom used. Loading the
 * others as files took a third of a start.
 */
const beside = [
  'better-sqlite3',
  'pdfkit',
  'swagger-ui-dist',
  '@aws-sdk/client-s3',
  '@embedpdf/fonts-arabic',
  '@embedpdf/fonts-latin',
  '@redis/client',
  '@tus/file-store',
  '@tus/s3-store',
  '@tus/server',
]

/** What bundled CommonJS packages need in a module: `require`, `__filename` and `__dirname`. */
const BANNER = `import { createRequire as __createRequire } from 'node:module'
const require = __createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname`

/** The esbuild options for everything that runs on Node. */
export const forNode = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  // Reading the bundle is half of the time of a start. Names are not shortened, since people read the stacks of errors.
  minifyWhitespace: true,
  minifySyntax: true,
  banner: { js: BANNER },
}

async function bundleOne(entry, outfile) {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    ...forNode,
    entryPoints: [join(root, 'server', entry)],
    outfile,
    write: false,
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    external: beside,
  })
  mkdirSync(dirname(outfile), { recursive: true })
  for (const { path, contents } of outputFiles) {
    // Renamed when it is complete: a server may be starting from this file, or another process may be building it.
    writeFileSync(`${path}.${process.pid}`, contents)
    renameSync(`${path}.${process.pid}`, path)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepare()
