import { Counts } from './counts.ts'

/** Limits how many operations of one kind a user, and all users together, have open at once. */
export function concurrencyLimit({ perUser, all }: { perUser: number; all: number }) {
  const byUser = new Counts()
  let open = 0
  return {
    /** Counts one more, until `leave`; returns null, or which of the two limits is reached, without counting. */
    enter(userId: string): 'user' | 'all' | null {
      if (byUser.of(userId) >= perUser) return 'user'
      if (open >= all) return 'all'
      byUser.add(userId, 1)
      open += 1
      return null
    },
    leave(userId: string): void {
      byUser.add(userId, -1)
      open -= 1
    },
  }
}
