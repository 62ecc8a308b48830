import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from './error-code.ts'

/**
 * Makes a folder, and those above it, where it is not there yet. The option `recursive` of Node never ends where a folder that exists takes
 * in no other and answers ENOENT, such as /proc, or the place of an automounted disk that is away.
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (isFolder(path)) return
    const above = dirname(path)
    if (codeOf(error) !== 'ENOENT' || above === path || isFolder(above)) throw error
    makeFolder(above, mode)
    makeFolder(path, mode)
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
