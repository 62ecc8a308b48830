const KEPT = 'markbook.class'

/** The class that was last looked at on this computer, for whoever comes back the next day. */
export function keptClass(): string | null {
  try {
    return localStorage.getItem(KEPT)
  } catch {
    return null
  }
}

export function keepClass(classId: string): void {
  try {
    localStorage.setItem(KEPT, classId)
  } catch {
    // Then it is chosen anew the next time.
  }
}
