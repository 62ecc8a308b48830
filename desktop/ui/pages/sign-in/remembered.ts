const KEPT = 'markbook.address'

/** The address that this computer was told to remember; empty where none was. */
export function rememberedAddress(): string {
  try {
    return localStorage.getItem(KEPT) ?? ''
  } catch {
    return ''
  }
}

/** Null forgets it. */
export function rememberAddress(address: string | null): void {
  try {
    if (address === null) localStorage.removeItem(KEPT)
    else localStorage.setItem(KEPT, address)
  } catch {
    // Then it is typed again the next time.
  }
}
