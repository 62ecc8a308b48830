import type { Notice } from '@markbook/sync/machine'

/** See `limits.sync.parents`. */
export type ChoiceTimes = { unreachableMs: number; retryEveryMs: number; timeoutMs: number }

/**
 * Chooses with which of its parents, by their places, a node speaks: with the first, and while that is away with the next, in turn. Times
 * are ms of any one clock.
 */
export class ParentChoice {
  private ids: readonly string[] = []
  private at = 0
  /** Since when the parent that is spoken with is away; null while it is there. */
  private goneAt: number | null = null
  private lookedAt = 0
  /** Parents after the first that refuse this node. */
  private readonly barred = new Set<string>()

  constructor(private readonly patience: Pick<ChoiceTimes, 'unreachableMs' | 'retryEveryMs'>) {}

  /** Sets the parents. Returns the place of the one to speak with: `place`, or the first where no parent is there. */
  begin(ids: readonly string[], place: number): number {
    if (ids.join() !== this.ids.join()) this.barred.clear()
    this.ids = ids
    this.at = place < ids.length ? place : 0
    this.goneAt = null
    return this.at
  }

  get place(): number {
    return this.at
  }

  isOf(ids: readonly string[]): boolean {
    return ids.join() === this.ids.join()
  }

  /**
   * The place of the parent to speak with instead; null for no change. A first parent that revoked this node has its reasons: none is
   * spoken with in its stead.
   */
  after(notice: Notice, now: number): number | null {
    this.goneAt = notice === 'offline' ? (this.goneAt ?? now) : null
    const isBarred = this.at > 0 && (notice === 'revoked' || notice === 'upgrade')
    if (isBarred) this.barred.add(this.ids[this.at] as string)
    if (!isBarred && (this.goneAt === null || now - this.goneAt < this.patience.unreachableMs)) return null
    const others = this.ids.map((_, each) => (this.at + each) % this.ids.length).slice(1)
    return others.find((each) => !this.barred.has(this.ids[each] as string)) ?? null
  }

  /** Whether it is time to look if the first parent is back. */
  isTimeToLook(now: number): boolean {
    if (this.at === 0 || now - this.lookedAt < this.patience.retryEveryMs) return false
    this.lookedAt = now
    return true
  }
}
