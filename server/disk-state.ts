import { accessSync, constants } from 'node:fs'
import { codeOf } from './error-code.ts'

const FULL = ['ENOSPC', 'EDQUOT']

/** True where a file could not be written because the disk, or this account's share of it, is full. */
export const isDiskFull = (error: unknown): boolean => FULL.includes(codeOf(error))

/** True where the disk of a folder takes nothing that is written. A system makes a disk so when it begins to fail. */
export function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return false
  } catch (error) {
    return codeOf(error) === 'EROFS'
  }
}
