const KEPT = 'markbook.sheet'
type Chosen = { classId: string; subjectId: string }

/** The class and subject that were last marked on this computer, for whoever comes back the next day. */
export function keptSheet(): Chosen | null {
  try {
    const { classId, subjectId } = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<Chosen>
    return classId && subjectId ? { classId, subjectId } : null
  } catch {
    return null
  }
}

export function keepSheet(chosen: Chosen): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify(chosen))
  } catch {
    // Then it is chosen anew the next time.
  }
}
