import { useSyncExternalStore } from 'react'
import { Listeners } from '../api/listeners.ts'

const PATH = '/service-worker.js'
const changes = new Listeners()
let waiting: ServiceWorker | null = null

/**
 * Registers the service worker, which stores the app's files, so that the app starts without the server. Called only after a sign-in:
 * before it the server's own sign-in page is shown. Over http browsers allow it only on the server's own machine.
 */
export async function keepApp(): Promise<void> {
  if (!canKeepApp() || !import.meta.env.PROD) return
  const registration = await navigator.serviceWorker.register(PATH).catch(() => null)
  if (!registration) return
  const look = () => {
    // A first service worker replaces none.
    waiting = navigator.serviceWorker.controller ? registration.waiting : null
    changes.notify()
  }
  look()
  registration.waiting?.addEventListener('statechange', look)
  // On opening the page the browser itself may already have begun to load a newer one.
  const follow = () => registration.installing?.addEventListener('statechange', look)
  follow()
  registration.addEventListener('updatefound', follow)
}

export const canKeepApp = (): boolean => 'serviceWorker' in navigator && window.isSecureContext

/** True when a newer app is waiting. It is used once all windows are closed, or at once after `openNewApp`. */
export const useNewApp = (): boolean => useSyncExternalStore(changes.add, () => waiting !== null)

/** Starts the newer app in this window by a reload, which keeps unsaved input like any reload. */
export function openNewApp(): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
  waiting?.postMessage('take over')
}

/** Removes the service worker and its files. */
export async function forgetApp(): Promise<void> {
  if (!canKeepApp()) return
  const registration = await navigator.serviceWorker.getRegistration(PATH).catch(() => undefined)
  await registration?.unregister()
  for (const name of await caches.keys()) await caches.delete(name)
}
