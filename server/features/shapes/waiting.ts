import { common } from '@markbook/shared/failures'

export type Bounds = { waiting: number; waitingPerUser: number }
/** Those whose live requests wait for news. */
export type LongPollLimit = { enter(userId: string): () => void }

/** `enter` answers how to leave, and throws 429 or 503 where there is no place. */
export function longPollLimit({ waiting, waitingPerUser }: Bounds): LongPollLimit {
  const byUser = new Map<string, number>()
  let all = 0
  return {
    enter(userId) {
      const own = byUser.get(userId) ?? 0
      if (own >= waitingPerUser) throw common.tooManyRequests({ message: 'Too many shapes are followed at once.', headers: RETRY })
      if (all >= waiting) throw common.busy({ headers: RETRY })
      all += 1
      byUser.set(userId, own + 1)
      return () => {
        all -= 1
        const left = (byUser.get(userId) ?? 1) - 1
        if (left > 0) byUser.set(userId, left)
        else byUser.delete(userId)
      }
    },
  }
}

const RETRY = { 'retry-after': '5' }
