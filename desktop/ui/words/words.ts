import { languages } from 'virtual:words'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { keepLanguage, keptLanguage } from './kept-language.ts'

/**
 * Every sentence that a person reads, in `words/<language>/<area>.json`. A language is a folder: it is found by being there, offered under
 * the name that its `app.json` gives it (`language`), and loaded when it is chosen. What it lacks is shown in English.
 */
export { languages }

const FIRST = 'en'

function wanted(): string {
  const asked = [keptLanguage(), ...navigator.languages.map((tag) => tag.slice(0, 2))]
  return asked.find((code) => languages.some((known) => known.code === code)) ?? FIRST
}

/** What has been asked for so far: the words of the first pages, or all. */
let wants: readonly ('first' | 'rest')[] = ['first']

async function load(language: string, parts = wants): Promise<void> {
  const known = languages.find(({ code }) => code === language)
  if (!known) return
  for (const { areas } of await Promise.all(parts.map((part) => known[part]()))) {
    for (const [area, words] of Object.entries(areas)) i18next.addResourceBundle(language, area, words)
  }
}

/** Before the first page of a school: what the pages before it did not need. */
export async function restOfWords(): Promise<void> {
  if (wants.includes('rest')) return
  await Promise.all([...new Set([FIRST, i18next.language])].map((language) => load(language, ['rest'])))
  wants = ['first', 'rest']
}

/** English, and this language over it: of the first pages. Needs no document, since the first of them is painted at the build. */
export async function readWords(language: string): Promise<void> {
  const loading = Promise.all([...new Set([FIRST, language])].map((code) => load(code)))
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: FIRST,
    defaultNS: 'app',
    resources: {},
    partialBundledLanguages: true,
    interpolation: { escapeValue: false },
    returnNull: false,
  })
  await loading
}

/** Before the first paint: the language of this person, or the one that the page is painted in already. */
export async function openWords(language = wanted()): Promise<void> {
  if (i18next.isInitialized) return
  await readWords(language)
  document.documentElement.lang = language
}

export async function chooseLanguage(language: string): Promise<void> {
  await load(language)
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
  keepLanguage(language)
}
