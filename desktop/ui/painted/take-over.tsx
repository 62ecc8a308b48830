import '../components/tokens.css'
import { hydrateRoot } from 'react-dom/client'
import { enterAs } from '../api/session.ts'
import { ownPath } from '../pages/sign-in/own-path.ts'
import { openWords } from '../words/words.ts'
import { FirstPage } from './first-page.tsx'

const place = document.getElementById('app')
if (!place) throw new Error('the page has no place for the app')

/** The page that was asked for; the server painted the sign-in page at its address. */
const { pathname, search, hash } = location
const next = pathname === '/sign-in' ? (new URLSearchParams(search).get('next') ?? undefined) : `${pathname}${search}${hash}`
if (pathname !== '/sign-in') history.replaceState(null, '', `/sign-in?next=${encodeURIComponent(next ?? '/')}`)

await openWords(document.documentElement.lang)
const root = hydrateRoot(
  place,
  <FirstPage
    isBack={'back' in place.dataset}
    onSignedIn={async (profile) => {
      enterAs(profile)
      history.replaceState(null, '', ownPath(next))
      // Fetched meanwhile, though not run. Where it cannot be had any more, the page is loaded anew.
      const { openApp } = await import('../app.tsx').catch(() => ({ openApp: () => location.reload() }))
      await openApp(place, () => root.unmount())
    }}
  />,
)
