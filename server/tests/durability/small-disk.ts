import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of a few megabytes. `fill` leaves about so many bytes free; `free` gives the space back. `writable`: that nobody has open. */
export type SmallDisk = { folder: string; fill(leave: number): void; free(): void; writable(isWritable: boolean): void; end(): void }

const BLOCK = 4_096

/** Null where this account may not mount one. */
export function smallDisk(megabytes: number): SmallDisk | null {
  const at = mkdtempSync(join(tmpdir(), 'markbook-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'markbook-test', at], { stdio: 'ignore' })
  } catch {
    rmSync(at, { recursive: true, force: true })
    return null
  }
  const folder = join(at, 'data')
  mkdirSync(folder)
  const ballast = join(at, 'ballast')
  const end = () => {
    process.off('exit', end)
    execFileSync('umount', ['--lazy', at], { stdio: 'ignore' })
    rmSync(at, { recursive: true, force: true })
  }
  process.once('exit', end)
  return {
    folder,
    fill: (leave) => {
      writeUntilFull(ballast)
      truncateSync(ballast, Math.max(0, statSync(ballast).size - Math.ceil(leave / BLOCK) * BLOCK))
    },
    free: () => rmSync(ballast, { force: true }),
    writable: (isWritable) => execFileSync('mount', ['-o', `remount,${isWritable ? 'rw' : 'ro'}`, at], { stdio: 'ignore' }),
    end,
  }
}

function writeUntilFull(path: string) {
  const file = openSync(path, 'w')
  try {
    for (let size = 256 * BLOCK; size >= BLOCK; ) {
      try {
        writeSync(file, Buffer.alloc(size))
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error
        size /= 2
      }
    }
  } finally {
    closeSync(file)
  }
}
