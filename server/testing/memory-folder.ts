import { existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Bytes. Below, a run of all tests could fill it: a container's is often 64 MB. */
const ROOM = 2 * 1024 ** 3

/** A new folder in memory where there is room for it, else on the disk: for data that proves nothing about disks, which take half of a test's time. */
export const memoryFolder = (prefix: string): string => mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), prefix))

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ROOM
}
