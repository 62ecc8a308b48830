import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'vite'
// Imported by its path: Vite bundles its configuration, but not packages.
import { unbroken } from '../../../shared/unbroken.ts'

const NAME = 'virtual:words'

/** The areas of the pages before the sign-in. The others are in a second file, so that the first page loads faster. */
const FIRST = ['app', 'sign-in', 'failures']

const own = import.meta.dirname
/** The words of the app, and those that it shares with the command line. The words of documents are only on the server. */
const FOLDERS = [own, join(own, '../../../shared/words')]

/** The module `virtual:words`: the languages of `words/`, each with functions that load its two files. */
export function wordsPlugin(): Plugin {
  const codes = () => readdirSync(own, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  return {
    name: 'words',
    resolveId: (id) => (id.startsWith(NAME) ? `\0${id}` : null),
    load(id) {
      if (id === `\0${NAME}`) return `export const languages = [${codes().map(entryOf).join(',')}]`
      if (!id.startsWith(`\0${NAME}/`)) return null
      const [language = '', part] = id.slice(NAME.length + 2).split('/')
      const files = filesOf(language).filter((file) => FIRST.includes(areaOf(file)) === (part === 'first'))
      for (const file of files) this.addWatchFile(file)
      return `export const areas = ${JSON.stringify(Object.fromEntries(files.map((file) => [areaOf(file), wordsIn(file)])))}`
    },
  }
}

function entryOf(code: string): string {
  const { language } = wordsIn(join(own, code, 'app.json')) as { language: string }
  const load = (part: string) => `() => import('${NAME}/${code}/${part}')`
  return `{ code: ${JSON.stringify(code)}, name: ${JSON.stringify(language)}, first: ${load('first')}, rest: ${load('rest')} }`
}

const filesOf = (language: string) =>
  FOLDERS.flatMap((folder) => readdirSync(join(folder, language)).map((file) => join(folder, language, file))).filter(
    (file) => areaOf(file) !== 'documents',
  )
const areaOf = (file: string) => basename(file, '.json')
const wordsIn = (file: string): unknown => JSON.parse(unbroken(readFileSync(file, 'utf8')))
