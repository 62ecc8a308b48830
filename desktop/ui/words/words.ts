import { languages } from 'virtual:words'
import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'

/**
 * Every sentence that a person reads, in `words/<language>/<area>.json`. A language is a folder: it is found by being there, offered under
 * the name that its `app.json` gives it (`language`), and loaded when it is chosen. What it lacks is shown in English.
 */
export { languages }

const KEPT = 'markbook.language'
const FIRST = 'en'

function wanted(): string {
  const asked = [kept(), ...navigator.languages.map((tag) => tag.slice(0, 2))]
  return asked.find((code) => languages.some((known) => known.code === code)) ?? FIRST
}

const kept = () => {
  try {
    return localStorage.getItem(KEPT)
  } catch {
    return null
  }
}

async function load(language: string): Promise<void> {
  const known = languages.find(({ code }) => code === language)
  const areas = (await known?.load())?.areas ?? {}
  for (const [area, words] of Object.entries(areas)) i18next.addResourceBundle(language, area, words)
}

/** Before the first paint: English, and the language of this person over it. */
export async function openWords(language = wanted()): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: FIRST,
    defaultNS: 'app',
    resources: {},
    partialBundledLanguages: true,
    interpolation: { escapeValue: false },
    returnNull: false,
  })
  await Promise.all([...new Set([FIRST, language])].map(load))
  document.documentElement.lang = language
}

export async function chooseLanguage(language: string): Promise<void> {
  await load(language)
  await i18next.changeLanguage(language)
  document.documentElement.lang = language
  try {
    localStorage.setItem(KEPT, language)
  } catch {
    // Then it is chosen until the page is left.
  }
}
