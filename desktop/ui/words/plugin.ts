import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const NAME = 'virtual:words'

/** The areas of the pages before the sign-in. The others are a second file, so that the first page loads sooner. */
const FIRST = ['app', 'sign-in', 'failures']

/** `virtual:words`: the languages of `words/`, each with functions that load its two files. */
export function wordsPlugin(): Plugin {
  const folder = import.meta.dirname
  const codes = () =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  return {
    name: 'words',
    resolveId: (id) => (id.startsWith(NAME) ? `\0${id}` : null),
    load(id) {
      if (id === `\0${NAME}`) return `export const languages = [${codes().map(entryOf(folder)).join(',')}]`
      if (!id.startsWith(`\0${NAME}/`)) return null
      const [language = '', part] = id.slice(NAME.length + 2).split('/')
      const areas = areasOf(folder, language).filter((area) => FIRST.includes(area) === (part === 'first'))
      for (const area of areas) this.addWatchFile(join(folder, language, `${area}.json`))
      return `export const areas = ${JSON.stringify(wordsOf(folder, language, areas))}`
    },
  }
}

const entryOf = (folder: string) => (code: string) => {
  const { language: name } = wordsOf(folder, code, ['app'])['app'] as { language: string }
  const load = (part: string) => `() => import('${NAME}/${code}/${part}')`
  return `{ code: ${JSON.stringify(code)}, name: ${JSON.stringify(name)}, first: ${load('first')}, rest: ${load('rest')} }`
}

const areasOf = (folder: string, language: string) => readdirSync(join(folder, language)).map((file) => file.replace(/\.json$/, ''))
const wordsOf = (folder: string, language: string, areas: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(areas.map((area) => [area, JSON.parse(readFileSync(join(folder, language, `${area}.json`), 'utf8'))]))
