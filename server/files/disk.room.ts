import { statfs } from 'node:fs/promises'
import { common } from '@markbook/shared/failures'

/** Bytes that stay free on a disk, so that uploads stop before marks do, and how many are free. */
export type Room = { floor: number; free: () => Promise<number> }

const NEARLY_FULL = 'The disk of the server is nearly full, so no files can be taken. Marks can still be saved.'

export async function needRoom({ floor, free }: Room, bytes: number): Promise<void> {
  if ((await free()) - bytes < floor) throw common.storageFull({ message: NEARLY_FULL })
}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
