/** Runs `work` with a lower bound in `bounds`, a part of the limits: to reach the real one a test would need more than it has time for. */
export async function lowered<T extends object, B extends keyof T, R>(bounds: T, bound: B, to: number, work: () => Promise<R>): Promise<R> {
  const open = bounds as Record<B, unknown>
  const before = open[bound]
  open[bound] = to
  try {
    return await work()
  } finally {
    open[bound] = before
  }
}
