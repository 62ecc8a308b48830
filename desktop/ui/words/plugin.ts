import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'vite'
// Imported by its path: Vite bundles its configuration, but not packages.
import { unbroken } from '../../../shared/unbroken.ts'

const NAME = 'virtual:words'

/**
 * The areas of the pages before the sign-in, each with its keys that only later pages show. These keys and the other areas are in a
 * second file, so that the first page loads faster.
 */
const FIRST: Readonly<Record<string, RegExp>> = {
  app: /^(import|search|keys|leave|unsaved|away|newApp|signOut|navigation|otherYear|notCurrentYear|countsForYear|chooseYear)$/,
  'sign-in': /^(join|create|waiting|offer|holds|proof|expired)$/,
  failures:
    /^(academic_years|assessments|assessment_categories|attendance|avatars|bin|classes|grades|history|images|imports|invitations|jobs|overview|reports|schools|students|subjects|sync|teaching_sets|terms|window)_/,
}

/** Whether a key of an area is in the first file. */
export const isFirst = (area: string, key: string): boolean => area in FIRST && FIRST[area]?.test(key) === false

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
      const files = filesOf(language)
      for (const file of files) this.addWatchFile(file)
      const areas = files.map((file) => {
        const words = Object.entries(wordsIn(file)).filter(([key]) => isFirst(areaOf(file), key) === (part === 'first'))
        return [areaOf(file), Object.fromEntries(words)] as const
      })
      return `export const areas = ${JSON.stringify(Object.fromEntries(areas.filter(([, words]) => Object.keys(words).length > 0)))}`
    },
  }
}

function entryOf(code: string): string {
  const { language } = wordsIn(join(own, code, 'app.json'))
  const load = (part: string) => `() => import('${NAME}/${code}/${part}')`
  return `{ code: ${JSON.stringify(code)}, name: ${JSON.stringify(language)}, first: ${load('first')}, rest: ${load('rest')} }`
}

const filesOf = (language: string) =>
  FOLDERS.flatMap((folder) => readdirSync(join(folder, language)).map((file) => join(folder, language, file))).filter(
    (file) => areaOf(file) !== 'documents',
  )
const areaOf = (file: string) => basename(file, '.json')
const wordsIn = (file: string): Record<string, unknown> => JSON.parse(unbroken(readFileSync(file, 'utf8')))
