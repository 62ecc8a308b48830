import { languages } from 'virtual:words'
import { oneFullStop } from '@markbook/shared/one-full-stop'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { readStored, writeStored } from '../components/browser-storage.ts'
import { storedLanguage, storeLanguage } from './stored-language.ts'
import { type Words, wordsAlone } from './words-alone.ts'

/**
 * The words of the app, in `words/<language>/<area>.json`. Each folder is a language: it is offered under the name in its `app.json`
 * (`language`) and loaded when it is chosen. A missing text is shown in English.
 */
export { languages }

/** The languages as options of a select. */
export const languageOptions = languages.map(({ code, name }) => ({ id: code, name, lang: code }))

/** The name of a language in that language; an unknown code unchanged. */
export const languageName = (code: string): string => languages.find((known) => known.code === code)?.name ?? code

const FIRST = 'en'

function preferredLanguage(): string {
  const preferred = [storedLanguage(), ...navigator.languages.map((tag) => tag.slice(0, 2))]
  return preferred.find((code) => languages.some((known) => known.code === code)) ?? FIRST
}

/** The parts that are loaded so far. */
let loadedParts: readonly ('first' | 'rest')[] = ['first']

const ALONE_KEY = 'markbook.alone'
/** Whether this is a school's server without a centre, as it was last heard. */
let isAlone = readStored(ALONE_KEY) !== null

async function load(language: string, parts = loadedParts): Promise<void> {
  const known = languages.find(({ code }) => code === language)
  if (!known) return
  for (const { areas } of await Promise.all(parts.map((part) => known[part]()))) {
    for (const [area, words] of Object.entries(areas))
      i18next.addResourceBundle(language, area, isAlone ? wordsAlone(words as Words) : words, true, true)
  }
}

/** Shows the words of a school's server without a centre, where nobody gets the books that are sent, or those of any other. */
export async function showWordsAlone(shown: boolean): Promise<void> {
  if (isAlone === shown) return
  isAlone = shown
  writeStored(ALONE_KEY, shown ? 'yes' : null)
  await Promise.all([...new Set([FIRST, i18next.language])].map((language) => load(language)))
  // Draws the page again.
  await i18next.changeLanguage(i18next.language)
}

/** Starts to load the words of the school's pages at the same time as the first ones. A failure is told by `loadRemainingWords`. */
export function prefetchRemainingWords(): void {
  for (const { code, rest } of languages) if ([FIRST, preferredLanguage()].includes(code)) rest().catch(() => undefined)
}

/** Loads the words of the school's pages; called before the first of them. */
export async function loadRemainingWords(): Promise<void> {
  if (loadedParts.includes('rest')) return
  await Promise.all([...new Set([FIRST, i18next.language])].map((language) => load(language, ['rest'])))
  loadedParts = ['first', 'rest']
}

/** A name that ends in a full stop may end a sentence. */
const endsOnce = { type: 'postProcessor', name: 'endsOnce', process: oneFullStop } as const

/** Loads English and this language for the first pages. Works without a document, for the prerendered sign-in page. */
export async function loadWords(language: string): Promise<void> {
  const loading = Promise.all([...new Set([FIRST, language])].map((code) => load(code)))
  await i18next
    .use(initReactI18next)
    .use(endsOnce)
    .init({
      lng: language,
      fallbackLng: FIRST,
      defaultNS: 'app',
      resources: {},
      partialBundledLanguages: true,
      interpolation: { escapeValue: true, escape: isolated },
      postProcess: endsOnce.name,
      returnNull: false,
    })
  await loading
}

/** Loads the words before the first render. `language`: that of the person by default. */
export async function initWords(language = preferredLanguage()): Promise<void> {
  if (i18next.isInitialized) return
  await loadWords(language)
  setDocument(language)
}

/**
 * Isolates a value in a right-to-left sentence, so that a class «4B (morning)» keeps its brackets in order. React escapes texts, so that
 * they are not escaped here.
 */
const isolated = (value: string): string => (i18next.dir() === 'rtl' ? `\u2068${value}\u2069` : value)

function setDocument(language: string): void {
  document.documentElement.lang = language
  document.documentElement.dir = i18next.dir(language)
}

/** Loads a language, shows the page in it, and remembers the choice. */
export async function chooseLanguage(language: string): Promise<void> {
  await load(language)
  setDocument(language)
  await i18next.changeLanguage(language)
  storeLanguage(language)
}
