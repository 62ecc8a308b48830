import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { orNull } from '../../or-null.ts'

/** The folder, or the nearest folder above it that exists. */
export function nearest(folder: string): string {
  let path = folder
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path)
  return path
}

/** The paths of entries in a folder whose names match; none where this account may not read it. */
export const inFolder = (folder: string, pattern: RegExp): string[] =>
  (orNull(() => readdirSync(folder)) ?? []).filter((name) => pattern.test(name)).map((name) => join(folder, name))
