import { readStored, writeStored } from '../components/browser-storage.ts'

const STORAGE_KEY = 'markbook.language'
/** Read by `server/http/pages.ts`. */
const COOKIE = 'markbook-language'
const YEAR_SECONDS = 365 * 86_400

/** The language that was chosen on this computer; null where none was. */
export const storedLanguage = () => readStored(STORAGE_KEY)

/** In a cookie too: the server chooses the language of the prerendered sign-in page by it. */
export function storeLanguage(language: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: cookieStore is not there over plain http.
  document.cookie = `${COOKIE}=${language}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`
  writeStored(STORAGE_KEY, language)
}
