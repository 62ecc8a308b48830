import type { Grade } from '@markbook/shared/contract/grades'
import { groupedBy } from '@markbook/shared/grouped-by'
import type { Ledger, Write } from '../ledger.ts'
import type { Person } from '../person.ts'

/** How long things waited, in ms: half of them, nineteen of twenty, and all within. Null where there were none. */
export type Wait = { half: number; most: number; all: number } | null

export function waitOf(times: readonly number[]): Wait {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] as number
  return sorted.length === 0 ? null : { half: at(0.5), most: at(0.95), all: sorted.at(-1) as number }
}

/** Looks, as often as it is asked, which marks have come to the centre. */
export class Arrivals {
  private readonly arrived = new Map<Write, number>()
  private next = 0
  private waiting: Write[] = []

  constructor(
    private readonly ledger: Ledger,
    /** Of each school, the head at the centre. */
    private readonly heads: readonly Person[],
  ) {}

  /** Passes over a centre that does not answer. */
  async look(): Promise<void> {
    this.waiting.push(...this.ledger.writes.slice(this.next))
    this.next = this.ledger.writes.length
    for (const head of this.heads) {
      const own = this.waiting.filter(({ group, state, own }) => own && state === 'acknowledged' && group.head === head.who)
      for (const [assessment, writes] of groupedBy(own, ({ assessment }) => assessment)) {
        const grades = await head.see<Grade[]>(`/api/grades?assessmentId=${assessment}`).catch(() => [])
        const shown = new Map(grades.map(({ id, remarks }) => [id, remarks]))
        for (const write of writes) if (this.isThere(write, shown.get(write.row))) this.arrived.set(write, performance.now() - write.at)
      }
    }
    this.waiting = this.waiting.filter((write) => write.state === 'sent' || !this.arrived.has(write))
  }

  /** It stands there, or what the same person wrote over it later. */
  private isThere(write: Write, shown: string | null | undefined): boolean {
    const later = this.ledger.of('mark', write.row)
    return later.slice(later.indexOf(write)).some(({ value }) => value === shown)
  }

  /** How many marks have not come yet. */
  left = () => this.waiting.filter(({ state, own }) => own && state === 'acknowledged').length
  wait = () => waitOf([...this.arrived.values()])
}
