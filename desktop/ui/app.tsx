import { QueryClientProvider } from '@tanstack/react-query'
import { type ParsedLocation, type RouteComponent, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { me } from './api/session.ts'
import { isSigningOut } from './api/signed-out.ts'
import { router } from './routes.tsx'
import { initWords, prefetchRemainingWords } from './words/words.ts'

/** Starts to load the modules of a page, at the same time as the words and the profile. */
function loadPageOf(location: ParsedLocation): void {
  for (const { routeId } of router.matchRoutes(location)) {
    const component = router.routesById[routeId]?.options.component as RouteComponent | undefined
    // The route loads a failed module again, and shows the error.
    component?.preload?.()?.catch(() => undefined)
  }
}

/** How long the first page waits for the font, in milliseconds. After that it keeps the font of the system. */
const FONT_PATIENCE = 500

const fontLoaded = () =>
  Promise.race([document.fonts.load('1em "Inter Variable"'), new Promise((resolve) => setTimeout(resolve, FONT_PATIENCE))]).catch(
    () => undefined,
  )

/** Shows the app in `place`. `insteadOf` removes what is shown there before; it is called when the first page is loaded. */
export async function openApp(place: HTMLElement, insteadOf?: () => void): Promise<void> {
  loadPageOf(router.latestLocation)
  // Starts to read the profile, at the same time as the words; the route handles its failure. Not before the server has heard of a
  // sign-out: it would still know the person.
  if (!isSigningOut()) void queryClient.prefetchQuery(me())
  prefetchRemainingWords()
  await Promise.all([initWords(), fontLoaded()])
  if (insteadOf) {
    await router.load()
    insteadOf()
  }
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
