/** Runs `work` with a lower value for one of the limits, where a test cannot take the time to reach the real one. */
export async function withLowerLimit<T extends object, B extends keyof T, R>(
  bounds: T,
  bound: B,
  to: number,
  work: () => Promise<R>,
): Promise<R> {
  const open = bounds as Record<B, unknown>
  const before = open[bound]
  open[bound] = to
  try {
    return await work()
  } finally {
    open[bound] = before
  }
}
