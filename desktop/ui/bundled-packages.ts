import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'

const FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/

/** The folders of the packages of these modules, as paths from `root`, each once and sorted. Modules that a plugin generated have none. */
export function packageFolders(root: string, modules: Iterable<string>): string[] {
  const folders = [...modules].flatMap(
    (id) => FOLDER.exec(relative(root, id.replace(/^\0/, '').replace(/\?.*$/, '')).replaceAll('\\', '/')) ?? [],
  )
  return [...new Set(folders)].sort()
}

/**
 * Writes the folders of all packages whose code or assets are in the built app into `file`, as a JSON list: their licences must be given
 * along with the app. `also`: modules of separate builds.
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
