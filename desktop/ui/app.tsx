import { QueryClientProvider } from '@tanstack/react-query'
import { type ParsedLocation, type RouteComponent, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { me } from './api/session.ts'
import { router } from './routes.tsx'
import { initWords } from './words/words.ts'

/** Loads the parts of a page beside what it waits for: the words, and who this is. */
function loadPageOf(location: ParsedLocation): void {
  for (const { routeId } of router.matchRoutes(location)) {
    const component = router.routesById[routeId]?.options.component as RouteComponent | undefined
    // A part that cannot be loaded is asked for again, and reported, by its route.
    component?.preload?.()?.catch(() => undefined)
  }
}

/** How long the first page waits for the font, in milliseconds. After that it keeps the font of the system. */
const FONT_PATIENCE = 500

const fontLoaded = () =>
  Promise.race([document.fonts.load('1em "Inter Variable"'), new Promise((resolve) => setTimeout(resolve, FONT_PATIENCE))]).catch(
    () => undefined,
  )

/** The app at the address of this window. `insteadOf` takes away what stands in its place, which is shown until its first page is there. */
export async function openApp(place: HTMLElement, insteadOf?: () => void): Promise<void> {
  loadPageOf(router.latestLocation)
  // Who this is, beside the words. Its route reports what it is told.
  void queryClient.prefetchQuery(me())
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
