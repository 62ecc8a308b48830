import { readStored, writeStored } from '../components/browser-storage.ts'

const STORAGE_KEY = 'markbook.language'
/** `server/http/pages.ts` reads this cookie. */
const COOKIE = 'markbook-language'
const YEAR_SECONDS = 365 * 86_400

/** The language chosen in this browser; null where none was. */
export const storedLanguage = () => readStored(STORAGE_KEY)

/** Also stores it in a cookie, by which the server chooses the language of the prerendered sign-in page. */
export function storeLanguage(language: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: cookieStore does not exist over http.
  document.cookie = `${COOKIE}=${language}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`
  writeStored(STORAGE_KEY, language)
}
