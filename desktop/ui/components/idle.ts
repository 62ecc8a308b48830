/** How long a busy page may delay what waits, in ms. */
const MAX_WAIT = 500

/** Resolves when the browser is idle, so that what was rendered before is painted first; after half a second at the latest. */
export const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: MAX_WAIT })
    else setTimeout(resolve)
  })
