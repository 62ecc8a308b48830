// An executable: a copy of Node with a few lines of code that run the program beside it (docs/packaging.md).
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
/** The folder `program` lies beside the executable. */
const MAIN = `'use strict'
const { createRequire } = require('node:module')
createRequire(process.execPath)('./program/start.cjs')
`

const MAGIC = 0x0143da20
const NO_WARNING = 1
const OPTIONS_FROM_ENVIRONMENT = 1

/**
 * The code in the format in which Node reads it from its own executable, for the Node of Windows, which cannot run here to write it: a
 * magic number, flags, and name and code, each after its length. Since Node 22.23 a byte after the flags says where options of Node may
 * come from.
 */
export function blobOf(text, major) {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(MAGIC)
  head.writeUInt32LE(NO_WARNING, 4)
  const measured = (part) => {
    const length = Buffer.alloc(8)
    length.writeBigUInt64LE(BigInt(Buffer.byteLength(part)))
    return [length, Buffer.from(part)]
  }
  const options = major >= 22 ? [Buffer.from([OPTIONS_FROM_ENVIRONMENT])] : []
  return Buffer.concat([head, ...options, ...measured('markbook'), ...measured(text)])
}

/** The same for the Node that runs this; Node writes it itself. */
function ownBlob(folder) {
  const [main, output, config] = ['main.cjs', 'blob', 'config.json'].map((name) => join(folder, name))
  writeFileSync(main, MAIN)
  writeFileSync(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true }))
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'ignore' })
  return readFileSync(output)
}

const made = new Map()

/**
 * Copies a Node executable and adds the code; a signature that it has becomes invalid. `node`: its path; `major`: its version where it is
 * of another system, else null.
 */
export async function makeExecutable({ node, major = null }, outfile) {
  // Every package of a run has the same executable, and adding the code is slow.
  const bytes = made.get(node) ?? (await withOurLines(node, major))
  made.set(node, bytes)
  writeFileSync(outfile, bytes)
  chmodSync(outfile, 0o755)
}

async function withOurLines(node, major) {
  const folder = mkdtempSync(join(tmpdir(), 'markbook-executable-'))
  try {
    const executable = join(folder, 'executable')
    writeFileSync(executable, readFileSync(node), { mode: 0o755 })
    const { inject } = createRequire(import.meta.url)('postject')
    const blob = major === null ? ownBlob(folder) : blobOf(MAIN, major)
    await quietly(() => inject(executable, 'NODE_SEA_BLOB', blob, { sentinelFuse: FUSE }))
    return readFileSync(executable)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** postject warns that the signature becomes invalid, which is expected. */
async function quietly(work) {
  const { warn, log } = console
  Object.assign(console, { warn: () => {}, log: () => {} })
  try {
    await work()
  } finally {
    Object.assign(console, { warn, log })
  }
}

const PE_AT = 0x3c
const SUBSYSTEM = 0x5c
const [WINDOWS, CONSOLE] = [2, 3]

/** Marks a Windows executable as a program without a console, so that no console window opens. */
export function withoutConsole(executable) {
  const bytes = readFileSync(executable)
  const at = bytes.readUInt32LE(PE_AT) + SUBSYSTEM
  if (bytes.toString('latin1', bytes.readUInt32LE(PE_AT), bytes.readUInt32LE(PE_AT) + 4) !== 'PE\0\0' || bytes.readUInt16LE(at) !== CONSOLE)
    throw new Error(`${executable} is no program of the console of Windows`)
  bytes.writeUInt16LE(WINDOWS, at)
  writeFileSync(executable, bytes)
}
