// Installers for Windows, made with NSIS on any system.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../install.mjs'
import { makeExecutable, withoutConsole } from './executable.mjs'
import { ourIcon } from './icon.mjs'
import { windows } from './platforms.mjs'
import { buildProgram } from './program.mjs'
import { taskText } from './windows-task.mjs'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const kinds = {
  win: { script: 'desktop.nsi', start: 'shell.mjs', executable: 'Markbook.exe', file: `Markbook-${version}-setup.exe` },
  'win-server': { script: 'server.nsi', start: 'markbook.mjs', executable: 'markbook.exe', file: `Markbook-server-${version}-setup.exe` },
}

/** Writes one installer into `out` and returns its path. `quick`: compresses less, for a test. */
export async function makeInstaller(kind, out, { quick = false } = {}) {
  const own = kinds[kind]
  const tree = join(out, `${kind}.tree`)
  rmSync(tree, { recursive: true, force: true })
  mkdirSync(tree, { recursive: true })
  const platform = windows()
  await buildProgram(join(tree, 'program'), { platform, start: own.start })
  await makeExecutable(platform, join(tree, own.executable))
  if (kind === 'win') withoutConsole(join(tree, own.executable))
  // The Task Scheduler reads only this encoding.
  else writeFileSync(join(tree, 'task.xml'), Buffer.from(`\uFEFF${taskText}`, 'utf16le'))
  writeFileSync(join(tree, 'markbook.ico'), ourIcon())
  const file = join(out, own.file)
  const defines = { TREE: tree, OUT: file, VERSION: version }
  const definitions = [...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`), ...(quick ? ['-DQUICK'] : [])]
  execFileSync('makensis', ['-V2', '-INPUTCHARSET', 'UTF8', ...definitions, join(root, 'scripts', 'package', 'windows', own.script)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  rmSync(tree, { recursive: true, force: true })
  return file
}
