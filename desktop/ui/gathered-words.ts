import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const NAME = 'virtual:words'

/** `virtual:words` lists the languages of `words/`, each with how it is loaded: all of its areas as one file, which is one request. */
export function gatheredWords(): Plugin {
  const folder = join(import.meta.dirname, 'words')
  const codes = () =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  return {
    name: 'gathered-words',
    resolveId: (id) => (id.startsWith(NAME) ? `\0${id}` : null),
    load(id) {
      if (id === `\0${NAME}`) return `export const languages = [${codes().map(entryOf(folder)).join(',')}]`
      if (!id.startsWith(`\0${NAME}/`)) return null
      const language = id.slice(NAME.length + 2)
      for (const area of areasOf(folder, language)) this.addWatchFile(join(folder, language, `${area}.json`))
      return `export const areas = ${JSON.stringify(areasIn(folder, language))}`
    },
  }
}

const entryOf = (folder: string) => (code: string) => {
  const name = (areasIn(folder, code)['app'] as { language: string }).language
  return `{ code: ${JSON.stringify(code)}, name: ${JSON.stringify(name)}, load: () => import('${NAME}/${code}') }`
}

const areasOf = (folder: string, language: string) => readdirSync(join(folder, language)).map((file) => file.replace(/\.json$/, ''))
const areasIn = (folder: string, language: string): Record<string, unknown> =>
  Object.fromEntries(
    areasOf(folder, language).map((area) => [area, JSON.parse(readFileSync(join(folder, language, `${area}.json`), 'utf8'))]),
  )
