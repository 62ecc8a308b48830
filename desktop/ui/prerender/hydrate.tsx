import '../components/tokens.css'
import i18next from 'i18next'
import { hydrateRoot } from 'react-dom/client'
import { startSessionAs } from '../api/session.ts'
import { localPath } from '../pages/sign-in/local-path.ts'
import { storedLanguage } from '../words/stored-language.ts'
import { chooseLanguage, initWords } from '../words/words.ts'
import { SignInRoot } from './sign-in-root.tsx'

const container = document.getElementById('app')
if (!container) throw new Error('the page has no container for the app')

/** The requested page: the server answers every address with the sign-in page where there is no session. */
const { pathname, search, hash } = location
const next = pathname === '/sign-in' ? (new URLSearchParams(search).get('next') ?? undefined) : `${pathname}${search}${hash}`
if (pathname !== '/sign-in') history.replaceState(null, '', `/sign-in?next=${encodeURIComponent(next ?? '/')}`)

/** Completes the work of `public/early.js`: switches to the stored language, and repeats a press from before hydration. */
function replay(): void {
  container?.removeAttribute('data-prerendered')
  const language = storedLanguage()
  if (language && language !== i18next.language) void chooseLanguage(language)
  const pressed = container?.querySelector<HTMLButtonElement>('button[aria-busy]')
  for (const state of ['aria-busy', 'aria-disabled']) pressed?.removeAttribute(state)
  pressed?.click()
}

await initWords(document.documentElement.lang)
const root = hydrateRoot(
  container,
  <SignInRoot
    isBack={'back' in container.dataset}
    onHydrated={replay}
    onSignedIn={async (profile) => {
      startSessionAs(profile)
      history.replaceState(null, '', localPath(next))
      // Usually prefetched by now. After an update of the server the file may be gone: then the page is reloaded.
      const { openApp } = await import('../app.tsx').catch(() => ({ openApp: () => location.reload() }))
      await openApp(container, () => root.unmount())
    }}
  />,
)
