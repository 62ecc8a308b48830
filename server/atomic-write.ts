import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './error-code.ts'

/** Replaces a file, which its owner alone may read, so that after a power cut it is the old one or the new one, never a part. */
export function writeAtomically(path: string, text: string | Uint8Array): void {
  const unfinished = `${path}.unfinished`
  const file = openSync(unfinished, 'w', 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
  // Windows opens no folders; there the rename itself is written through.
  if (process.platform === 'win32') return
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const CANNOT_SYNC = ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EACCES']

/** Brings a file or folder to the disk. Windows and some USB file systems cannot do it for a folder. */
export async function syncPath(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r+').catch(() => open(path, 'r'))
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    if (!CANNOT_SYNC.includes(codeOf(error))) throw error
  }
}
