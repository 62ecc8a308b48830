import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { orNull } from '../../or-null.ts'

/** The folder itself, or the nearest one above it that is there. */
export function nearest(folder: string): string {
  let path = folder
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path)
  return path
}

/** Paths of what is in a folder under such a name; none where it may not be looked at. */
export const inFolder = (folder: string, pattern: RegExp): string[] =>
  (orNull(() => readdirSync(folder)) ?? []).filter((name) => pattern.test(name)).map((name) => join(folder, name))
