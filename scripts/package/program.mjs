// The program as a folder: bundles with their packages, and beside them the files that they read.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { appPackages, copyFonts, copyKeyringProgram, ensureAppBuilt, forNode, app as webApp } from '../build.mjs'
import { root } from '../install.mjs'

const ADDON = 'better_sqlite3.node'
/** Loads the addon from the folder of the bundle, wherever that is installed. */
const addonBeside = {
  name: 'addon beside the bundle',
  setup(build) {
    build.onResolve({ filter: /\.node$/ }, () => ({ path: `./${ADDON}`, external: true }))
    build.onResolve({ filter: /^bindings$/ }, () => ({ path: 'bindings', namespace: 'addon' }))
    build.onLoad({ filter: /.*/, namespace: 'addon' }, () => ({
      contents: `module.exports = () => require('./${ADDON}')`,
      resolveDir: root,
    }))
  },
}

async function bundle(entry, outfile, { alias = {}, target }) {
  const { build } = await import('esbuild')
  const { metafile } = await build({
    ...forNode,
    entryPoints: [join(root, entry)],
    outfile,
    target,
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
    alias,
    plugins: [addonBeside],
  })
  return Object.keys(metafile.inputs)
}

/**
 * Fills `folder` for one platform. `platform`: its addons, its build of better-sqlite3 and its esbuild target; `start`: the bundle that
 * runs where the program is called without one.
 */
export async function buildProgram(folder, { platform, start }) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const options = { target: platform.target, alias: platform.sqlite ? { 'better-sqlite3': platform.sqlite } : {} }
  const inputs = [
    platform.keyringPackage,
    ...(await bundle('server/cli/main.ts', join(folder, 'markbook.mjs'), options)),
    ...(await bundle('server/documents/workers/worker.ts', join(folder, 'documents-worker.mjs'), options)),
    ...(start === 'shell.mjs' ? await bundle('desktop/shell/main.ts', join(folder, 'shell.mjs'), options) : []),
  ]
  copyFonts(join(folder, 'fonts'))
  copyFileSync(platform.addon, join(folder, ADDON))
  copyKeyringProgram(folder)
  copyFileSync(platform.keyring, join(folder, 'keyring.node'))
  cpSync(join(root, 'server', 'store', 'migrations'), join(folder, 'migrations'), { recursive: true })
  await ensureAppBuilt()
  cpSync(webApp, join(folder, 'app'), { recursive: true })
  copyDocsPage(folder)
  writeFileSync(join(folder, 'start.cjs'), startText(start))
  const shipped = [...inputs, ...shippedBeside, ...packagesOfApp()]
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), notices(shipped))
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(shipped))
}

/**
 * The bill of materials (CycloneDX): all packages of the lock file except those for development alone, packages in a bundle, and Node.js.
 * The same lock file gives the same bytes. (`npm sbom` leaves out dependencies of our workspaces.)
 */
function billOfMaterials(inputs) {
  const bundled = new Set(foldersOf(inputs))
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const components = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !link && (!dev || bundled.has(path)))
    .map(([path, { name: real, version, license, integrity }]) => {
      // A package that is installed under an alias has its real name in `name`.
      const name = real ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      const [algorithm, hash] = integrity?.split('-', 2) ?? []
      return {
        type: 'library',
        name,
        version,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        ...(license && { licenses: [{ expression: license }] }),
        ...(hash && { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(hash, 'base64').toString('hex') }] }),
      }
    })
  const node = process.versions.node
  const cpe = `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`
  components.push({ type: 'platform', name: 'node', version: node, cpe })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const metadata = { component: { type: 'application', name: 'markbook', version } }
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components }, null, 2)}\n`
}

/** The folders of the packages that these files belong to. */
const foldersOf = (inputs) =>
  inputs.flatMap((input) => {
    const own = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(relative(root, join(root, input)).replaceAll('\\', '/'))
    return own ? [own[1]] : []
  })

const shippedBeside = [
  'node_modules/@napi-rs/keyring/x',
  'node_modules/swagger-ui-dist/x',
  'node_modules/@embedpdf/fonts-arabic/x',
  'node_modules/@embedpdf/fonts-latin/x',
]

/** Those of the app's bundle, which its build lists. */
const packagesOfApp = () => JSON.parse(readFileSync(appPackages, 'utf8')).map((folder) => `${folder}/x`)

/** Copies the page of /docs, which the server loads as a package. */
function copyDocsPage(folder) {
  const [from, to] = [root, folder].map((place) => join(place, 'node_modules', 'swagger-ui-dist'))
  mkdirSync(to, { recursive: true })
  for (const file of ['package.json', 'swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE']) copyFileSync(join(from, file), join(to, file))
}

/** What the executable runs: a bundle that is its first argument, as with Node, or else this one. */
const startText = (start) => `'use strict'
const { dirname, join, resolve } = require('node:path')
const { pathToFileURL } = require('node:url')
const first = process.argv[2]
const isOurs = first !== undefined && dirname(resolve(first)) === __dirname && first.endsWith('.mjs')
const bundle = isOurs ? resolve(first) : join(__dirname, '${start}')
process.argv.splice(1, isOurs ? 2 : 1, bundle)
// Deprecation warnings of packages are of no use to a school.
process.noDeprecation = true
import(pathToFileURL(bundle).href)
`

/** The licences of all packages in the bundles. */
function notices(inputs) {
  const folders = new Set(foldersOf(inputs).map((folder) => join(root, folder)))
  const texts = [...folders].sort().flatMap((folder) => {
    const path = join(folder, 'package.json')
    if (!existsSync(path)) return []
    const { name, version, license } = JSON.parse(readFileSync(path, 'utf8'))
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license', 'LICENSE-MIT', 'COPYING', 'LICENSE.third-party.md'].find(
      (each) => existsSync(join(folder, each)),
    )
    return `${name} ${version} (${typeof license === 'string' ? license : (license?.type ?? 'see below')})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`
  })
  return `Markbook contains Node.js (https://nodejs.org, MIT) and these packages.\n\n${texts.join(`\n${'-'.repeat(72)}\n`)}`
}
