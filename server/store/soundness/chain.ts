import { createHash } from 'node:crypto'
import { descriptions } from '@markbook/shared/tables/tables'
import type { Ask } from './soundness.ts'

/** An entry of the history as the write door hashed it, field by field, and the place that it took. */
export type Link = {
  id: string
  at: string
  actor_id: string | null
  node_id: string
  entity: string
  row_id: string
  near_id: string
  action: string
  changes: string
}
type Placed = Link & { seq: number; head: string }

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The head of a chain after one transaction more. */
const headAfter = (head: string, entries: readonly Link[]): string =>
  sha256(
    head +
      sha256(
        JSON.stringify(
          entries.map(({ id, at, actor_id, node_id, entity, row_id, near_id, action, changes }) => ({
            id,
            at,
            actor_id,
            node_id,
            entity,
            row_id,
            near_id,
            action,
            changes,
          })),
        ),
      ),
  )

/** As they were hashed: rows in the order of their ids, then what is no row of a table. */
function inOrder(entries: readonly Placed[]): Placed[] {
  const byId = [...entries].sort((a, b) => (a.id < b.id ? -1 : 1))
  const isRow = ({ entity }: Link) => entity in descriptions
  return [...byId.filter(isRow), ...byId.filter((entry) => !isRow(entry))]
}

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
        const expected = headAfter(head, inOrder(group))
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
