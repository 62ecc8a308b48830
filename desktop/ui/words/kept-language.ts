const KEPT = 'markbook.language'
/** Read by `server/http/sign-in-page.ts`. */
const COOKIE = 'markbook-language'
const YEAR_SECONDS = 365 * 86_400

/** The language that was chosen on this computer; null where none was. */
export function keptLanguage(): string | null {
  try {
    return localStorage.getItem(KEPT)
  } catch {
    return null
  }
}

/** Also for the server, which paints the first page before any script runs. */
export function keepLanguage(language: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: cookieStore is not there over plain http.
  document.cookie = `${COOKIE}=${language}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`
  try {
    localStorage.setItem(KEPT, language)
  } catch {
    // Then it is chosen until the page is left.
  }
}
