/** Limits how many operations of one kind a user, and all users together, have open at once. */
export function concurrencyLimit({ perUser, all }: { perUser: number; all: number }) {
  const byUser = new Map<string, number>()
  let open = 0
  return {
    /** Counts one more, until `leave`; returns null, or which of the two limits is reached, without counting. */
    enter(userId: string): 'user' | 'all' | null {
      const own = byUser.get(userId) ?? 0
      if (own >= perUser) return 'user'
      if (open >= all) return 'all'
      byUser.set(userId, own + 1)
      open += 1
      return null
    },
    leave(userId: string): void {
      const left = (byUser.get(userId) ?? 1) - 1
      if (left > 0) byUser.set(userId, left)
      else byUser.delete(userId)
      open -= 1
    },
  }
}
