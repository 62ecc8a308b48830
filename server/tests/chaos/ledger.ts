import type { Account } from './person.ts'

/** `own`: nobody else ever writes that row. */
export type Write = {
  by: string
  group: Group
  kind: 'mark' | 'title' | 'assessment'
  /** The id of a grade or an assessment. */
  row: string
  /** Of a mark, its assessment. */
  assessment: string | null
  /** The remark, or the title: no two writes have the same. */
  value: string
  score: number | null
  own: boolean
  /** `unknown`: whether it was taken nobody knows, for there was no answer. */
  state: 'sent' | 'acknowledged' | 'unknown'
  /** When it was acknowledged, on the clock of `performance`. */
  at: number
}

/** Every write that somebody sent, in the order in which each person sent theirs. */
export class Ledger {
  readonly writes: Write[] = []
  /** What no fault explains. */
  readonly wrong: string[] = []
  private readonly byRow = new Map<string, Write[]>()
  readonly acknowledgedAt = new Map<string, number>()

  add(write: Write): void {
    this.writes.push(write)
    const ofRow = this.byRow.get(write.row)
    if (ofRow) ofRow.push(write)
    else this.byRow.set(write.row, [write])
  }

  /** What was written to one row, in the order in which it was sent. */
  of(kind: Write['kind'], row: string): Write[] {
    return (this.byRow.get(row) ?? []).filter((write) => write.kind === kind)
  }

  count(state: Write['state']): number {
    return this.writes.filter((write) => write.state === state).length
  }

  acknowledge(write: Write): void {
    write.state = 'acknowledged'
    write.at = performance.now()
    this.acknowledgedAt.set(write.by, (this.acknowledgedAt.get(write.by) ?? 0) + 1)
  }

  /** What may stand in a row that one person alone writes: the last that was acknowledged, or what they sent since and nobody answered. */
  expected(kind: Write['kind'], row: string): Write[] {
    const all = this.of(kind, row)
    const last = all.findLastIndex(({ state }) => state === 'acknowledged')
    return all.slice(Math.max(0, last))
  }
}

/** People of one school, and in which terms and subjects they write. */
export type Group = {
  head: Account
  terms: readonly string[]
  subjects: readonly string[]
}
