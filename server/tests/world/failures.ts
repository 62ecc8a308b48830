/** A rule of the database stood in the way: of a action that the application would have refused, or of which two were one too many. */
export const isSqlFailure = (error: unknown): boolean => {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (/constraint/i.test(at.message) || /^(SQLITE_CONSTRAINT|23)/.test(String((at as { code?: unknown }).code ?? ''))) return true
  }
  return false
}
