import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
/** Files that stay from one run to the next; not in the repository. */
export const cache = join(root, '.cache', 'bench')
/** The server as it is built for users. */
export const bundle = join(root, 'dist', 'markbook.mjs')

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) =>
    entry.isFile() ? join(entry.parentPath, entry.name) : [],
  )

/** Changes when the code or the migrations that fill the databases change. */
export function digestOfSchool(): string {
  const hash = createHash('sha256')
  const sources = ['bench/school.ts', 'bench/fill.ts', 'shared/story/rows.ts'].map((path) => join(root, path))
  for (const path of [...sources, ...filesIn(join(root, 'server', 'store', 'migrations')).sort()]) hash.update(readFileSync(path))
  return hash.digest('hex').slice(0, 16)
}

export const folderIn = (...names: string[]): string => {
  const folder = join(cache, ...names)
  mkdirSync(folder, { recursive: true })
  return folder
}
