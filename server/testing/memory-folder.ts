import { existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Bytes of free memory required. With less, a run of all tests could fill it: a container often has 64 MB. */
const ROOM = 2 * 1024 ** 3

/**
 * A new folder in memory where there is enough, else on the disk. For data whose durability is not tested, since the disk takes half of a
 * test's time.
 */
export const memoryFolder = (prefix: string): string => mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), prefix))

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ROOM
}
