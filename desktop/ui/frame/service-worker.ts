import { useSyncExternalStore } from 'react'
import { Listeners } from '../api/listeners.ts'

const PATH = '/service-worker.js'
const changes = new Listeners()
let waiting: ServiceWorker | null = null

/**
 * Has the browser keep the app's files, so that it starts while the server cannot be reached. Only where somebody is signed in: before that the
 * server's own sign-in page is shown. Over http a browser allows it for addresses of its own machine alone.
 */
export async function keepApp(): Promise<void> {
  if (!canKeepApp() || !import.meta.env.PROD) return
  const registration = await navigator.serviceWorker.register(PATH).catch(() => null)
  if (!registration) return
  const look = () => {
    // The first worker of all replaces nothing.
    waiting = navigator.serviceWorker.controller ? registration.waiting : null
    changes.notify()
  }
  look()
  registration.waiting?.addEventListener('statechange', look)
  // The browser looks for a newer one by itself when the page is opened, and may have begun before it was asked here.
  const follow = () => registration.installing?.addEventListener('statechange', look)
  follow()
  registration.addEventListener('updatefound', follow)
}

export const canKeepApp = (): boolean => 'serviceWorker' in navigator && window.isSecureContext

/** True where a newer app has come and takes over once every window of this one is closed, or at once by `openNewApp`. */
export const useNewApp = (): boolean => useSyncExternalStore(changes.add, () => waiting !== null)

/** Loads the newer app in this window. What is typed is kept, as at every reload. */
export function openNewApp(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
  waiting?.postMessage('take over')
}

/** Removes the worker and the files that it keeps. */
export async function forgetApp(): Promise<void> {
  if (!canKeepApp()) return
  const registration = await navigator.serviceWorker.getRegistration(PATH).catch(() => undefined)
  await registration?.unregister()
  for (const name of await caches.keys()) await caches.delete(name)
}
