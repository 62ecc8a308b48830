import { accessSync, constants } from 'node:fs'

const FULL: unknown[] = ['ENOSPC', 'EDQUOT']

/** True where a file could not be written because the disk, or this account's share of it, is full. */
export const isDiskFull = (error: unknown): boolean => FULL.includes((error as { code?: unknown } | null)?.code)

/** True where the disk of a folder takes nothing that is written. A system makes a disk so when it begins to fail. */
export function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return false
  } catch (error) {
    return (error as { code?: unknown }).code === 'EROFS'
  }
}
