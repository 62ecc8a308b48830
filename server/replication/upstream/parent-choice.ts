import type { Notice } from '@markbook/sync/machine'

/** In ms: how long a parent is not there before the next is spoken with, how often it is looked whether the first is back, for how long. */
export type ChoiceTimes = { gone: number; again: number; answer: number }

/**
 * With which of its parents, by their places, a node speaks: the first, and while that is not there the next, in turn. Pure
 * but for what it remembers; times in ms by any clock.
 */
export class ParentChoice {
  private ids: readonly string[] = []
  private at = 0
  /** Since when the one that is spoken with is not there. */
  private goneAt: number | null = null
  private lookedAt = 0
  /** Those after the first that will not have this node. */
  private readonly barred = new Set<string>()

  constructor(private readonly patience: Pick<ChoiceTimes, 'gone' | 'again'>) {}

  /** These are the parents now, and the one at `place` is spoken with, or the first; answers at which place that is. */
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

  /** The place of the one to speak with instead, or null. A first parent that revoked this node has its reasons, and is not gone round. */
  after(notice: Notice, now: number): number | null {
    this.goneAt = notice === 'offline' ? (this.goneAt ?? now) : null
    const isBarred = this.at > 0 && (notice === 'revoked' || notice === 'upgrade')
    if (isBarred) this.barred.add(this.ids[this.at] as string)
    if (!isBarred && (this.goneAt === null || now - this.goneAt < this.patience.gone)) return null
    const others = this.ids.map((_, each) => (this.at + each) % this.ids.length).slice(1)
    return others.find((each) => !this.barred.has(this.ids[each] as string)) ?? null
  }

  /** Whether it is time to look if the first parent is back. */
  isTimeToLook(now: number): boolean {
    if (this.at === 0 || now - this.lookedAt < this.patience.again) return false
    this.lookedAt = now
    return true
  }
}
