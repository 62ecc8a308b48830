import type { PersonName } from '@markbook/shared/story/people'

/** `own`: nobody else ever writes that row. */
export type Write = {
  by: string
  kind: 'mark' | 'title' | 'assessment'
  /** The id of a grade or an assessment. */
  row: string
  /** The remark, or the title: no two writes have the same. */
  value: string
  score: number | null
  own: boolean
  /** `unknown`: whether it was taken nobody knows, for there was no answer. */
  state: 'sent' | 'acknowledged' | 'unknown'
}

/** Every write that somebody sent, in the order in which each person sent theirs. */
export class Ledger {
  readonly writes: Write[] = []
  /** What no fault explains. */
  readonly wrong: string[] = []
  readonly acknowledgedAt = new Map<string, number>()

  count(state: Write['state']): number {
    return this.writes.filter((write) => write.state === state).length
  }

  acknowledge(write: Write): void {
    write.state = 'acknowledged'
    this.acknowledgedAt.set(write.by, (this.acknowledgedAt.get(write.by) ?? 0) + 1)
  }

  /** What may stand in a row that one person alone writes: the last that was acknowledged, or what they sent since and nobody answered. */
  expected(kind: Write['kind'], row: string): Write[] {
    const all = this.writes.filter((write) => write.row === row && write.kind === kind)
    const last = all.findLastIndex(({ state }) => state === 'acknowledged')
    return all.slice(Math.max(0, last))
  }
}

/** Who works where, in a school of the installation. */
export type Group = {
  school: string
  term: string
  /** The subject in which they share assessments. */
  subject: string
  pupils: readonly string[]
  head: PersonName
  teacher: PersonName
}
