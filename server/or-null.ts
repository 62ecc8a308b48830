/** What `work` returns, or null where it throws: for what may be absent or forbidden, where nobody needs to know why. */
export function orNull<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
