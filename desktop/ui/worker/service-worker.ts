/// <reference lib="webworker" />
import { cacheNames } from 'workbox-core'
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'

/** The files of this build (`worker/plugin.ts`). */
declare const FILES: { url: string; revision: string | null }[]
declare const self: ServiceWorkerGlobalScope
declare global {
  interface ExtendableEvent {
    /** Static routing, which TypeScript does not know yet. */
    addRoutes?(
      rules: { condition: { urlPattern: string; requestMethod?: string }; source: 'network' | { cacheName: string } }[],
    ): Promise<void>
  }
}

/**
 * Starts the app from the browser's cache, so that it opens while the server cannot be reached. Only files of the app are stored here;
 * replies of the server are in the browser's database (api/last-seen.ts). A new version waits until every window of the old one is closed,
 * or until somebody asks for it.
 */
precacheAndRoute(FILES)
cleanupOutdatedCaches()
registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/index.html'), {
    // Matched against path and query.
    denylist: [/^\/(api|v1|storage|docs|window|healthz|readyz|metrics)([/?]|$)/, /\.\w+$/],
  }),
)

/**
 * Browsers that can (Chromium) take the build's files from the cache, and requests from the server, without asking this worker for each.
 * What is not in the cache comes from the server.
 */
self.addEventListener('install', (event) => {
  void event.addRoutes?.([
    { condition: { urlPattern: '/assets/*', requestMethod: 'GET' }, source: { cacheName: cacheNames.precache } },
    { condition: { urlPattern: '/api/*' }, source: 'network' },
  ])
})

addEventListener('message', ({ data }) => {
  if (data === 'take over') void self.skipWaiting()
})
