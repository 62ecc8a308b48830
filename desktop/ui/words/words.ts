import { languages } from 'virtual:words'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { storedLanguage, storeLanguage } from './stored-language.ts'

/**
 * The texts of the app, in `words/<language>/<area>.json`. A folder is a language: it is offered under the name in its `app.json`
 * (`language`) and loaded when it is chosen. A missing text is shown in English.
 */
export { languages }

/** The languages as choices of a select. */
export const languageOptions = languages.map(({ code, name }) => ({ id: code, name, lang: code }))

/** A language by its own name; a code that the app does not know as it is. */
export const languageName = (code: string): string => languages.find((known) => known.code === code)?.name ?? code

const FIRST = 'en'

function preferredLanguage(): string {
  const preferred = [storedLanguage(), ...navigator.languages.map((tag) => tag.slice(0, 2))]
  return preferred.find((code) => languages.some((known) => known.code === code)) ?? FIRST
}

/** The files loaded so far. */
let loadedParts: readonly ('first' | 'rest')[] = ['first']

async function load(language: string, parts = loadedParts): Promise<void> {
  const known = languages.find(({ code }) => code === language)
  if (!known) return
  for (const { areas } of await Promise.all(parts.map((part) => known[part]()))) {
    for (const [area, words] of Object.entries(areas)) i18next.addResourceBundle(language, area, words)
  }
}

/** Before the first page of a school. */
export async function loadRemainingWords(): Promise<void> {
  if (loadedParts.includes('rest')) return
  await Promise.all([...new Set([FIRST, i18next.language])].map((language) => load(language, ['rest'])))
  loadedParts = ['first', 'rest']
}

/** English, and this language over it, for the first pages. Needs no document: the sign-in page is prerendered at the build. */
export async function loadWords(language: string): Promise<void> {
  const loading = Promise.all([...new Set([FIRST, language])].map((code) => load(code)))
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: FIRST,
    defaultNS: 'app',
    resources: {},
    partialBundledLanguages: true,
    interpolation: { escapeValue: true, escape: isolated },
    returnNull: false,
  })
  await loading
}

/** Before the first render. Without `language`, the one of this person. */
export async function initWords(language = preferredLanguage()): Promise<void> {
  if (i18next.isInitialized) return
  await loadWords(language)
  setDocument(language)
}

/**
 * What is put into a sentence that is read from the right, by itself: a class «4B (morning)» keeps its brackets. React escapes what is
 * shown, so nothing is escaped here.
 */
const isolated = (value: string): string => (i18next.dir() === 'rtl' ? `\u2068${value}\u2069` : value)

function setDocument(language: string): void {
  document.documentElement.lang = language
  document.documentElement.dir = i18next.dir(language)
}

export async function chooseLanguage(language: string): Promise<void> {
  await load(language)
  setDocument(language)
  await i18next.changeLanguage(language)
  storeLanguage(language)
}
