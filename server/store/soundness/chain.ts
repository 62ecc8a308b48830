import { type ChainedEntry, digestOf, headAfter } from '../history-chain.ts'
import type { Ask } from './soundness.ts'

/** And the place that it took. */
type Placed = ChainedEntry & { seq: number; head: string }

/** Transactions that are read in one go. */
const PAGE = 200

/** Places where the history that this node wrote is not what was written: an entry that was changed, taken out or put in. */
export async function brokenLinks(ask: Ask, history: HistoryText, feeds: readonly Feed[]): Promise<string[]> {
  const broken: string[] = []
  for (const feed of feeds) {
    let head = ''
    for (let from = 1; from <= feed.seq; from += PAGE) {
      const entries = (await ask(history(feed.school_id, from, from + PAGE - 1))) as Placed[]
      const bySeq = new Map<number, Placed[]>()
      for (const entry of entries) {
        const group = bySeq.get(Number(entry.seq))
        if (group) group.push(entry)
        else bySeq.set(Number(entry.seq), [entry])
      }
      for (let seq = from; seq < from + PAGE && seq <= feed.seq; seq += 1) {
        const group = bySeq.get(seq)
        // A page from another node takes a number and leaves the chain where it is.
        if (!group) continue
        const stored = group[0]?.head
        const expected = headAfter(head, digestOf(group))
        if (stored !== expected) broken.push(`${feed.school_id}:${seq}`)
        // One changed entry is one break, not one for each that follows.
        head = stored ?? expected
      }
    }
    if (head !== feed.head) broken.push(`${feed.school_id}:end`)
  }
  return broken
}

/** The text that asks for the entries of a school whose places are from `from` to `to`. */
export type HistoryText = (school: string, from: number, to: number) => string
export type Feed = { school_id: string; seq: number; head: string }
