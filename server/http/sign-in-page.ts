import { readdirSync } from 'node:fs'
import type { Context } from 'hono'
import { type AppEnv, signIn } from './mount.ts'
import type { HeaderList } from './replies.ts'
import type { Services } from './services.ts'

/** Written by the app where somebody chooses a language (`desktop/ui/words/kept-language.ts`). */
const LANGUAGE = /(?:^|;\s*)markbook-language=([a-z]{2})(?:;|$)/
const FIRST = 'en'

type Ctx = Context<AppEnv>

/** The languages in which the sign-in page was painted at the build; none where the app is not built. */
export const paintedLanguages = (folder: string | undefined): string[] =>
  folder ? readdirSync(folder).flatMap((file) => /^sign-in\.([a-z]{2})\.html$/.exec(file)?.[1] ?? []) : []

/**
 * Which document a browser gets that asks for a page (decision 350). Who is signed in gets the app, and never sees a form to sign in.
 * Nobody gets the sign-in page, painted already, in their language. The window of the teachers' program signs in by itself (310) and gets
 * the app; so does everybody while the database does not answer. A renewed session is added to `headers`.
 */
export async function documentFor(c: Ctx, services: Services, languages: readonly string[], headers: HeaderList): Promise<string> {
  if (services.config.windowSecret || languages.length === 0) return '/index.html'
  const isOpen = await signIn(c, services, headers).then(
    ({ caller }) => caller !== null,
    () => true,
  )
  return isOpen ? '/index.html' : `/sign-in.${languageOf(c, languages)}${isOnTheWay(c) ? '.back' : ''}.html`
}

function languageOf(c: Ctx, languages: readonly string[]): string {
  const chosen = LANGUAGE.exec(c.req.header('cookie') ?? '')?.[1]
  const spoken = (c.req.header('accept-language') ?? '').split(',').map((tag) => tag.trim().slice(0, 2).toLowerCase())
  return [chosen, ...spoken].find((code) => code !== undefined && languages.includes(code)) ?? FIRST
}

/** Somebody who was at a page of the school already, which the sign-in page tells them they come back to. */
function isOnTheWay(c: Ctx): boolean {
  const next = c.req.path === '/sign-in' ? (c.req.query('next') ?? '/') : c.req.path
  return /^\/(?![/\\]|sign-in\b)./.test(next)
}
