type Area = 'localStorage' | 'sessionStorage'

/** A stored text; null where there is none, or where the browser blocks storage. */
export function readStored(key: string, area: Area = 'localStorage'): string | null {
  try {
    return window[area].getItem(key)
  } catch {
    return null
  }
}

/** Removes everything that this browser stores for this site. */
export function forgetStored(): void {
  for (const area of ['localStorage', 'sessionStorage'] as const) {
    try {
      window[area].clear()
    } catch {
      // A browser that blocks storage has stored nothing.
    }
  }
}

/** Stores a text; null removes it. Where the browser blocks storage, the value is lost with the page. */
export function writeStored(key: string, text: string | null, area: Area = 'localStorage'): void {
  try {
    if (text === null) window[area].removeItem(key)
    else window[area].setItem(key, text)
  } catch {
    // No feature depends on a stored value.
  }
}
