import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'

const FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

/** The folders of packages in which modules lie, as paths from `root`, each once and in order. Modules that a plugin made have no folder. */
export function packageFolders(root: string, modules: Iterable<string>): string[] {
  const folders = [...modules].flatMap(
    (id) => FOLDER.exec(relative(root, id.replace(/^\0/, '').replace(/\?.*$/, '')).replaceAll('\\', '/')) ?? [],
  )
  return [...new Set(folders)].sort()
}

/**
 * Writes the folders of the packages of which the built app has code or assets into `file`, a list in JSON: who gives the app to others gives their
 * licences too. `also`: modules of files that are built apart.
 */
export function bundledPackages({ root, file, also }: { root: string; file: string; also: ReadonlySet<string> }): Plugin {
  return {
    name: 'bundled-packages',
    apply: 'build',
    writeBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((part) =>
        part.type === 'chunk' ? part.moduleIds : part.originalFileNames.map((name) => join(import.meta.dirname, name)),
      )
      writeFileSync(file, `${JSON.stringify(packageFolders(root, [...modules, ...also]), null, 2)}\n`)
    },
  }
}
